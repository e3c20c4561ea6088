import { pushTo } from '../../../kernel/multimap.ts'
import { isImportOf } from '../../source/go-imports.ts'
import type { Method, SourceUnit } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

interface FunctionPlace {
  /** The folder of the file that names the function. */
  readonly folder: string
  readonly module: string | undefined
  readonly isMethod: boolean
}

export interface FoundFunction {
  readonly unit: SourceUnit
  readonly method: Method
}

/** Functions of all Go files by their simple names, and packages by the last segment of their folders. */
class FunctionIndex {
  readonly #byName = new Map<string, FoundFunction[]>()
  readonly #byFolder = new Map<string, SourceUnit[]>()

  constructor(units: readonly SourceUnit[]) {
    for (const unit of units)
      if (unit.language === 'go') {
        pushTo(this.#byFolder, unit.package.slice(unit.package.lastIndexOf('/') + 1), unit)
        for (const method of unit.functions)
          pushTo(this.#byName, method.name.slice(method.name.lastIndexOf('.') + 1), { unit, method })
      }
  }

  /** How many functions have a simple name. */
  count(name: string): number {
    return this.#byName.get(name)?.length ?? 0
  }

  /** The file of an imported package that declares a variable or constant. */
  unitOf(module: string, from: SourceUnit, variable: string): SourceUnit | undefined {
    return (this.#byFolder.get(module.slice(module.lastIndexOf('/') + 1)) ?? []).find(
      (unit) =>
        isImportOf(module, unit.package, from.package) &&
        unit.topLevel.locals.some(({ name }) => name === variable),
    )
  }

  find(name: string, { folder, module, isMethod }: FunctionPlace): FoundFunction | undefined {
    const found = (this.#byName.get(name) ?? []).filter(
      ({ method }) => method.name.includes('.') === isMethod,
    )
    if (module !== undefined) return found.find(({ unit }) => isImportOf(module, unit.package, folder))
    return (
      found.find(({ unit }) => unit.package === folder) ??
      (isMethod && found.length === 1 ? found[0] : undefined)
    )
  }
}

const indexes = new WeakMap<object, FunctionIndex>()

export const goFunctions = ({ index }: TypeScope): FunctionIndex => {
  const known = indexes.get(index)
  if (known !== undefined) return known
  const made = new FunctionIndex(index.units)
  indexes.set(index, made)
  return made
}
