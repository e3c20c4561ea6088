import { pushTo } from '../../kernel/multimap.ts'
import { ModuleFiles } from './module-files.ts'
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

const MAX_SAME_NAME = 200
const MAX_BASES = 100

/** Resolves the names in source files to types and constants of the project. */
export class SourceIndex {
  readonly units: readonly SourceUnit[]
  readonly modules: ModuleFiles
  readonly #types = new Map<string, TypeLocation[]>()
  readonly #topLevel = new Map<string, { readonly unit: SourceUnit; readonly variable: Variable }[]>()

  #beans: readonly (TypeLocation & { readonly method: Method })[] | undefined

  constructor(units: readonly SourceUnit[]) {
    this.units = units
    this.modules = new ModuleFiles(units)
    for (const unit of units) {
      for (const type of unit.types) pushTo(this.#types, type.name, { unit, type })
      if (unit.language === 'kotlin' || unit.language === 'go')
        for (const variable of unit.topLevel.locals) pushTo(this.#topLevel, variable.name, { unit, variable })
    }
  }

  /** The type that a name refers to in a file; undefined when it is not in the project or is ambiguous. */
  find(name: string, from: SourceUnit): TypeLocation | undefined {
    const found = this.#types.get(simpleName(name)) ?? []
    if (found.length <= 1) return found[0]
    // Bounds the work: thousands of types of one name are an attack or generated code.
    if (found.length > MAX_SAME_NAME) return undefined
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

  /** A field of a type, of its base class or of its interfaces. */
  field(
    place: TypeLocation,
    name: string,
  ): { readonly place: TypeLocation; readonly variable: Variable } | undefined {
    const places = [place]
    const seen = new Set([place.type])
    for (const at of places) {
      const variable = at.type.fields.find((one) => one.name === name)
      if (variable !== undefined) return { place: at, variable }
      for (const base of this.#bases(at)) {
        // Types may extend each other in a circle, and share their bases.
        if (seen.has(base.type) || seen.size > MAX_BASES) continue
        seen.add(base.type)
        places.push(base)
      }
    }
    return undefined
  }

  #bases({ unit, type }: TypeLocation): readonly TypeLocation[] {
    return [type.extends, ...type.implements].flatMap((name) =>
      name === undefined ? [] : (this.find(name, unit) ?? []),
    )
  }

  /** Methods that make an injected object: `@Bean` of Spring, `@Provides` of Dagger and Hilt. */
  beans(): readonly (TypeLocation & { readonly method: Method })[] {
    this.#beans ??= this.units.flatMap((unit) =>
      unit.types.flatMap((type) =>
        type.methods
          .filter(({ annotations }) => findAnnotation(annotations, 'Bean', 'Provides') !== undefined)
          .map((method) => ({ unit, type, method })),
      ),
    )
    return this.#beans
  }

  /** A top-level constant of Kotlin or Go. */
  topLevel(
    name: string,
    from: SourceUnit,
  ): { readonly unit: SourceUnit; readonly variable: Variable } | undefined {
    const found = this.#topLevel.get(name) ?? []
    return (
      found.find(({ unit }) => unit.file === from.file) ??
      found.find(
        ({ unit }) => from.imports.includes(`${unit.package}.${name}`) || unit.package === from.package,
      )
    )
  }
}
