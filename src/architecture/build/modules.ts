import { pushTo } from '../../kernel/multimap.ts'
import { optional } from '../../kernel/optional.ts'
import { isTestPath } from '../source/discovery-rules.ts'
import {
  folderOf,
  inOrder,
  type ProjectFile,
  type ProjectFiles,
  type Warning,
} from '../source/source-files.ts'
import type { BuildModule } from './build-module.ts'
import type { ModuleView } from './shape.ts'

const SKIP = /(?:\s+|\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|@[\w.:]+(?:\([^()]*\))?|#![^\n]*)/y
const PACKAGE = /package\s+([\p{L}\p{N}_$.`]+)/uy

/** The package of a Java or Kotlin file, read without parsing the file. */
const packageDeclaration = (text: string): string => {
  let at = text.startsWith('\uFEFF') ? 1 : 0
  for (;;) {
    SKIP.lastIndex = at
    if (!SKIP.test(text) || SKIP.lastIndex === at) break
    at = SKIP.lastIndex
  }
  PACKAGE.lastIndex = at
  return PACKAGE.exec(text)?.[1]?.replaceAll('`', '') ?? ''
}

type Packages = Map<string, string[]>

const MAIN = /^src\/main\/(?:java|kotlin|scala)\//
const TEST = /^src\/test\/(?:java|kotlin|scala)\//
const RESOURCES = /^src\/main\/resources\//
const CODE = /\.(java|kt|scala)$/

/** Source files with a class; `module-info` and `package-info` have none. */
const isClassFile = (path: string): boolean =>
  CODE.test(path) && !/(^|\/)(module-info|package-info)\.java$/.test(path)

/** The module of a file: the innermost module folder above it. */
const ownerOf = (folders: ReadonlySet<string>, path: string): string => {
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder))
    if (folders.has(folder)) return folder
  return ''
}

const sortedPackages = (packages: Packages): ModuleView['packages'] =>
  [...packages].sort(([a], [b]) => inOrder(a, b)).map(([name, files]) => ({ name, files: files.sort() }))

class ModuleFiles {
  readonly main: Packages = new Map()
  readonly test: Packages = new Map()
  readonly resources: string[] = []
}

/** Assigns the files of a project to modules and packages. */
export class ModuleSorter {
  readonly warnings: Warning[] = []
  readonly #folders: ReadonlySet<string>
  readonly #byModule = new Map<string, ModuleFiles>()
  readonly #files: ProjectFiles
  readonly #known: ReadonlyMap<string, string>

  constructor(
    modules: readonly BuildModule[],
    files: ProjectFiles,
    known: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#known = known
    this.#folders = new Set(modules.map(({ path }) => path))
    this.#files = files
  }

  add({ path }: ProjectFile): void {
    const owner = ownerOf(this.#folders, path)
    const inside = owner === '' ? path : path.slice(owner.length + 1)
    const module = this.#byModule.get(owner) ?? new ModuleFiles()
    this.#byModule.set(owner, module)
    if (RESOURCES.test(inside)) module.resources.push(path)
    if (!isClassFile(path)) return
    const root = MAIN.exec(inside)?.[0] ?? TEST.exec(inside)?.[0]
    const declared = this.#declaredPackage(path)
    if (root === undefined) pushTo(isTestPath(inside) ? module.test : module.main, declared ?? '', path)
    else {
      const folder = folderOf(inside.slice(root.length)).replaceAll('/', '.')
      this.#checkPackage(path, folder, declared)
      pushTo(MAIN.test(inside) ? module.main : module.test, folder, path)
    }
  }

  #declaredPackage(path: string): string | undefined {
    const known = this.#known.get(path)
    if (known !== undefined) return known
    const text = this.#files.read(path)
    if (text === undefined) {
      this.warnings.push({
        code: 'file_unreadable',
        file: path,
        message: 'the file cannot be read, or is not text',
      })
      return undefined
    }
    return packageDeclaration(text)
  }

  #checkPackage(path: string, folder: string, declared: string | undefined): void {
    if (declared === undefined || declared === folder) return
    // Kotlin folders may omit the common package prefix.
    if (path.endsWith('.kt') && declared.endsWith(folder)) return
    const message = `the file declares the package ${JSON.stringify(declared)}, but its folder is ${JSON.stringify(folder)}`
    this.warnings.push({ code: 'package_mismatch', file: path, message })
  }

  view(module: BuildModule): ModuleView {
    const files = this.#byModule.get(module.path) ?? new ModuleFiles()
    const { groupId, artifactId, version, packaging } = module
    return {
      name: module.name,
      path: module.path === '' ? '.' : module.path,
      tool: module.tool,
      ...optional({ groupId, artifactId, version, packaging }),
      modules: [...module.modules].sort(),
      packages: sortedPackages(files.main),
      testPackages: sortedPackages(files.test),
      resources: files.resources.sort(),
    }
  }
}
