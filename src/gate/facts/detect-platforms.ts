import { GENERIC_PLATFORM, platformOf } from '../../evidence/path-platform.ts'
import type { Confidence, Platform } from '../../evidence/schema.ts'
import { extensionOf, LANGUAGES } from '../../kernel/text/languages.ts'
import type { PlatformRoots } from '../rules/paths-by-rule.ts'
import {
  DEPENDENCY_FOLDERS,
  findManifest,
  findManifests,
  MANIFEST_SUFFIXES,
  manifestFolder,
  NODE_PLATFORM,
} from './manifests.ts'

export interface Detection {
  readonly platforms: Readonly<Record<string, Platform>>
  readonly roots: PlatformRoots
}

const { typescript, tsx, javascript, swift, kotlin, java, python, go } = LANGUAGES

const SCRIPTS: readonly string[] = [
  ...typescript.extensions,
  ...tsx.extensions,
  ...javascript.extensions,
  'vue',
  'svelte',
]

/** Platform → extensions of its source files. */
export const PLATFORM_EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  backend: SCRIPTS,
  frontend: SCRIPTS,
  [NODE_PLATFORM]: SCRIPTS,
  ios: swift.extensions,
  android: [...kotlin.extensions, ...java.extensions],
  // Without `kts`: build scripts of Gradle are no sources of the project.
  java: [...java.extensions, 'kt'],
  python: python.extensions,
  go: go.extensions,
}

const PLATFORMS_BY_EXTENSION: ReadonlyMap<string, readonly string[]> = new Map(
  [...new Set(Object.values(PLATFORM_EXTENSIONS).flat())].map((extension) => [
    extension,
    Object.keys(PLATFORM_EXTENSIONS).filter((platform) => PLATFORM_EXTENSIONS[platform]?.includes(extension)),
  ]),
)

const SCRIPT_PLATFORMS = PLATFORMS_BY_EXTENSION.get('ts') ?? []

/** Folders that belong to a platform by convention. */
const CONVENTIONAL_FOLDERS = [
  ...['ios', 'backend', 'web', 'frontend', 'android'].map((name) => `apps/${name}/`),
  'ios/',
]
const CONVENTIONAL = new RegExp(`^(?:${CONVENTIONAL_FOLDERS.join('|')})`, 'i')

const withDot = (extension: string): string => `.${extension}`

/** Suffixes and prefixes of paths that can indicate a platform on their own. */
export const SIGNAL_PATHS = {
  ends: [
    ...MANIFEST_SUFFIXES,
    ...[...PLATFORMS_BY_EXTENSION.keys()].filter((one) => !SCRIPTS.includes(one)).map(withDot),
  ],
  starts: CONVENTIONAL_FOLDERS,
} as const
/** Suffixes of scripts, which indicate a platform only below a manifest. */
export const SCRIPT_SUFFIXES: readonly string[] = SCRIPTS.map(withDot)

/** The signals of one platform. */
interface Signals {
  readonly manifests: Set<string>
  readonly conventionalFolders: Set<string>
  files: number
  /** True when files outside any manifest's or conventional folder were found. */
  hasStrayFiles: boolean
}

const SEVERAL_FILES = 3

const confidence = ({ manifests, files }: Signals): Confidence => {
  if (manifests.size > 0 && files > 0) return 'HIGH'
  return manifests.size > 0 || files >= SEVERAL_FILES ? 'MEDIUM' : 'LOW'
}

class PlatformSignals {
  readonly #signals = new Map<string, Signals>()

  of(platform: string): Signals {
    const known = this.#signals.get(platform)
    if (known !== undefined) return known
    const created: Signals = {
      manifests: new Set(),
      conventionalFolders: new Set(),
      files: 0,
      hasStrayFiles: false,
    }
    this.#signals.set(platform, created)
    return created
  }

  readManifests(paths: readonly string[], texts: ReadonlyMap<string, string>): void {
    for (const path of paths) {
      const manifest = findManifest(path)
      if (manifest === undefined || (manifest.needsText && !texts.has(path))) continue
      for (const platform of manifest.platforms(texts.get(path) ?? ''))
        this.of(platform).manifests.add(manifestFolder(path))
    }
  }

