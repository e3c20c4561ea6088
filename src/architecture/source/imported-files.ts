import type { ModuleFiles } from './module-files.ts'
import { folderOf, nameOf } from './source-files.ts'
import type { SourceIndex } from './source-index.ts'
import type { SourceUnit } from './source-unit.ts'

interface ImportedModules {
  readonly files: ReadonlySet<string>
  /** Last parts of modules that an alias or a package leads to, without endings; of Python, and imported names. */
  readonly names: ReadonlySet<string>
  /** Folders with a file that another file imports. */
  readonly folders: ReadonlySet<string>
}

const IMPORTED = new WeakMap<SourceIndex, ImportedModules>()

const plainName = (path: string): string => nameOf(path).replace(/\.([cm]?[jt]sx?|py)$/, '')

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

const importedModules = (index: SourceIndex, modules: ModuleFiles): ImportedModules => {
  const known = IMPORTED.get(index)
  if (known !== undefined) return known
  const [files, names, folders] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const unit of index.units)
    if (unit.language === 'script')
      for (const module of modulesIn(unit)) {
        const file = module.startsWith('.') ? modules.unitOf(module, unit)?.file : undefined
        if (file !== undefined) files.add(file)
        else names.add(plainName(module))
        if (file !== undefined && file !== unit.file) folders.add(folderOf(file))
      }
  const python = index.units.filter(({ language }) => language === 'python')
  for (const unit of python) for (const name of pythonNames(unit)) names.add(name)
  for (const { file } of python) if (names.has(plainName(file))) folders.add(folderOf(file))
  const found = { files, names, folders }
  IMPORTED.set(index, found)
  return found
}

/** Whether no file of the project imports a file; an import that is not understood counts by its name. */
export const isImportedNowhere = (unit: SourceUnit, index: SourceIndex, modules: ModuleFiles): boolean => {
  const { files, names } = importedModules(index, modules)
  return !files.has(unit.file) && !names.has(plainName(unit.file))
}

/** Whether others of its folder are imported, and it is not: a program that loads whole folders imports none. */
export const isLeftOut = (unit: SourceUnit, index: SourceIndex, modules: ModuleFiles): boolean =>
  importedModules(index, modules).folders.has(folderOf(unit.file)) && isImportedNowhere(unit, index, modules)
