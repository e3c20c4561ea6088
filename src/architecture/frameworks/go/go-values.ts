import { pushTo } from '../../../kernel/multimap.ts'
import { memoized } from '../../source/memoized.ts'
import { isImportOf } from '../../source/module-files.ts'
import type { SourceIndex } from '../../source/source-index.ts'
import {
  type CallExpression,
  type Expression,
  type Method,
  NO_METHOD,
  recordEntry,
  type SourceUnit,
} from '../../source/source-unit.ts'
import type { KnownText, TextResolver } from '../../source/text-resolver.ts'
import type { PlacedValue, TypeScope } from '../../source/type-scope.ts'

interface FunctionPlace {
  /** The folder of the file that names the function. */
  readonly folder: string
  readonly module: string | undefined
  readonly isMethod: boolean
}

interface FoundFunction {
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

const goFunctions = memoized(({ units }: SourceIndex) => new FunctionIndex(units))

const MAX_DEPTH = 10
const MAX_STEPS = 300
/** Values from more call sites than this are not of one system. */
const MAX_VALUES = 8

/** Calls whose text is that of their first argument. */
const RETURNS_ARGUMENT =
  /^(Trim\w*|ToLower|ToUpper|Split|String|StringPtr|Parse|ParseRequestURI|MustParse|Sprint|Clean|Must)$/

interface CallSite {
  readonly call: CallExpression
  readonly unit: SourceUnit
  readonly method: Method
}

/** `*config.Database` and `(*Database, error)` are `Database`. */
const bareType = (type: string): string =>
  (/^[(*&[\]\s]*(?:\w+\.)?(\w+)/.exec(type)?.[1] ?? '').replace(/^(string|error)$/, '')

/** Where functions are called and fields of structs are set, in all Go files. */
class GoCallIndex {
  readonly #calls = new Map<string, CallSite[]>()
  /** By type and field. */
  readonly #fields = new Map<string, (CallSite & { readonly value: Expression })[]>()

  constructor(units: readonly SourceUnit[]) {
    for (const unit of units) if (unit.language === 'go') this.#add(unit)
  }

  #add(unit: SourceUnit): void {
    for (const method of [...unit.functions, unit.topLevel])
      for (const call of method.calls) {
        const site = { call, unit, method }
        const [made] = call.args
        if (!call.makes) pushTo(this.#calls, call.name, site)
        else if (made?.kind === 'record')
          for (const [field, value] of made.entries)
            pushTo(this.#fields, `${call.name}.${field}`, { ...site, value })
      }
  }

  /** The calls of a function: in its package by its name, elsewhere by the name of the package. */
  sites({ unit: own, method }: FoundFunction): readonly CallSite[] {
    const isMethod = method.name.includes('.')
    const name = method.name.slice(method.name.indexOf('.') + 1)
    return (this.#calls.get(name) ?? []).filter(({ call, unit }) => {
      if (call.receiver === undefined) return !isMethod && unit.package === own.package
      const module = call.receiver.kind === 'name' ? unit.bindings.get(call.receiver.name)?.module : undefined
      if (isMethod) return module === undefined
      return module !== undefined && isImportOf(module, own.package, unit.package)
    })
  }

  field(type: string, field: string) {
    return this.#fields.get(`${type}.${field}`) ?? []
  }
}

const callIndex = memoized(({ units }: SourceIndex) => new GoCallIndex(units))

/** Finds the values of Go expressions: through variables, parameters, fields of structs and returned values. */
export class GoValues {
  readonly #resolver: TextResolver
  #steps = 0

  constructor(resolver: TextResolver) {
    this.#resolver = resolver
  }

  texts(expression: Expression | undefined, scope: TypeScope): readonly KnownText[] {
    if (expression === undefined) return []
    this.#steps = 0
    return this.#resolver.texts(this.#fill(expression, scope, 0), scope)
  }

  text(expression: Expression | undefined, scope: TypeScope): KnownText | undefined {
    return this.texts(expression, scope)[0]
  }

  /** The composite literal or the call that a name stands for. */
  source(expression: Expression | undefined, scope: TypeScope): PlacedValue | undefined {
    this.#steps = 0
    let at = expression === undefined ? undefined : { value: expression, scope }
    for (let hop = 0; at?.value.kind === 'name' && hop < MAX_DEPTH; hop += 1)
      at = this.#values(at.value.name, at.scope, hop)[0]
    return at
  }

  /** An expression in which names are replaced by their values, as far as they are known. */
  #fill(expression: Expression, scope: TypeScope, depth: number): Expression {
    this.#steps += 1
    if (depth > MAX_DEPTH || this.#steps > MAX_STEPS) return expression
    const next = (value: Expression, at = scope): Expression => this.#fill(value, at, depth + 1)
    if (expression.kind === 'join') return { kind: 'join', parts: expression.parts.map((part) => next(part)) }
    if (expression.kind === 'list') return { kind: 'list', items: expression.items.map((item) => next(item)) }
    if (expression.kind === 'call') return this.#called(expression, scope, depth)
    if (expression.kind !== 'name') return expression
    const found = this.#values(expression.name, scope, depth)
      .slice(0, MAX_VALUES)
      .map(({ value, scope: there }) => next(value, there))
      .filter(hasKnownText)
    const distinct = [...new Map(found.map((one) => [JSON.stringify(one), one])).values()]
    const [only] = distinct
    if (only === undefined) return expression
    return distinct.length === 1 ? only : { kind: 'list', items: distinct }
  }

  #called(expression: Expression & { kind: 'call' }, scope: TypeScope, depth: number): Expression {
    const { name, args, receiver } = expression.call
    const [first, second] = args
    const next = (value: Expression): Expression => this.#fill(value, scope, depth + 1)
    if (name === 'JoinHostPort' && first !== undefined && second !== undefined)
      return { kind: 'join', parts: [next(first), { kind: 'text', text: ':' }, next(second)] }
    if (name === 'TCP' && receiver !== undefined) return { kind: 'list', items: args.map(next) }
    if (RETURNS_ARGUMENT.test(name) && first !== undefined && receiver?.kind === 'name') return next(first)
    const called = calledFunction(expression.call, scope)
    const returned = called?.method.locals.find((one) => one.name === 'return')?.value
    if (called === undefined || returned === undefined) return expression
    const filled = this.#fill(returned, scope.at(called.unit, undefined, called.method), depth + 1)
    return hasKnownText(filled) ? filled : expression
  }

  /** The values that a name may have. */
  #values(name: string, scope: TypeScope, depth: number): readonly PlacedValue[] {
    if (name.includes('.')) return this.#memberValues(name, scope, depth)
    const locals = scope.method.locals.filter(
      ({ name: one, value }) => one === name && value !== undefined && !isSameName(value, name),
    )
    if (locals.length > 0)
      return locals.flatMap(({ value }) => (value === undefined ? [] : [{ value, scope }]))
    const at = scope.method.parameters.findIndex((one) => one.name === name)
    if (at >= 0) return this.#argumentValues(at, scope)
    return this.#topLevel(name, scope)
  }

