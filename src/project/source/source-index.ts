import { pushTo } from '../../kernel/multimap.ts'
import {
  findAnnotation,
  type Method,
  type SourceUnit,
  simpleName,
  type TypeUnit,
  type Variable,
} from './source-unit.ts'

export interface TypeLocation {
  readonly unit: SourceUnit
  readonly type: TypeUnit
}

const MAX_BASES = 8
const MAX_NAMESAKES = 200

/** Finds types and constants of the project by the names its files use. */
export class SourceIndex {
  readonly units: readonly SourceUnit[]
  readonly #types = new Map<string, TypeLocation[]>()
  readonly #loose = new Map<string, { readonly unit: SourceUnit; readonly variable: Variable }[]>()

  #beans: readonly (TypeLocation & { readonly method: Method })[] | undefined

  constructor(units: readonly SourceUnit[]) {
    this.units = units
    for (const unit of units) {
      for (const type of unit.types) pushTo(this.#types, type.name, { unit, type })
      if (unit.language === 'kotlin')
        for (const variable of unit.loose.locals) pushTo(this.#loose, variable.name, { unit, variable })
    }
  }

  /** The type a name means in a file. Undefined when it is not ours, or could be several. */
  find(name: string, from: SourceUnit): TypeLocation | undefined {
    const found = this.#types.get(simpleName(name)) ?? []
    if (found.length <= 1) return found[0]
    // So many namesakes are a trick: asking them all, for every name, would take for ever.
    if (found.length > MAX_NAMESAKES) return undefined
    const tests: readonly ((place: TypeLocation) => boolean)[] = [
      ({ unit }) => unit.file === from.file,
      ({ unit, type }) => from.imports.includes(`${unit.package}.${type.name}`),
      ({ unit }) => unit.package === from.package,
      ({ unit }) => from.imports.includes(`${unit.package}.*`),
    ]
    for (const test of tests) {
      const fitting = found.filter(test)
      if (fitting.length > 0) return fitting.length === 1 ? fitting[0] : undefined
    }
    return undefined
  }

  /** A field of a type or of what it extends. */
  field(
    place: TypeLocation,
    name: string,
    depth = 0,
  ): { readonly place: TypeLocation; readonly variable: Variable } | undefined {
    const variable = place.type.fields.find((one) => one.name === name)
    if (variable !== undefined) return { place, variable }
    const above = [place.type.extends, ...place.type.implements].filter((one) => one !== undefined)
    if (depth >= MAX_BASES) return undefined
    for (const one of above) {
      const base = this.find(one, place.unit)
      const found =
        base === undefined || base.type === place.type ? undefined : this.field(base, name, depth + 1)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Methods that make beans. */
  beans(): readonly (TypeLocation & { readonly method: Method })[] {
    this.#beans ??= this.units.flatMap((unit) =>
      unit.types.flatMap((type) =>
        type.methods
          .filter(({ annotations }) => findAnnotation(annotations, 'Bean') !== undefined)
          .map((method) => ({ unit, type, method })),
      ),
    )
    return this.#beans
  }

  /** A constant outside every type, as Kotlin has them. */
  loose(
    name: string,
    from: SourceUnit,
  ): { readonly unit: SourceUnit; readonly variable: Variable } | undefined {
    const found = this.#loose.get(name) ?? []
    return (
      found.find(({ unit }) => unit.file === from.file) ??
      found.find(
        ({ unit }) => from.imports.includes(`${unit.package}.${name}`) || unit.package === from.package,
      )
    )
  }
}
