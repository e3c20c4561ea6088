import { pushTo } from '../../kernel/multimap.ts'
import { memoized } from './memoized.ts'
import type { SourceIndex, TypeLocation } from './source-index.ts'
import {
  bodiesOf,
  type CallExpression,
  type Expression,
  type Method,
  type SourceUnit,
  simpleName,
  type TypeUnit,
  type Variable,
} from './source-unit.ts'

const MAX_DEPTH = 12
/** Types whose methods return the same type, until `build`. */
const FLUENT = /^(WebClient|RestClient|\w*Builder)$/

/** A type without arguments and nullability; `WebClient.Builder` becomes `WebClientBuilder`. */
const normalizeType = (type: string): string => {
  const bare = type.replace(/[<?[].*$/s, '').trim()
  const [, owner] = /(?:^|\.)(\w+)\.Builder$/.exec(bare) ?? []
  return owner === undefined ? simpleName(bare) : `${owner}Builder`
}

/** Locals and parameters of a method by name. */
const variablesOf = memoized((method: Method): ReadonlyMap<string, readonly Variable[]> => {
  const found = new Map<string, Variable[]>()
  for (const one of [...method.locals, ...method.parameters]) pushTo(found, one.name, one)
  return found
})

/** Variables of a Python module, without those of its functions. */
const moduleVariables = memoized((unit: SourceUnit): ReadonlyMap<string, readonly Variable[]> => {
  const keyOf = ({ name, line }: Variable) => `${line} ${name}`
  const inside = new Set(unit.functions.flatMap(({ locals }) => locals.map(keyOf)))
  const found = new Map<string, Variable[]>()
  for (const one of unit.topLevel.locals) if (!inside.has(keyOf(one))) pushTo(found, one.name, one)
  return found
})

/** Resolves the names at one place in the code to variables and types. */
export class TypeScope {
  readonly index: SourceIndex
  readonly unit: SourceUnit
  readonly type: TypeUnit | undefined
  readonly method: Method
  /** Types of names. A name is entered before it is resolved, so that names defined by each other end the search. */
  readonly #types = new Map<string, string>()
  /** Where the code is in a script, whose top level holds the variables of all its functions. */
  readonly #line: number | undefined

  constructor(
    index: SourceIndex,
    unit: SourceUnit,
    type: TypeUnit | undefined,
    method: Method,
    line?: number,
  ) {
    this.index = index
    this.unit = unit
    this.type = type
    this.method = method
    this.#line = line
  }

  get place(): TypeLocation | undefined {
    return this.type === undefined ? undefined : { unit: this.unit, type: this.type }
  }

  /** The scope of another place, with the same index. */
  at(unit: SourceUnit, type: TypeUnit | undefined, method: Method): TypeScope {
    return new TypeScope(this.index, unit, type, method)
  }

  /** The same scope at a line of a script: a name refers to its last declaration before that line. */
  atLine(line: number): TypeScope {
    return new TypeScope(this.index, this.unit, this.type, this.method, line)
  }

  #near(name: string): readonly Variable[] {
    const found = variablesOf(this.method).get(name) ?? []
    const line = this.#line
    if (line === undefined) return found
    const last = found
      .filter((one) => one.line <= line)
      .reduce<Variable | undefined>(
        (best, one) => (best === undefined || one.line >= best.line ? one : best),
        undefined,
      )
    return last === undefined ? found : [last]
  }

  /** Python: locals and parameters hide the names of the module; attributes are assigned in the constructor. */
  #pythonVariables(name: string): readonly Variable[] {
    const near = this.#near(name)
    const { place, unit, method } = this
    const field = place === undefined ? undefined : this.index.field(place, name)?.variable
    const built = place?.type.constructors.flatMap((one) => variablesOf(one).get(name) ?? []) ?? []
    const own = [...near, ...(field === undefined ? [] : [field]), ...built]
    return own.length > 0 || method === unit.topLevel ? own : (moduleVariables(unit).get(name) ?? [])
  }

  /** Declarations and assignments that a simple name may refer to, nearest first. */
  variables(name: string): readonly Variable[] {
    if (this.unit.language === 'python') return this.#pythonVariables(name)
    const near = this.#near(name)
    const { place } = this
    if (place === undefined) return near.length > 0 ? near : this.#outside(name)
    const field = this.index.field(place, name)
    if (field === undefined) {
      // In TypeScript, a parameter of the constructor may declare a field.
      const declared = place.type.constructors.flatMap(({ parameters }) => parameters)
      const outside = variablesOf(this.unit.topLevel).get(name) ?? []
      const own = this.unit.language === 'script' ? declared.filter((one) => one.name === name) : []
      return [...near, ...own, ...outside, ...this.#outside(name)]
    }
    // A field is often assigned in a constructor, from a parameter or from a builder.
    const assigned = field.place.type.constructors.flatMap(({ locals, parameters }) => [
      ...locals,
      ...parameters,
    ])
    return [
      ...near,
      field.variable,
      ...assigned.filter((one) => one.name === name && isInformative(one, name)),
    ]
  }

  /** A property of Kotlin outside of types. */
  #outside(name: string): readonly Variable[] {
    const found = this.unit.language === 'kotlin' ? this.index.topLevel(name, this.unit) : undefined
    return found === undefined ? [] : [found.variable]
  }

  typeOf(expression: Expression | undefined, depth = 0): string {
    if (expression === undefined || depth > MAX_DEPTH) return ''
    if (expression.kind === 'name') return this.#typeOfName(expression.name, depth)
    if (expression.kind !== 'call') return ''
    const { call } = expression
    if (call.makes && call.receiver === undefined) return normalizeType(call.name)
    if (call.receiver === undefined) return this.#returnType(call.name)
    const owner = this.typeOf(call.receiver, depth + 1)
    if (call.name === 'builder' || call.name === 'newBuilder' || call.name === 'Builder')
      return `${owner}Builder`
    if (call.name === 'build' || call.name === 'done') return owner.replace(/Builder$/, '')
    if (call.name === 'create' || call.name === 'newHttpClient') return owner
    return FLUENT.test(owner) ? owner : ''
  }

  #typeOfName(name: string, depth: number): string {
    const known = this.#types.get(name)
    if (known !== undefined) return known
    this.#types.set(name, '')
    const type = this.#resolveName(name, depth)
    this.#types.set(name, type)
    return type
  }

  #resolveName(name: string, depth: number): string {
    const dot = name.lastIndexOf('.')
    if (dot >= 0) return this.#typeOfMember(name.slice(0, dot), name.slice(dot + 1), depth)
    for (const variable of this.variables(name)) {
      const found =
        variable.type === '' ? this.typeOf(variable.value, depth + 1) : normalizeType(variable.type)
      if (found !== '') return found
    }
    return /^[A-Z]/.test(name) ? name : ''
  }

  #typeOfMember(owner: string, member: string, depth: number): string {
    const type = this.typeOf({ kind: 'name', name: owner }, depth + 1)
    const place = type === '' ? undefined : this.index.find(type, this.unit)
    const field = place === undefined ? undefined : this.index.field(place, member)
    if (field !== undefined) return normalizeType(field.variable.type)
    return /^[A-Z]/.test(member) ? member : ''
  }

  #returnType(name: string): string {
    const method = this.type?.methods.find((one) => one.name === name)
    return method === undefined ? '' : normalizeType(method.returns)
  }
}

