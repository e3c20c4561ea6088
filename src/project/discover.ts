import { Fault } from '../kernel/fault.ts'
import { type Entry, type Folder, jailFaults } from '../kernel/jail.ts'
import type { Desk } from './desk.ts'
import { compileGlob } from './glob.ts'
import { type Dependency, type Pom, readPom } from './maven.ts'
import { isClutter, SENTINEL_RULES, showName } from './rules.ts'
import { decodeText } from './text.ts'
import { namesOf, walkTree } from './walk.ts'
import { gradleModules, npmModules, pnpmModules } from './workspaces.ts'

export interface Package {
  readonly name: string
  readonly files: readonly string[]
  /** Classes directly in it: `package-info` and `module-info` are none. */
  readonly classes: number
}

export interface Module {
  readonly name: string
  /** From the root of the project, `.` for itself. */
  readonly path: string
  readonly parent?: string
  readonly maven?: Omit<Pom, 'dependencies'>
  readonly packages: readonly Package[]
}

export interface Discovery {
  readonly kind: 'maven' | 'gradle' | 'npm' | 'plain'
  readonly modules: readonly Module[]
  readonly dependencies: readonly (Dependency & { readonly module: string; readonly inHouse: boolean })[]
  readonly statistics: {
    readonly javaFiles: number
    readonly packages: number
    readonly configFiles: number
    readonly largestPackage?: string
  }
  readonly warnings: readonly string[]
}

const MAX_BUILD_FILE = 1024 * 1024
const MAX_MODULES = 500
const MAX_WARNINGS = 50
const CONFIG = /\.(properties|ya?ml|xml)$/i

/** Where a module's words lead, as names from the root of the project; undefined when that is outside. */
const stepsFrom = (base: readonly string[], words: string): readonly string[] | undefined => {
  const steps = [...base]
  for (const name of words.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') steps.push(name)
    else if (steps.pop() === undefined) return undefined
  }
  return words.startsWith('/') || words.includes('\\') ? undefined : steps
}

/** Goes down by names from a folder and looks; every folder on the way is let go of again. */
const below = <T>(folder: Folder, steps: readonly string[], use: (folder: Folder) => T): T | undefined => {
  const [name, ...rest] = steps
  if (name === undefined) return use(folder)
  const child = folder.enter(name)
  if (child === undefined) return undefined
  try {
    return below(child, rest, use)
  } finally {
    child.close()
  }
}

/** One look through a project: what its build files say, and what lies in the folders they name. */
class Survey {
  readonly modules: Module[] = []
  readonly dependencies: (Dependency & { module: string })[] = []
  readonly warnings: string[] = []
  configFiles = 0
  readonly #desk: Desk
  readonly #root: Folder
  readonly #seen = new Set<string>()

  constructor(desk: Desk, root: Folder) {
    this.#desk = desk
    this.#root = root
  }

  warn(words: string): void {
    if (this.warnings.length < MAX_WARNINGS) this.warnings.push(words)
  }

  text(steps: readonly string[], name: string): string | undefined {
    const file = below(this.#root, steps, (folder) => folder.read(name, MAX_BUILD_FILE))
    if (file === undefined) return undefined
    try {
      return decodeText(file.bytes, name).text
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      this.warn(`${showName([...steps, name].join('/'))} is not text`)
      return undefined
    }
  }

  /** A module and those below it. False when there is nothing of the kind. */
  maven(steps: readonly string[], parent?: string): boolean {
    const path = steps.join('/') || '.'
    if (this.#seen.has(path) || this.#seen.size >= MAX_MODULES) return true
    this.#desk.watch()
    const source = this.text(steps, 'pom.xml')
    if (source === undefined) return false
    this.#seen.add(path)
    const { dependencies, ...pom } = this.#pom(source, path)
    const name = pom.artifactId ?? steps.at(-1) ?? '.'
    this.#add({ name, path, ...(parent !== undefined && { parent }), maven: pom })
    this.dependencies.push(...dependencies.map((one) => ({ module: name, ...one })))
    for (const module of pom.modules) this.#child(steps, module, name)
    return true
  }

  #pom(source: string, path: string): Pom {
    try {
      return readPom(source)
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      this.warn(`${path}: the pom was not read, ${thrown.message}`)
      return { packaging: 'jar', modules: [], dependencies: [] }
    }
  }

  #child(steps: readonly string[], words: string, parent: string): void {
    // A module may be named by its file.
    const folder = words.replace(/(^|\/)[^/]*\.xml$/, '')
    const there = stepsFrom(steps, folder)
    if (there === undefined)
      this.warn(`module ${showName(words)} of ${parent} lies outside the project: skipped`)
    else if (!this.maven(there, parent))
      this.warn(`module ${showName(words)} of ${parent} has no pom.xml: skipped`)
  }