  /** Counts a file below the folder of a manifest for the manifest's platform. */
  #countBelowManifest(path: string, platforms: readonly string[]): boolean {
    let counted = false
    for (const platform of platforms) {
      const signals = this.#signals.get(platform)
      if (signals === undefined) continue
      for (const folder of signals.manifests) {
        if (!path.startsWith(folder)) continue
        signals.files += 1
        counted = true
        break
      }
    }
    return counted
  }

  /**
   * Whether a platform with a manifest has no file yet: one script below it is enough. Without such a platform, a few
   * scripts decide how sure `node` is.
   */
  #needsScripts(): boolean {
    const isFound = SCRIPT_PLATFORMS.some(
      (platform) => platform !== NODE_PLATFORM && this.#signals.has(platform),
    )
    const node = this.#signals.get(NODE_PLATFORM)
    if (!isFound && (node === undefined || node.hasStrayFiles)) return (node?.files ?? 0) < SEVERAL_FILES
    return SCRIPT_PLATFORMS.some((platform) => {
      const signals = this.#signals.get(platform)
      return signals !== undefined && signals.manifests.size > 0 && signals.files === 0
    })
  }

  readFiles(paths: readonly string[]): void {
    for (const path of paths) {
      const extension = extensionOf(path)
      const platforms = PLATFORMS_BY_EXTENSION.get(extension)
      const conventional = CONVENTIONAL.exec(path)?.[0]
      if (conventional !== undefined || (platforms !== undefined && !SCRIPTS.includes(extension)))
        this.#readFile(path, platforms, conventional)
    }
  }

  /** The extension of a script does not decide its platform, so reading stops as soon as possible. */
  readScripts(paths: Iterable<string>): void {
    if (!this.#needsScripts()) return
    for (const path of paths) {
      if (!SCRIPTS.includes(extensionOf(path)) || CONVENTIONAL.test(path) || DEPENDENCY_FOLDERS.test(path))
        continue
      if (!this.#countBelowManifest(path, SCRIPT_PLATFORMS)) this.#countStrayScript()
      if (!this.#needsScripts()) return
    }
  }

  /** A script below no manifest of its kind belongs to `node`, unless another platform of scripts was found. */
  #countStrayScript(): void {
    if (SCRIPT_PLATFORMS.some((platform) => this.#signals.get(platform)?.hasStrayFiles === false)) return
    const signals = this.of(NODE_PLATFORM)
    signals.files += 1
    signals.hasStrayFiles = true
  }

  #readFile(path: string, platforms: readonly string[] | undefined, conventional: string | undefined): void {
    if (DEPENDENCY_FOLDERS.test(path) || findManifest(path) !== undefined) return
    const counted = platforms !== undefined && this.#countBelowManifest(path, platforms)
    const platform = platformOf(path)
    if (platform === GENERIC_PLATFORM) return
    if (conventional !== undefined) this.of(platform).conventionalFolders.add(conventional)
    if (counted || !platforms?.includes(platform)) return
    const signals = this.of(platform)
    signals.files += 1
    if (conventional === undefined) signals.hasStrayFiles = true
  }

  result(): Detection {
    // A package.json without scripts is often the manifest of tools for other languages.
    if (this.#signals.get(NODE_PLATFORM)?.files === 0) this.#signals.delete(NODE_PLATFORM)
    const names = [...this.#signals.keys()].sort()
    const entries = names.map((name) => [name, this.of(name)] as const)
    const platforms = entries.map(([name, signals]): [string, Platform] => {
      // A conventional folder without files of the platform does not count as detected.
      const detected = signals.manifests.size > 0 || signals.files > 0
      return [name, { detected, confidence: confidence(signals) }]
    })
    const roots = entries
      .filter(([, { manifests, files }]) => manifests.size > 0 || files > 0)
      .map(([name, { manifests, conventionalFolders, hasStrayFiles }]): [string, readonly string[]] => [
        name,
        hasStrayFiles ? [''] : [...new Set([...manifests, ...conventionalFolders])].sort(),
      ])
    return { platforms: Object.fromEntries(platforms), roots: Object.fromEntries(roots) }
  }
}

/**
 * The platforms of the repository. HIGH: a manifest and files of its platform. MEDIUM: a manifest alone, or several
 * files without one. LOW: one or two files. Only `SIGNAL_PATHS` of `paths` matter; `scripts` are read as far as needed.
 */
export const detectPlatforms = (
  paths: readonly string[],
  texts: ReadonlyMap<string, string>,
  scripts: Iterable<string> = paths,
): Detection => {
  const found = new PlatformSignals()
  found.readManifests(findManifests(paths), texts)
  found.readFiles(paths)
  found.readScripts(scripts)
  return found.result()
}
