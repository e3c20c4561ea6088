import { isRecord } from '../../kernel/encoding/json.ts'

/** What a package must depend on to belong to a platform. */
const PLATFORM_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  backend: ['express', '@nestjs/core', '@nestjs/common', 'fastify', 'koa', '@hapi/hapi', 'hono'],
  frontend: ['react', 'next', 'vue', 'nuxt', '@angular/core', 'svelte', 'preact', 'solid-js', 'astro'],
}

const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies'] as const

const readPackage = (text: string): readonly string[] => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return []
  }
  if (!isRecord(value)) return []
  const { [DEPENDENCIES[0]]: own, [DEPENDENCIES[1]]: dev, [DEPENDENCIES[2]]: peer } = value
  const names = new Set([own, dev, peer].filter(isRecord).flatMap((list) => Object.keys(list)))
  return Object.keys(PLATFORM_PACKAGES).filter((platform) =>
    PLATFORM_PACKAGES[platform]?.some((name) => names.has(name)),
  )
}

// Written out as a plug-in id, or by its usual alias in a version catalogue.
const ANDROID = /com\.android\b|\bandroid\.(application|library)\b/

interface Manifest {
  /** Which platforms a text stands for; where there is none, the name says it all. */
  readonly platforms: (text: string) => readonly string[]
  readonly needsText: boolean
}

const byName = (platform: string): Manifest => ({ platforms: () => [platform], needsText: false })
const gradle: Manifest = {
  platforms: (text) => [ANDROID.test(text) ? 'android' : 'java'],
  needsText: true,
}

/** By the name of the file. */
const MANIFESTS: ReadonlyMap<string, Manifest> = new Map([
  ['package.json', { platforms: readPackage, needsText: true }],
  ['Package.swift', byName('ios')],
  ['Podfile', byName('ios')],
  ['project.pbxproj', byName('ios')],
  ['build.gradle', gradle],
  ['build.gradle.kts', gradle],
  ['AndroidManifest.xml', byName('android')],
  ['pom.xml', byName('java')],
  ['pyproject.toml', byName('python')],
  ['setup.py', byName('python')],
  ['setup.cfg', byName('python')],
  ['Pipfile', byName('python')],
  ['requirements.txt', byName('python')],
  ['go.mod', byName('go')],
])
/** `requirements-dev.txt` and its kin. */
const REQUIREMENTS = /^requirements[^/]*\.txt$/

/** How the path of a manifest ends. */
export const MANIFEST_SUFFIXES: readonly string[] = [...MANIFESTS.keys(), '.txt']

/** Folders that are somebody else's code. */
export const DEPENDENCY_FOLDERS = /(?:^|\/)(?:node_modules|vendor|Pods|Carthage|\.git)\//

export const findManifest = (path: string): Manifest | undefined => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const known = MANIFESTS.get(name) ?? (REQUIREMENTS.test(name) ? byName('python') : undefined)
  return known === undefined || DEPENDENCY_FOLDERS.test(path) ? undefined : known
}

// Deep and many: what lies nearest to the top says what the repository is.
const MAX_MANIFESTS = 200

const depth = (path: string): number => path.split('/').length

/** The manifests among the files, to be looked for once. */
export const findManifests = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => findManifest(path) !== undefined)

/** Those whose text has to be read, nearest to the top first. */
export const manifestsToRead = (manifests: readonly string[]): readonly string[] =>
  manifests
    .filter((path) => findManifest(path)?.needsText)
    .sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))
    .slice(0, MAX_MANIFESTS)

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** Where a manifest speaks for: its folder, or the one around the project it is packed in. */
export const manifestFolder = (path: string): string => {
  const project = /^(.*\/)?[^/]+\.xcodeproj\/project\.pbxproj$/.exec(path)
  if (project !== null) return project[1] ?? ''
  return folderOf(path).replace(/src\/main\/$/, '')
}
