import { pushTo } from '../../../kernel/multimap.ts'
import { memoized } from '../../source/memoized.ts'
import type { SourceIndex } from '../../source/source-index.ts'
import {
  bodiesOf,
  type Method,
  type SourceUnit,
  simpleName,
  type TypeUnit,
} from '../../source/source-unit.ts'

/** A function outside of types, or a method. */
export interface FunctionPlace {
  readonly unit: SourceUnit
  readonly type?: TypeUnit
  readonly method: Method
}

/** All functions and methods of a file. */
export const functionsOf = (unit: SourceUnit): readonly FunctionPlace[] => [
  ...unit.functions.map((method) => ({ unit, method })),
  ...unit.types.flatMap((type) => bodiesOf(type).map((method) => ({ unit, type, method }))),
]

const ROUTER_TYPES = new Set(['Route', 'Routing', 'Application', 'RootRoute', 'RoutingNode', 'RoutingRoot'])

/** Whether a function gets a router: as its receiver, `fun Route.users()`, or as a parameter. */
export const getsRouter = ({ parameters }: Method): boolean =>
  parameters.some(({ type }) => ROUTER_TYPES.has(simpleName(type)))

/** Functions of Kotlin that get a router, by their names. */
class RouteFunctions {
  readonly #byName = new Map<string, FunctionPlace[]>()

  constructor(units: readonly SourceUnit[]) {
    for (const unit of units)
      if (unit.language === 'kotlin')
        for (const place of functionsOf(unit))
          if (getsRouter(place.method)) pushTo(this.#byName, place.method.name, place)
  }

  /** In the same file, imported, or in the same package; else the only one of the name. */
  find(name: string, from: SourceUnit): FunctionPlace | undefined {
    const found = this.#byName.get(name) ?? []
    return (
      found.find(({ unit }) => unit.file === from.file) ??
      found.find(({ unit }) => from.imports.includes(`${unit.package}.${name}`)) ??
      found.find(({ unit }) => unit.package === from.package && sharesModule(unit.file, from.file)) ??
      (found.length === 1 ? found[0] : undefined)
    )
  }
}

const sharesModule = (a: string, b: string): boolean =>
  a.replace(/(^|\/)src\/.*$/, '') === b.replace(/(^|\/)src\/.*$/, '')

export const routeFunctions = memoized(({ units }: SourceIndex) => new RouteFunctions(units))
