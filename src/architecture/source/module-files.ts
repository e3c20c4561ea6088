import { pushTo } from '../../kernel/multimap.ts'
import { memoized } from './memoized.ts'
import { collapseDots, folderOf, joinPath, nameOf } from './source-files.ts'
import type { SourceIndex } from './source-index.ts'
import type { ImportBinding, SourceUnit } from './source-unit.ts'

interface ImportedModules {
  readonly files: ReadonlySet<string>
  /** Last parts of modules that an alias or a package leads to, without endings; of Python, and imported names. */
  readonly names: ReadonlySet<string>
  /** Folders with a file that another file imports. */
  readonly folders: ReadonlySet<string>
}

const bareName = (path: string): string => nameOf(path).replace(/\.([cm]?[jt]sx?|py)$/, '')

/** Python: every part of a module and every name may be a file. */
const pythonNames = ({ imports, bindings }: SourceUnit): readonly string[] => [
  ...imports.flatMap((module) => module.split('.')),
  ...[...bindings].flatMap(([local, { module, name }]) => [local, name, ...module.split('.')]),
]

const modulesIn = ({ imports, bindings, exports }: SourceUnit): ReadonlySet<string> =>
  new Set([
    ...imports,
    ...[...bindings.values()].map(({ module }) => module),
    ...[...exports.values()].flatMap((one) => (typeof one === 'string' ? [] : [one.module])),
  ])

const usedModules = memoized(({ units, modules }: SourceIndex): ImportedModules => {
  const [files, names, folders] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const unit of units)
    if (unit.language === 'script')
      for (const module of modulesIn(unit)) {
        const file = module.startsWith('.') ? modules.unitOf(module, unit)?.file : undefined
        if (file !== undefined) files.add(file)
        else names.add(bareName(module))
        if (file !== undefined && file !== unit.file) folders.add(folderOf(file))
      }
  const python = units.filter(({ language }) => language === 'python')
  for (const unit of python) for (const name of pythonNames(unit)) names.add(name)
  for (const { file } of python) if (names.has(bareName(file))) folders.add(folderOf(file))
  return { files, names, folders }
})

/** Whether no file of the project imports a file; an import that is not understood counts by its name. */
export const isImportedNowhere = (unit: SourceUnit, index: SourceIndex): boolean => {
  const { files, names } = usedModules(index)
  return !files.has(unit.file) && !names.has(bareName(unit.file))
}

/** Whether others of its folder are imported, and it is not: a program that loads whole folders imports none. */
export const isLeftOut = (unit: SourceUnit, index: SourceIndex): boolean =>
  usedModules(index).folders.has(folderOf(unit.file)) && isImportedNowhere(unit, index)

/**
 * Whether an import path in one folder names the package in another one. The name of a Go module need not be that of
 * its folder: `example.com/orders/config` may be `services/orders-service/config` for the files beside it.
 */
export const isImportOf = (module: string, folder: string, from: string): boolean => {
  let rest = folder
  for (let root = ''; rest !== ''; ) {
    if (module === rest || module.endsWith(`/${rest}`)) return true
    const [step = ''] = rest.split('/', 1)
    root = root === '' ? step : `${root}/${step}`
    if (from !== root && !from.startsWith(`${root}/`)) return false
    rest = rest.slice(step.length + 1)
  }
  return false
}

const SCRIPT_ENDINGS = ['', '.ts', '.tsx', '.js', '.jsx', '.mts', '.cts', '.mjs', '.cjs']
const PYTHON_ENDINGS = ['.py', '/__init__.py']
/** Re-exports of re-exports. */
const MAX_HOPS = 6
/** Bounds the work on a project whose files all have one name. */
const MAX_CANDIDATES = 200

/** The number of leading folders that two paths share. */
const sharedFolders = (a: string, b: string): number => {
  const [one, other] = [a.split('/'), b.split('/')]
  let at = 0
  while (at < one.length - 1 && one[at] === other[at]) at += 1
  return at
}

/** A declared name and the file that declares it. */
interface DeclaredName {
  readonly unit: SourceUnit
  readonly name: string
}

/** Finds the files of imported modules and the declarations of imported names. For scripts and Python. */
export class ModuleFiles {
  readonly #units: ReadonlyMap<string, SourceUnit>
  /** Paths by their last segment. */
  readonly #byName = new Map<string, string[]>()

  constructor(units: readonly SourceUnit[]) {
    this.#units = new Map(units.map((unit) => [unit.file, unit]))
    for (const { file } of units) pushTo(this.#byName, file.slice(file.lastIndexOf('/') + 1), file)
  }

  unitOf(module: string, from: SourceUnit): SourceUnit | undefined {
    const path = from.language === 'python' ? this.#pythonFile(module, from) : this.#scriptFile(module, from)
    return path === undefined ? undefined : this.#units.get(path)
  }

  #first(base: string, endings: readonly string[]): string | undefined {
    const path = collapseDots(base)
    if (path === undefined) return undefined
    const found = endings.find((ending) => this.#units.has(`${path}${ending}`))
    return found === undefined ? undefined : `${path}${found}`
  }

  /** The file nearest to `from` whose path ends with one of these. */
  #nearest(suffixes: readonly string[], from: SourceUnit): string | undefined {
    const found = suffixes.flatMap((suffix) =>
      (this.#byName.get(suffix.slice(suffix.lastIndexOf('/') + 1)) ?? [])
        .slice(0, MAX_CANDIDATES)
        .filter((path) => path === suffix || path.endsWith(`/${suffix}`)),
    )
    const ranked = found
      .map((path) => ({ path, shared: sharedFolders(path, from.file) }))
      .sort((a, b) => b.shared - a.shared || a.path.length - b.path.length)
    return ranked[0]?.path
  }

  #scriptFile(module: string, from: SourceUnit): string | undefined {
    // TypeScript names the file that the compiler writes.
    const bare = module.replace(/\.[cm]?jsx?$/, '')
    const endings = [...SCRIPT_ENDINGS, ...SCRIPT_ENDINGS.slice(1).map((ending) => `/index${ending}`)]
    if (module.startsWith('.')) {
      const base = joinPath(folderOf(from.file), bare)
      return this.#first(joinPath(folderOf(from.file), module), ['']) ?? this.#first(base, endings)
    }
    // Aliases of a compiler or bundler: `@/routes/users`, `~/db`, `src/app`, `#lib/x`.
    const [, rest] = /^(?:@\/|~\/?|#\/?|src\/)(.+)$/.exec(bare) ?? []
    return rest === undefined
      ? undefined
      : this.#nearest(
          endings.slice(1).map((ending) => `${rest}${ending}`),
          from,
        )
  }

