import { isRecord, jsonOf } from '../../kernel/encoding/json.ts'

/** JavaScript and TypeScript without a web framework. */
export const NODE_PLATFORM = 'node'

/** npm packages whose presence among the dependencies means a platform. */
const PLATFORM_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  backend: ['express', '@nestjs/core', '@nestjs/common', 'fastify', 'koa', '@hapi/hapi', 'hono'],
  frontend: ['react', 'next', 'vue', 'nuxt', '@angular/core', 'svelte', 'preact', 'solid-js', 'astro'],
}

const parsePackage = (text: string): Record<string, unknown> | undefined => {
  const value = jsonOf(text)
  return isRecord(value) ? value : undefined
}

const readPackage = (text: string): readonly string[] => {
  const value = parsePackage(text)
  if (value === undefined) return []
  // Without `devDependencies`: a library that is tested with a framework is not built on it.
  const { dependencies, peerDependencies } = value
  const lists = [dependencies, peerDependencies].filter(isRecord)
  const names = new Set(lists.flatMap((list) => Object.keys(list)))
  const platforms = Object.keys(PLATFORM_PACKAGES).filter((platform) =>
    PLATFORM_PACKAGES[platform]?.some((name) => names.has(name)),
  )
  return platforms.length === 0 ? [NODE_PLATFORM] : platforms
}

// The plug-in id, or its usual alias in a version catalog.
const ANDROID = /com\.android\b|\bandroid\.(application|library)\b/

interface Manifest {
  /** The platforms that the content means; the content is empty when `needsText` is false. */
  readonly platforms: (text: string) => readonly string[]
  readonly needsText: boolean
}

const byName = (platform: string): Manifest => ({ platforms: () => [platform], needsText: false })
const gradle: Manifest = {
  platforms: (text) => [ANDROID.test(text) ? 'android' : 'java'],
  needsText: true,
}

/** By file name. */
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
/** Such as `requirements-dev.txt`. */
const REQUIREMENTS = /^requirements[^/]*\.txt$/

export const MANIFEST_SUFFIXES: readonly string[] = [...MANIFESTS.keys(), '.txt']

/** Folders with third-party code. */
export const DEPENDENCY_FOLDERS = /(?:^|\/)(?:node_modules|vendor|Pods|Carthage|\.git)\//

export const findManifest = (path: string): Manifest | undefined => {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const manifest = MANIFESTS.get(name) ?? (REQUIREMENTS.test(name) ? byName('python') : undefined)
  return manifest === undefined || DEPENDENCY_FOLDERS.test(path) ? undefined : manifest
}

/** Whether a manifest cannot be parsed, or cannot be read, where its text is undefined. */
export const isBrokenManifest = (path: string, text: string | undefined): boolean =>
  text === undefined || (findManifest(path)?.platforms === readPackage && parsePackage(text) === undefined)

// The manifests nearest to the root are read first: they describe the repository best.
const MAX_MANIFESTS = 200

const depth = (path: string): number => path.split('/').length

export const findManifests = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => findManifest(path) !== undefined)

/** The manifests whose content decides, nearest to the root first. */
export const manifestsToRead = (manifests: readonly string[]): readonly string[] =>
  manifests
    .filter((path) => findManifest(path)?.needsText)
    .sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))
    .slice(0, MAX_MANIFESTS)

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** The folder that a manifest describes: its own, or the one around an Xcode project or `src/main`. */
export const manifestFolder = (path: string): string => {
  const project = /^(.*\/)?[^/]+\.xcodeproj\/project\.pbxproj$/.exec(path)
  if (project !== null) return project[1] ?? ''
  return folderOf(path).replace(/src\/main\/$/, '')
}
