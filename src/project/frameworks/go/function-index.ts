import type { Method, SourceUnit } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

interface FunctionPlace {
  readonly folder: string | undefined
  readonly module: string | undefined
  readonly isMethod: boolean
}

/** Functions of all Go files by their simple names. */
class FunctionIndex {
  readonly #byName = new Map<string, { readonly unit: SourceUnit; readonly method: Method }[]>()

  constructor(units: readonly SourceUnit[]) {
    for (const unit of units)
      if (unit.language === 'go')
        for (const method of unit.functions) {
          const name = method.name.slice(method.name.lastIndexOf('.') + 1)
          const known = this.#byName.get(name)
          if (known === undefined) this.#byName.set(name, [{ unit, method }])
          else known.push({ unit, method })
        }
  }

  find(name: string, { folder, module, isMethod }: FunctionPlace) {
    const found = (this.#byName.get(name) ?? []).filter(
      ({ method }) => method.name.includes('.') === isMethod,
    )
    if (module !== undefined)
      return found.find(
        ({ unit }) => unit.package !== '' && (module === unit.package || module.endsWith(`/${unit.package}`)),
      )
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