/** `this.url = url` adds no information. */
const isInformative = ({ value }: Variable, name: string): boolean =>
  value?.kind !== 'name' || value.name !== name

/** An expression and the scope whose names it uses. */
export interface PlacedValue {
  readonly value: Expression
  readonly scope: TypeScope
}

/** A call with the scope around it. */
export interface PlacedCall {
  readonly call: CallExpression
  readonly scope: TypeScope
}

export const callsIn = (
  methods: readonly Method[],
  scope: TypeScope,
  type?: TypeUnit,
): readonly PlacedCall[] =>
  methods.flatMap((method) => {
    const inside = scope.at(scope.unit, type, method)
    return method.calls.map((call) => ({ call, scope: inside }))
  })

/** All calls of a type, each with its scope. */
export const callsOf = (type: TypeUnit, scope: TypeScope): readonly PlacedCall[] => [
  ...type.calls.map((call) => ({ call, scope })),
  ...callsIn(bodiesOf(type), scope, type),
]

/** The calls of a file outside of its types, then those of its types. */
export const fileCalls = (scope: TypeScope): readonly PlacedCall[] => [
  ...scope.unit.topLevel.calls.map((call) => ({ call, scope })),
  ...scope.unit.types.flatMap((type) => callsOf(type, scope.at(scope.unit, type, scope.unit.topLevel))),
]