  #topLevel(name: string, scope: TypeScope): readonly PlacedValue[] {
    const found = scope.index.topLevel(name, scope.unit)
    const value = found?.variable.value
    return found === undefined || value === undefined || isSameName(value, name)
      ? []
      : [{ value, scope: scope.at(found.unit, undefined, NO_METHOD) }]
  }

  /** What is given for a parameter where the function is called. */
  #argumentValues(at: number, scope: TypeScope): readonly PlacedValue[] {
    const { method, unit } = scope
    const isMethod = method.name.includes('.')
    const simple = method.name.slice(method.name.indexOf('.') + 1)
    // The type of a receiver is not known everywhere: a method counts when it is the only one of its name.
    if (isMethod && (at === 0 || goFunctions(scope.index).count(simple) > 1)) return []
    return callIndex(scope.index)
      .sites({ unit, method })
      .flatMap((site) => {
        const value = site.call.args[at - (isMethod ? 1 : 0)]
        return value === undefined ? [] : [{ value, scope: scope.at(site.unit, undefined, site.method) }]
      })
  }

  /** `pkg.Name`, or a field of a struct. */
  #memberValues(name: string, scope: TypeScope, depth: number): readonly PlacedValue[] {
    const dot = name.lastIndexOf('.')
    const [owner, member] = [name.slice(0, dot), name.slice(dot + 1)]
    const assigned = scope.method.locals.find((one) => one.name === name && one.value !== undefined)?.value
    if (assigned !== undefined && !isSameName(assigned, name)) return [{ value: assigned, scope }]
    const module = scope.unit.bindings.get(owner)?.module
    if (module !== undefined) {
      const unit = goFunctions(scope.index).unitOf(module, scope.unit, member)
      return unit === undefined ? [] : this.#topLevel(member, scope.at(unit, undefined, NO_METHOD))
    }
    const local = scope.method.locals.find((one) => one.name === owner)?.value
    const entry = recordEntry(local, member)
    if (entry !== undefined) return [{ value: entry, scope }]
    const type = this.#typeOf(owner, scope, depth)
    if (type === '') return []
    const place = scope.index.find(type, scope.unit)
    const tagged = place?.type.fields.find((one) => one.name === member)?.value
    if (place !== undefined && tagged !== undefined)
      return [{ value: tagged, scope: scope.at(place.unit, undefined, NO_METHOD) }]
    return callIndex(scope.index)
      .field(type, member)
      .map((site) => ({ value: site.value, scope: scope.at(site.unit, undefined, site.method) }))
  }

  #typeOf(name: string, scope: TypeScope, depth: number): string {
    if (depth > MAX_DEPTH) return ''
    const [head = '', ...rest] = name.split('.')
    const parameter = scope.method.parameters.find((one) => one.name === head)
    const local = scope.method.locals.find((one) => one.name === head)
    const outer = scope.index.topLevel(head, scope.unit)?.variable
    let type = ''
    for (const one of [parameter, local, outer])
      type ||= bareType(one?.type ?? '') || this.#made(one?.value, scope)
    for (const field of rest) {
      const place = type === '' ? undefined : scope.index.find(type, scope.unit)
      type = bareType(place?.type.fields.find((one) => one.name === field)?.type ?? '')
    }
    return type
  }

  /** The type of a composite literal or of the result of a function of the project. */
  #made(value: Expression | undefined, scope: TypeScope): string {
    if (value?.kind === 'record') return bareType(value.type ?? '')
    return value?.kind === 'call' ? bareType(calledFunction(value.call, scope)?.method.returns ?? '') : ''
  }
}

const isSameName = (value: Expression, name: string): boolean => value.kind === 'name' && value.name === name

const hasKnownText = ({ kind }: Expression): boolean => /^(text|join|list)$/.test(kind)

/** The function of the project that a call names. */
export const calledFunction = (
  { name, receiver }: CallExpression,
  scope: TypeScope,
): FoundFunction | undefined => {
  const owner = receiver?.kind === 'name' ? receiver.name : undefined
  const module = owner === undefined ? undefined : scope.unit.bindings.get(owner)?.module
  return goFunctions(scope.index).find(name, {
    folder: scope.unit.package,
    module,
    isMethod: receiver !== undefined && module === undefined,
  })
}
