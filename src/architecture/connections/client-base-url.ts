import type { CallExpression, Expression, Method } from '../source/source-unit.ts'
import { type KnownText, type TextResolver, weaker } from '../source/text-resolver.ts'
import type { TypeScope } from '../source/type-scope.ts'

const MAX_CHAIN = 40
const MAX_DEPTH = 8
const MAX_STEPS = 1_000

/** A call and the calls it is chained on, itself first. */
export const callChain = (call: CallExpression): readonly CallExpression[] => {
  const chain = [call]
  for (let at = call.receiver; at?.kind === 'call' && chain.length < MAX_CHAIN; at = at.call.receiver)
    chain.push(at.call)
  return chain
}

const chainRoot = (chain: readonly CallExpression[]): Expression | undefined => chain.at(-1)?.receiver

/** Finds the base URL of a client, to which a call adds its path. */
export class BaseUrlFinder {
  readonly #resolver: TextResolver
  #steps = 0

  constructor(resolver: TextResolver) {
    this.#resolver = resolver
  }

  find(expression: Expression | undefined, scope: TypeScope, depth = 0): KnownText | undefined {
    // Variables that are assigned many times from each other multiply the ways to look.
    this.#steps = depth === 0 ? 0 : this.#steps + 1
    if (expression === undefined || depth > MAX_DEPTH || this.#steps > MAX_STEPS) return undefined
    if (expression.kind === 'name') return this.#ofName(expression.name, scope, depth)
    if (expression.kind !== 'call') return undefined
    const chain = callChain(expression.call)
    const baseCall = chain.find(
      ({ name, args }) => /^(baseUrl|rootUri)$/.test(name) || (name === 'create' && args.length > 0),
    )
    if (baseCall !== undefined) return this.#resolver.text(baseCall.args[0], scope)
    return this.find(chainRoot(chain), scope, depth + 1) ?? this.#ofMethod(chain.at(-1), scope, depth)
  }

  #ofName(name: string, scope: TypeScope, depth: number): KnownText | undefined {
    const variables = scope.variables(name)
    for (const { value } of variables) {
      const made =
        value?.kind === 'name' && value.name === name
          ? undefined
          : this.find(value, this.#constructorScope(scope), depth + 1)
      if (made !== undefined) return made
    }
    return variables.length === 0 ? undefined : this.#ofBean(name, scope, depth)
  }

  /** The scope with the parameters of the constructor, which its assignments refer to. */
  #constructorScope(scope: TypeScope): TypeScope {
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
      : this.#inMethodBody(method, scope.at(scope.unit, scope.type, method), depth)
  }

  #inMethodBody(method: Method, scope: TypeScope, depth: number): KnownText | undefined {
    for (const call of method.calls) {
      const found =
        /^(baseUrl|rootUri)$/.test(call.name) ||
        (call.name === 'create' && /^(WebClient|RestClient)$/.test(scope.typeOf(call.receiver)))
      if (found && depth < MAX_DEPTH && call.args.length > 0) return this.#resolver.text(call.args[0], scope)
    }
    return undefined
  }

  /** An injected client is a bean: the one of the same name, or the only one of its type. */
  #ofBean(name: string, scope: TypeScope, depth: number): KnownText | undefined {
    const wanted = scope.typeOf({ kind: 'name', name }).replace(/Builder$/, '')
    const beans =
      wanted === '' ? [] : scope.index.beans().filter(({ method }) => method.returns.includes(wanted))
    const bean =
      beans.find(({ method }) => method.name === name) ?? (beans.length === 1 ? beans[0] : undefined)
    if (bean === undefined) return undefined
    const found = this.#inMethodBody(bean.method, scope.at(bean.unit, bean.type, bean.method), depth)
    return found === undefined ? undefined : { ...found, confidence: weaker(found.confidence, 'medium') }
  }
}