  /** Modules that are folders and no more: Gradle's and npm's. */
  folders(patterns: readonly string[]): void {
    const wanted = patterns
      .filter((pattern) => !pattern.startsWith('!'))
      .map((one) => one.replace(/\/+$/, ''))
    const refused = patterns
      .filter((pattern) => pattern.startsWith('!'))
      .map((one) => compileGlob(one.slice(1)))
    const tests = wanted.map((pattern) => compileGlob(pattern))
    const depth = 1 + Math.max(0, ...wanted.map((one) => (one.includes('**') ? 6 : one.split('/').length)))
    walkTree(this.#desk, this.#root, { depth, ignores: true, exclude: () => false }, (entry, names) => {
      if (entry.kind !== 'directory' || entry.name === 'node_modules') return 'skip'
      const steps = names.slice(namesOf(this.#root.path).length)
      const hit = tests.some((test) => test(steps)) && !refused.some((test) => test(steps))
      if (hit && this.modules.length < MAX_MODULES)
        this.#add({ name: steps.at(-1) ?? '.', path: steps.join('/') })
      return 'go'
    })
  }

  plain(): void {
    this.#add({ name: '.', path: '.' })
  }

  #add(module: Omit<Module, 'packages'>): void {
    const steps = module.path === '.' ? [] : module.path.split('/')
    const packages =
      below(this.#root, [...steps, 'src', 'main', 'java'], (folder) => this.#packages(folder)) ?? []
    const config =
      below(this.#root, [...steps, 'src', 'main', 'resources'], (folder) => this.#count(folder)) ?? 0
    this.configFiles += config
    this.modules.push({ ...module, packages })
  }

  #count(folder: Folder): number {
    let found = 0
    walkTree(this.#desk, folder, OPTIONS, ({ name, kind }) => {
      if (kind === 'file' && CONFIG.test(name)) found += 1
      return 'go'
    })
    return found
  }

  #packages(folder: Folder): readonly Package[] {
    const start = namesOf(folder.path).length
    const files = new Map<string, string[]>()
    const end = walkTree(this.#desk, folder, OPTIONS, (entry: Entry, names) => {
      if (isClutter(entry)) return 'skip'
      if (entry.kind !== 'file' || !entry.name.endsWith('.java')) return 'go'
      const name = names.slice(start, -1).map(showName).join('.')
      files.set(name, [...(files.get(name) ?? []), showName(entry.name)])
      return 'go'
    })
    if (end.cut) this.warn(`${showName(folder.path)}: too many files to see all of them`)
    const isClass = (name: string) => !/^(package|module)-info\.java$/.test(name)
    return [...files]
      .map(([name, all]) => ({ name, files: all, classes: all.filter(isClass).length }))
      .sort((one, other) => (one.name < other.name ? -1 : 1))
  }
}

const OPTIONS = { depth: 64, ignores: true, exclude: () => false }

const surveyRoot = (survey: Survey): Discovery['kind'] => {
  if (survey.maven([])) return 'maven'
  const settings = survey.text([], 'settings.gradle') ?? survey.text([], 'settings.gradle.kts')
  const gradle = settings ?? survey.text([], 'build.gradle') ?? survey.text([], 'build.gradle.kts')
  survey.plain()
  if (gradle !== undefined) {
    survey.folders(gradleModules(settings ?? ''))
    return 'gradle'
  }
  const manifest = survey.text([], 'package.json')
  if (manifest === undefined) return 'plain'
  survey.folders([...npmModules(manifest), ...pnpmModules(survey.text([], 'pnpm-workspace.yaml') ?? '')])
  return 'npm'
}

export interface DiscoverArgs {
  readonly path: string
  /** A part of the group of what counts as made in house; otherwise the project's own group does. */
  readonly orgPattern?: string | undefined
}

/** What the project is made of, from its build files and folders. Nothing is run and nothing fetched. */
export const discoverProject = (desk: Desk, { path, orgPattern }: DiscoverArgs): Discovery =>
  desk.jail.within(path, SENTINEL_RULES, (root) => {
    const survey = new Survey(desk, root)
    const kind = surveyRoot(survey)
    const { modules, warnings, configFiles } = survey
    const own = orgPattern ?? modules[0]?.maven?.groupId
    const packages = modules.flatMap((module) => module.packages)
    const largest = packages.reduce<Package | undefined>(
      (most, one) => (most === undefined || one.files.length > most.files.length ? one : most),
      undefined,
    )
    if (modules.length === 0) throw jailFaults.not_found('there is no project here')
    return {
      kind,
      modules: [...modules].sort((one, other) => (one.path < other.path ? -1 : 1)),
      dependencies: survey.dependencies.map((one) => ({
        ...one,
        inHouse: own !== undefined && own !== '' && one.groupId.includes(own),
      })),
      statistics: {
        javaFiles: packages.reduce((sum, { files }) => sum + files.length, 0),
        packages: packages.length,
        configFiles,
        ...(largest !== undefined && { largestPackage: largest.name }),
      },
      warnings,
    }
  })
