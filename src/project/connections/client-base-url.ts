import type { CallExpression, Expression, Method } from '../source/source-unit.ts'
import { type KnownText, type TextResolver, weaker } from '../source/text-resolver.ts'
import type { TypeScope } from '../source/type-scope.ts'

const MAX_CHAIN = 40

/** The calls a call is made on, itself first. */
export const chainOf = (call: CallExpression): readonly CallExpression[] => {
  const chain = [call]
  for (let at = call.receiver; at?.kind === 'call' && chain.length < MAX_CHAIN; at = at.call.receiver)
    chain.push(at.call)
  return chain
}

const rootOf = (chain: readonly CallExpression[]): Expression | undefined => chain.at(-1)?.receiver

/** Finds where a client points before a call adds its path. */
export class BaseFinder {
  readonly #resolver: TextResolver

  constructor(resolver: TextResolver) {
    this.#resolver = resolver
  }

  find(expression: Expression | undefined, scope: TypeScope, depth = 0): KnownText | undefined {
    if (expression === undefined || depth > 8) return undefined
    if (expression.kind === 'name') return this.#ofName(expression.name, scope, depth)
    if (expression.kind !== 'call') return undefined
    const chain = chainOf(expression.call)
    const said = chain.find(
      ({ name, args }) => /^(baseUrl|rootUri)$/.test(name) || (name === 'create' && args.length > 0),
    )
    if (said !== undefined) return this.#resolver.text(said.args[0], scope)
    return this.find(rootOf(chain), scope, depth + 1) ?? this.#ofMethod(chain.at(-1), scope, depth)
  }

  #ofName(name: string, scope: TypeScope, depth: number): KnownText | undefined {
    const variables = scope.variables(name)
    for (const { value } of variables) {
      const made =
        value?.kind === 'name' && value.name === name
          ? undefined
          : this.find(value, this.#origin(scope), depth + 1)
      if (made !== undefined) return made
    }
    return variables.length === 0 ? undefined : this.#ofBean(name, scope, depth)
  }

  /** Assignments in a constructor use its parameters' names. */
  #origin(scope: TypeScope): TypeScope {
    const [built] = scope.type?.constructors ?? []
    if (built === undefined || scope.method === built) return scope
    const method: Method = { ...scope.method, parameters: [...scope.method.parameters, ...built.parameters] }
    return scope.at(scope.unit, scope.type, method)
  }

  #ofMethod(call: CallExpression | undefined, scope: TypeScope, depth: number): KnownText | undefined {
    if (call === undefined || call.receiver !== undefined || scope.type === undefined) return undefined
    const method = scope.type.methods.find(({ name }) => name === call.name)
    return method === undefined
      ? undefined
      : this.#inside(method, scope.at(scope.unit, scope.type, method), depth)
  }

  #inside(method: Method, scope: TypeScope, depth: number): KnownText | undefined {
    for (const call of method.calls) {
      const found =
        /^(baseUrl|rootUri)$/.test(call.name) ||
        (call.name === 'create' && scope.typeOf(call.receiver) === 'WebClient')
      if (found && depth < 8 && call.args.length > 0) return this.#resolver.text(call.args[0], scope)
    }
    return undefined
  }

  /** An injected client comes from a bean: the one of its name, or the only one of its type. */
  #ofBean(name: string, scope: TypeScope, depth: number): KnownText | undefined {
    const wanted = scope.typeOf({ kind: 'name', name }).replace(/Builder$/, '')
    const beans =
      wanted === '' ? [] : scope.index.beans().filter(({ method }) => method.returns.includes(wanted))
    const bean =
      beans.find(({ method }) => method.name === name) ?? (beans.length === 1 ? beans[0] : undefined)
    if (bean === undefined) return undefined
    const found = this.#inside(bean.method, scope.at(bean.unit, bean.type, bean.method), depth)
    return found === undefined ? undefined : { ...found, confidence: weaker(found.confidence, 'medium') }
  }
}