  #pythonFile(module: string, from: SourceUnit): string | undefined {
    const dots = /^\.*/.exec(module)?.[0].length ?? 0
    const steps = module.slice(dots).split('.').filter(Boolean).join('/')
    if (dots === 0)
      return this.#nearest(
        PYTHON_ENDINGS.map((ending) => `${steps}${ending}`),
        from,
      )
    const folder = joinPath(folderOf(from.file), '../'.repeat(dots - 1))
    return this.#first(joinPath(folder, steps), PYTHON_ENDINGS) ?? this.#first(folder, ['/__init__.py'])
  }

  /** The declaration that a name in a file refers to, through imports and re-exports. */
  declaration(name: string, from: SourceUnit): DeclaredName {
    let at: DeclaredName = { unit: from, name }
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      const binding = at.unit.bindings.get(at.name) ?? this.#wildcard(at)
      const next = binding === undefined ? undefined : this.exported(binding, at.unit)
      if (next === undefined) return at
      at = next
    }
    return at
  }

  /** One text for each declaration. */
  declarationKey(name: string, from: SourceUnit): string {
    const declared = this.declaration(name, from)
    return `${declared.unit.file}\0${declared.name}`
  }

  /** The nearest settings of Django, whose module is named in the environment. */
  #djangoSettings(from: SourceUnit): DeclaredName | undefined {
    const modules = ['settings', 'settings.base', 'settings.defaults', 'settings.common']
    const units = from.language === 'python' ? modules.flatMap((one) => this.unitOf(one, from) ?? []) : []
    const unit = units.find(({ topLevel }) => topLevel.locals.length > 0)
    return unit === undefined ? undefined : { unit, name: '*' }
  }

  /** Python: `from module import *` binds the names that the module declares. */
  #wildcard({ unit, name }: DeclaredName): ImportBinding | undefined {
    if (unit.language !== 'python' || name === '*' || declaresName(unit, name)) return undefined
    for (const [key, { module }] of unit.bindings) {
      const other = key.startsWith('* ') ? this.unitOf(module, unit) : undefined
      if (other !== undefined && declaresName(other, name)) return { module, name }
    }
    return undefined
  }

  /** The declaration of a name that a module exports; undefined when the module is not in the project. */
  exported({ module, name }: ImportBinding, from: SourceUnit, hops = 0): DeclaredName | undefined {
    if (module === 'django.conf' && name === 'settings') return this.#djangoSettings(from)
    const unit = this.unitOf(module, from)
    if (unit === undefined) {
      // Python: `from app.routers import users` may name a file.
      const submodule =
        from.language === 'python' ? this.unitOf(pythonSubmodule(module, name), from) : undefined
      return submodule === undefined ? undefined : { unit: submodule, name: '*' }
    }
    // `from . import users` in a package binds the name that it imports.
    if (unit.language === 'python' && name !== '*' && (unit === from || !declaresName(unit, name))) {
      const submodule = this.unitOf(pythonSubmodule(module, name), from)
      if (submodule !== undefined) return { unit: submodule, name: '*' }
    }
    const found = unit.exports.get(name)
    // Files may export the names of each other.
    if (typeof found === 'object')
      return (hops < MAX_HOPS ? this.exported(found, unit, hops + 1) : undefined) ?? { unit, name }
    return (
      (found === undefined ? this.#starred(unit, name, hops) : undefined) ?? { unit, name: found ?? name }
    )
  }

  /** The declaration of a name that a script exports by `export * from`. */
  #starred(
    unit: SourceUnit,
    name: string,
    hops: number,
    seen = new Set<SourceUnit>(),
  ): DeclaredName | undefined {
    if (hops > MAX_HOPS || name === '*' || name === 'default') return undefined
    for (const [key, value] of unit.exports) {
      if (!key.startsWith('* ') || typeof value === 'string') continue
      const other = this.unitOf(value.module, unit)
      if (other === undefined || seen.has(other)) continue
      seen.add(other)
      const found = other.exports.has(name)
        ? this.exported({ module: value.module, name }, unit, hops + 1)
        : this.#starred(other, name, hops + 1, seen)
      if (found !== undefined) return found
    }
    return undefined
  }
}

const pythonSubmodule = (module: string, name: string): string =>
  module.endsWith('.') ? `${module}${name}` : `${module}.${name}`

const declaresName = (unit: SourceUnit, name: string): boolean =>
  unit.bindings.has(name) ||
  unit.topLevel.locals.some((one) => one.name === name) ||
  unit.functions.some((one) => one.name === name) ||
  unit.types.some((one) => one.name === name)
