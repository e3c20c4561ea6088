import { describe, expect, it } from 'vitest'
import { detectPlatforms } from './detect-platforms.ts'
import { manifestsToRead } from './manifests.ts'

const detect = (files: Readonly<Record<string, string>>) =>
  detectPlatforms(Object.keys(files), new Map(Object.entries(files)))
const packageOf = (...names: string[]) =>
  JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '1'])) })
const HIGH = { detected: true, confidence: 'HIGH' }
const MEDIUM = { detected: true, confidence: 'MEDIUM' }
const LOW = { detected: true, confidence: 'LOW' }

describe('platforms', () => {
  it.each<[string, Record<string, string>, Record<string, object>, Record<string, string[]>]>([
    ['nothing', { 'README.md': '' }, {}, {}],
    [
      'a service anywhere',
      { 'package.json': packageOf('express'), 'src/a.ts': '' },
      { backend: HIGH },
      { backend: [''] },
    ],
    [
      'a front end beside it',
      {
        'api/package.json': packageOf('fastify'),
        'api/a.ts': '',
        'web/package.json': packageOf('vue'),
        'web/a.vue': '',
      },
      { backend: HIGH, frontend: HIGH },
      { backend: ['api/'], frontend: ['web/'] },
    ],
    [
      'a manifest without files',
      { 'package.json': packageOf('react') },
      { frontend: MEDIUM },
      { frontend: [''] },
    ],
    [
      'a package without a framework',
      { 'package.json': packageOf('lodash'), 'a.ts': '' },
      { node: HIGH },
      { node: [''] },
    ],
    [
      'a library that is tested with a framework',
      { 'package.json': JSON.stringify({ devDependencies: { express: '5', react: '19' } }), 'a.ts': '' },
      { node: HIGH },
      { node: [''] },
    ],
    [
      'a component library',
      { 'package.json': JSON.stringify({ peerDependencies: { react: '19' } }), 'a.tsx': '' },
      { frontend: HIGH },
      { frontend: [''] },
    ],
    [
      'a service below a root without one',
      { 'package.json': packageOf('lodash'), 'api/package.json': packageOf('koa'), 'api/a.ts': '' },
      { backend: HIGH, node: HIGH },
      { backend: ['api/'], node: [''] },
    ],
    [
      'a package.json of tools alone',
      { 'package.json': '{}', 'go.mod': '', 'a.go': '' },
      { go: HIGH },
      { go: [''] },
    ],
    ['scripts without a package', { 'a.js': '', 'b.mjs': '' }, { node: LOW }, { node: [''] }],
    ['a package that cannot be read', { 'package.json': '{', 'a.ts': '' }, { node: LOW }, { node: [''] }],
    ['the folder alone', { 'apps/backend/a.ts': '' }, { backend: LOW }, { backend: ['apps/backend/'] }],
    [
      'the folder with many files',
      { 'apps/web/a.tsx': '', 'apps/web/b.ts': '', 'apps/web/c.js': '' },
      { frontend: MEDIUM },
      { frontend: ['apps/web/'] },
    ],
    ['one file of Swift', { 'Sources/a.swift': '' }, { ios: LOW }, { ios: [''] }],
    ['a Swift package', { 'Package.swift': '', 'Sources/a.swift': '' }, { ios: HIGH }, { ios: [''] }],
    [
      'an Xcode project',
      { 'app/App.xcodeproj/project.pbxproj': '', 'app/a.swift': '' },
      { ios: HIGH },
      { ios: ['app/'] },
    ],
    [
      'Android by its plug-in',
      { 'app/build.gradle.kts': 'plugins { id("com.android.application") }', 'app/src/A.kt': '' },
      { android: HIGH },
      { android: ['app/'] },
    ],
    [
      'Kotlin without Android',
      { 'build.gradle': 'plugins { id "org.jetbrains.kotlin.jvm" }', 'src/A.kt': '' },
      { java: HIGH },
      { java: [''] },
    ],
    ['Kotlin alone', { 'src/A.kt': '' }, { android: LOW }, { android: [''] }],
    ['Maven', { 'pom.xml': '', 'src/A.java': '' }, { java: HIGH }, { java: [''] }],
    ['Python', { 'requirements-dev.txt': '', 'a.py': '' }, { python: HIGH }, { python: [''] }],
    ['Go', { 'go.mod': '', 'a.go': '' }, { go: HIGH }, { go: [''] }],
    [
      'a folder that is none of it',
      { 'apps/android/README.md': '' },
      { android: { detected: false, confidence: 'LOW' } },
      {},
    ],
    ['third-party code', { 'node_modules/x/package.json': packageOf('react'), 'vendor/a.go': '' }, {}, {}],
  ])('are found in %s', (_, files, platforms, roots) => {
    expect(detect(files)).toEqual({ platforms, roots })
  })

  it('do not depend on the order of files', () => {
    const files = { 'go.mod': '', 'b.go': '', 'apps/ios/a.swift': '', 'pyproject.toml': '', 'x.py': '' }
    const backwards = Object.fromEntries(Object.entries(files).reverse())
    expect(JSON.stringify(detect(files))).toBe(JSON.stringify(detect(backwards)))
  })

  it('ask only for the manifests whose text decides, from the top down', () => {
    expect(manifestsToRead(['b/package.json', 'go.mod', 'a/x/build.gradle', 'package.json'])).toEqual([
      'package.json',
      'b/package.json',
      'a/x/build.gradle',
    ])
  })
})
