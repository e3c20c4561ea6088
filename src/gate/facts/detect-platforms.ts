import { GENERIC_PLATFORM, platformOf } from '../../evidence/path-platform.ts'
import type { Confidence, Platform } from '../../evidence/schema.ts'
import { extensionOf, LANGUAGES } from '../../kernel/text/languages.ts'
import type { PlatformRoots } from '../rules/compile.ts'
import {
  DEPENDENCY_FOLDERS,
  findManifest,
  findManifests,
  MANIFEST_SUFFIXES,
  manifestFolder,
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

/** Extensions that count as files of a platform. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  backend: SCRIPTS,
  frontend: SCRIPTS,
  ios: swift.extensions,
  android: [...kotlin.extensions, ...java.extensions],
  // Without `kts`: build scripts of Gradle are no sources of the project.
  java: [...java.extensions, 'kt'],
  python: python.extensions,
  go: go.extensions,
}

/** The platforms that have files with an extension. */
const PLATFORMS_BY_EXTENSION: ReadonlyMap<string, readonly string[]> = new Map(
  [...new Set(Object.values(EXTENSIONS).flat())].map((extension) => [
    extension,
    Object.keys(EXTENSIONS).filter((platform) => EXTENSIONS[platform]?.includes(extension)),
  ]),
)

const SCRIPT_PLATFORMS = PLATFORMS_BY_EXTENSION.get('ts') ?? []

/** The folders that make a path belong to a platform by custom alone. */
const CONVENTIONAL_FOLDERS = [
  ...['ios', 'backend', 'web', 'frontend', 'android'].map((name) => `apps/${name}/`),
  'ios/',
]
const CONVENTIONAL = new RegExp(`^(?:${CONVENTIONAL_FOLDERS.join('|')})`, 'i')

const withDot = (extension: string): string => `.${extension}`

/** How the paths look that may tell something by themselves. */
export const SIGNAL_PATHS = {
  ends: [
    ...MANIFEST_SUFFIXES,
    ...[...PLATFORMS_BY_EXTENSION.keys()].filter((one) => !SCRIPTS.includes(one)).map(withDot),
  ],
  starts: CONVENTIONAL_FOLDERS,
} as const
/** How those of scripts end, which tell something only below a manifest. */
export const SCRIPT_SUFFIXES: readonly string[] = SCRIPTS.map(withDot)

/** Signs of one platform, as they are gathered. */
interface Signals {
  readonly manifests: Set<string>
  readonly conventionalFolders: Set<string>
  files: number
  /** Files that no folder explains: their kind alone says what they are. */
  stray: boolean
}

const SEVERAL_FILES = 3

const confidence = ({ manifests, files }: Signals): Confidence => {
  if (manifests.size > 0 && files > 0) return 'HIGH'
  return manifests.size > 0 || files >= SEVERAL_FILES ? 'MEDIUM' : 'LOW'
}

class PlatformSignals {
  readonly #signs = new Map<string, Signals>()

  of(platform: string): Signals {
    const known = this.#signs.get(platform)
    if (known !== undefined) return known
    const fresh: Signals = { manifests: new Set(), conventionalFolders: new Set(), files: 0, stray: false }
    this.#signs.set(platform, fresh)
    return fresh
  }

  readManifests(paths: readonly string[], texts: ReadonlyMap<string, string>): void {
    for (const path of paths) {
      const manifest = findManifest(path)
      if (manifest === undefined || (manifest.needsText && !texts.has(path))) continue
      for (const platform of manifest.platforms(texts.get(path) ?? ''))
        this.of(platform).manifests.add(manifestFolder(path))
    }
  }

  /** Files below a manifest's folder are its platform's. */
  #claim(path: string, owners: readonly string[]): boolean {
    let claimed = false
    for (const platform of owners) {
      const signs = this.#signs.get(platform)
      if (signs === undefined) continue
      for (const folder of signs.manifests) {
        if (!path.startsWith(folder)) continue
        signs.files += 1
        claimed = true
        break
      }
    }
    return claimed
  }

  /** Whether another script could tell us anything: one below each manifest is all there is to know. */
  #needsScripts(): boolean {
    return SCRIPT_PLATFORMS.some((platform) => {
      const signs = this.#signs.get(platform)
      return signs !== undefined && signs.manifests.size > 0 && signs.files === 0
    })
  }

  readFiles(paths: readonly string[]): void {
    for (const path of paths) {
      const extension = extensionOf(path)
      const owners = PLATFORMS_BY_EXTENSION.get(extension)
      const custom = CONVENTIONAL.exec(path)?.[0]
      if (custom !== undefined || (owners !== undefined && !SCRIPTS.includes(extension)))
        this.#readFile(path, owners, custom)
    }
  }

  /** A script belongs to nobody by its kind alone; most are never looked at. */
  readScripts(paths: Iterable<string>): void {
    if (!this.#needsScripts()) return
    for (const path of paths) {
      if (!SCRIPTS.includes(extensionOf(path)) || CONVENTIONAL.test(path) || DEPENDENCY_FOLDERS.test(path))
        continue
      if (this.#claim(path, SCRIPT_PLATFORMS) && !this.#needsScripts()) return
    }
  }

  #readFile(path: string, owners: readonly string[] | undefined, custom: string | undefined): void {
    if (DEPENDENCY_FOLDERS.test(path) || findManifest(path) !== undefined) return
    const claimed = owners !== undefined && this.#claim(path, owners)
    const platform = platformOf(path)
    if (platform === GENERIC_PLATFORM) return
    if (custom !== undefined) this.of(platform).conventionalFolders.add(custom)
    if (claimed || !owners?.includes(platform)) return
    const signs = this.of(platform)
    signs.files += 1
    if (custom === undefined) signs.stray = true
  }

  result(): Detection {
    const names = [...this.#signs.keys()].sort()
    const entries = names.map((name) => [name, this.of(name)] as const)
    const platforms = entries.map(([name, signs]): [string, Platform] => {
      // A folder with a platform's name and none of its files: seen, and not taken for it.
      const detected = signs.manifests.size > 0 || signs.files > 0
      return [name, { detected, confidence: confidence(signs) }]
    })
    const roots = entries
      .filter(([, { manifests, files }]) => manifests.size > 0 || files > 0)
      .map(([name, { manifests, conventionalFolders, stray }]): [string, readonly string[]] => [
        name,
        stray ? [''] : [...new Set([...manifests, ...conventionalFolders])].sort(),
      ])
    return { platforms: Object.fromEntries(platforms), roots: Object.fromEntries(roots) }
  }
}

/**
 * What the repository is made of. HIGH: a manifest and files of its kind. MEDIUM: a manifest alone, or several
 * files without one. LOW: a file or two. Of `paths` only the telling ones matter; `scripts` are read as far as needed.
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
