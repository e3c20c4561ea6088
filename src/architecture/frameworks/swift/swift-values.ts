import { pushTo } from '../../../kernel/multimap.ts'
import { memoized } from '../../source/memoized.ts'
import type { SourceIndex } from '../../source/source-index.ts'
import {
  type CallExpression,
  callIn,
  type Expression,
  keyword,
  NO_METHOD,
  type SourceUnit,
  type TypeUnit,
  textExpression,
  type Variable,
} from '../../source/source-unit.ts'
import type { KnownText, TextResolver } from '../../source/text-resolver.ts'
import type { PlacedValue, TypeScope } from '../../source/type-scope.ts'
import { callsIn, callsOf } from '../../source/type-scope.ts'

const MAX_DEPTH = 10
const MAX_STEPS = 300

/** The argument with a label. */
export const labelled = ({ args }: CallExpression, ...labels: readonly string[]): Expression | undefined =>
  keyword(args, ...labels)

/** Arguments without a label. */
export const unlabelled = ({ args }: CallExpression): readonly Expression[] =>
  args.filter(({ kind }) => kind !== 'record')

/** All calls of a Swift file, each with its scope. Previews are no part of the application. */
export const swiftCalls = (scope: TypeScope) => {
  const { unit } = scope
  return [
    ...unit.topLevel.calls.map((call) => ({ call, scope })),
    ...callsIn(unit.functions, scope),
    ...unit.types
      .filter(({ implements: bases }) => !bases.includes('PreviewProvider'))
      .flatMap((type) => callsOf(type, scope.at(unit, type, NO_METHOD))),
  ]
}

interface Member {
  readonly unit: SourceUnit
  readonly type: TypeUnit
  readonly variable: Variable
}

/** Fields of all Swift types: a type may be extended in several files. */
class MemberIndex {
  readonly #members = new Map<string, Member[]>()
  readonly #outside = new Map<string, { readonly unit: SourceUnit; readonly variable: Variable }[]>()

  constructor(units: readonly SourceUnit[]) {
    for (const unit of units) {
      if (unit.language !== 'swift') continue
      for (const variable of unit.topLevel.locals) pushTo(this.#outside, variable.name, { unit, variable })
      for (const type of unit.types)
        for (const variable of type.fields)
          pushTo(this.#members, `${type.name}.${variable.name}`, { unit, type, variable })
    }
  }

  member(type: string, name: string): Member | undefined {
    const found = this.#members.get(`${type}.${name}`) ?? []
    return found.length === 1 ? found[0] : undefined
  }

  outside(name: string) {
    const found = this.#outside.get(name) ?? []
    return found.length === 1 ? found[0] : undefined
  }
}

const memberIndex = memoized(({ units }: SourceIndex) => new MemberIndex(units))

const joined = (...parts: readonly Expression[]): Expression => ({ kind: 'join', parts })

/** Finds the values of Swift expressions: through variables, fields, `URL(string:)` and paths that are added to it. */
export class SwiftValues {
  readonly #resolver: TextResolver
  #steps = 0

  constructor(resolver: TextResolver) {
    this.#resolver = resolver
  }

  text(expression: Expression | undefined, scope: TypeScope): KnownText | undefined {
    if (expression === undefined) return undefined
    this.#steps = 0
    return this.#resolver.text(this.#fill(expression, scope, 0), scope)
  }

  /** The call that a name stands for, or the call itself. */
  call(expression: Expression | undefined, scope: TypeScope): CallExpression | undefined {
    let at = expression
    for (let hop = 0; at?.kind === 'name' && hop < MAX_DEPTH; hop += 1)
      at = this.#value(at.name, scope)?.value
    return callIn(at)
  }

  #fill(expression: Expression, scope: TypeScope, depth: number): Expression {
    this.#steps += 1
    if (depth > MAX_DEPTH || this.#steps > MAX_STEPS) return expression
    const next = (value: Expression, at = scope): Expression => this.#fill(value, at, depth + 1)
    if (expression.kind === 'join') return joined(...expression.parts.map((part) => next(part)))
    if (expression.kind === 'call') return this.#called(expression, next)
    if (expression.kind !== 'name') return expression
    const found = this.#value(expression.name, scope)
    const filled = found === undefined ? undefined : next(found.value, found.scope)
    return filled !== undefined && /^(text|join)$/.test(filled.kind) ? filled : expression
  }

  #called(expression: Expression & { kind: 'call' }, next: (value: Expression) => Expression): Expression {
    const { call } = expression
    const { name, receiver } = call
    const [first] = unlabelled(call)
    const url = labelled(call, 'string', 'url')
    if (/^(URL|URLRequest|URI|URLComponents)$/.test(name) && url !== undefined) {
      const base = labelled(call, 'relativeTo')
      return base === undefined ? next(url) : joined(next(base), textExpression('/'), next(url))
    }
    if (receiver === undefined) return expression
    if (/^(absoluteString|absoluteURL|asURL|rawValue|trimmingCharacters|addingPercentEncoding)$/.test(name))
      return next(receiver)
    const added = first ?? labelled(call, 'path', 'component')
    return /^append(ing)?(PathComponent|Path)?$/.test(name) && added !== undefined
      ? joined(next(receiver), textExpression('/'), next(added))
      : expression
  }

  #value(name: string, scope: TypeScope): PlacedValue | undefined {
    const dot = name.lastIndexOf('.')
    const [owner, member] = [name.slice(0, Math.max(0, dot)), name.slice(dot + 1)]
    // `url.absoluteString` is the text of `url`.
    if (/^(absoluteString|absoluteURL|rawValue)$/.test(member) && owner !== '')
      return { value: { kind: 'name', name: owner }, scope }
    const local =
      owner === ''
        ? scope.method.locals.find((one) => one.name === member && one.value !== undefined)?.value
        : undefined
    if (local !== undefined && !(local.kind === 'name' && local.name === member))
      return { value: local, scope }
    const type = owner === '' || owner === 'Self' ? (scope.type?.name ?? '') : owner.replace(/^.*\./, '')
    const found =
      memberIndex(scope.index).member(type, member) ??
      memberIndex(scope.index).member(this.#typeOf(owner, scope), member)
    if (found?.variable.value !== undefined)
      return { value: found.variable.value, scope: scope.at(found.unit, found.type, NO_METHOD) }
    const outside = owner === '' ? memberIndex(scope.index).outside(member) : undefined
    return outside?.variable.value === undefined
      ? undefined
      : { value: outside.variable.value, scope: scope.at(outside.unit, undefined, NO_METHOD) }
  }

  /** The declared type of a parameter, a local or a field. */
  #typeOf(name: string, { method, type }: TypeScope): string {
    const declared = [...method.parameters, ...method.locals, ...(type?.fields ?? [])].find(
      (one) => one.name === name,
    )
    if (declared === undefined || declared.type !== '') return declared?.type ?? ''
    return declared.value?.kind === 'call' && declared.value.call.makes ? declared.value.call.name : ''
  }
}
