import { optional } from '../../kernel/optional.ts'
import type { CallExpression, Expression } from '../source/source-unit.ts'
import { type KnownText, type TextResolver, weaker } from '../source/text-resolver.ts'
import type { TypeScope } from '../source/type-scope.ts'
import { joinAddress, plainAddress } from './addresses.ts'
import { BaseUrlFinder, callChain } from './client-base-url.ts'
import { type Outbound, outboundAt, UNKNOWN_TARGET } from './framework.ts'

const REST_TEMPLATE: Readonly<Record<string, string>> = {
  getForObject: 'GET',
  getForEntity: 'GET',
  postForObject: 'POST',
  postForEntity: 'POST',
  postForLocation: 'POST',
  put: 'PUT',
  patchForObject: 'PATCH',
  delete: 'DELETE',
  headForHeaders: 'HEAD',
  optionsForAllow: 'OPTIONS',
  exchange: '',
  execute: '',
}
const FLUENT = new Set(['WebClient', 'RestClient', 'WebClientBuilder', 'RestClientBuilder'])
export const HTTP_VERBS = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options'])

const REQUEST_BUILDERS: readonly { readonly method: string; readonly on: RegExp; readonly type: string }[] = [
  { method: 'uri', on: /^HttpRequestBuilder$/, type: 'HttpClient' },
  { method: 'newBuilder', on: /^HttpRequest$/, type: 'HttpClient' },
  { method: 'url', on: /^RequestBuilder$/, type: 'OkHttp' },
]

const verbIn = (args: readonly Expression[]): string | undefined => {
  const names = args.flatMap((one) => (one.kind === 'name' ? [one.name] : []))
  return names
    .map((name) => /(?:^|HttpMethod\.)(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.exec(name)?.[1])
    .find((one) => one !== undefined)
}

interface HttpCall {
  readonly address: KnownText
  /** The client by which the call is made. */
  readonly type: string
  readonly call: CallExpression
  readonly verb?: string | undefined
  readonly scope: TypeScope
  /** The type around the call, unless given. */
  readonly caller?: string
}

export const httpRecord = ({ address, type, call, verb, scope, ...rest }: HttpCall): Outbound => {
  const text = plainAddress(address.text)
  const known = text !== '' && text !== '{}' && text !== '/'
  const target = known
    ? { text, confidence: address.confidence }
    : ({ text: UNKNOWN_TARGET, confidence: 'low' } as const)
  return outboundAt(scope, call.line, target, {
    protocol: 'REST',
    type,
    ...rest,
    ...(verb !== undefined && verb !== '' && { http_method: verb }),
    ...optional({ origin: address.origin }),
  })
}

/** The path of a request below the base address of its client, unless the path is a whole address. */
export const belowBase = (
  path: KnownText,
  base: KnownText | undefined,
  isWhole: (text: string) => boolean,
): KnownText =>
  base === undefined || isWhole(path.text)
    ? path
    : {
        ...path,
        text: joinAddress(base.text, path.text),
        confidence: weaker(base.confidence, path.confidence),
      }

/** The address of a request: its path added to the base address of the client. */
export const withBase = (base: KnownText | undefined, path: KnownText): KnownText => {
  if (base === undefined) return path.text.startsWith('/') ? { ...path, confidence: 'low' } : path
  const origin = [base.origin, path.origin].filter((one) => one !== undefined).join('')
  return {
    text: joinAddress(base.text, path.text),
    confidence: weaker(base.confidence, path.confidence),
    ...(origin !== '' && { origin }),
  }
}

export class HttpCalls {
  readonly #resolver: TextResolver
  readonly #bases: BaseUrlFinder

  constructor(resolver: TextResolver) {
    this.#resolver = resolver
    this.#bases = new BaseUrlFinder(resolver)
  }

  outbound(call: CallExpression, scope: TypeScope): readonly Outbound[] {
    return [
      ...this.#template(call, scope),
      ...this.#fluent(call, scope),
      ...this.#requestBuilder(call, scope),
    ]
  }

  #template(call: CallExpression, scope: TypeScope): readonly Outbound[] {
    const verb = Object.hasOwn(REST_TEMPLATE, call.name) ? REST_TEMPLATE[call.name] : undefined
    if (verb === undefined || !/^(Test)?RestTemplate$|^RestOperations$/.test(scope.typeOf(call.receiver)))
      return []
    const path = this.#resolver.text(call.args[0], scope)
    if (path === undefined) return []
    const base = path.text.startsWith('/') ? this.#bases.find(call.receiver, scope) : undefined
    const address = withBase(base, path)
    return [
      httpRecord({
        address,
        type: 'RestTemplate',
        call,
        verb: verb === '' ? verbIn(call.args) : verb,
        scope,
      }),
    ]
  }

  /** A record where the base URL is set, and one for each request. */
  #fluent(call: CallExpression, scope: TypeScope): readonly Outbound[] {
    if (!/^(baseUrl|create|uri)$/.test(call.name)) return []
    const type = scope.typeOf(call.receiver)
    if (!FLUENT.has(type)) return []
    const label = type.replace(/Builder$/, '')
    if (call.name === 'baseUrl' || (call.name === 'create' && call.args.length > 0)) {
      const address = this.#resolver.text(call.args[0], scope)
      return address === undefined ? [] : [httpRecord({ address, type: label, call, scope })]
    }
    if (call.name !== 'uri') return []
    const chain = callChain(call)
    const verbCall = chain.find(({ name, args }) => HTTP_VERBS.has(name) && args.length === 0)
    const verb =
      verbCall?.name.toUpperCase() ?? verbIn(chain.find(({ name }) => name === 'method')?.args ?? [])
    const path = this.#resolver.text(call.args[0], scope) ?? { text: '', confidence: 'low' as const }
    const base = this.#bases.find(call.receiver, scope)
    const lambda = call.args[0]?.kind === 'other' || call.args[0] === undefined
    const address = withBase(base, lambda ? { text: '', confidence: 'high' } : path)
    return [httpRecord({ address, type: label, call, verb, scope })]
  }

  /** The HTTP client of the JDK and OkHttp: the address is in the request builder. */
  #requestBuilder(call: CallExpression, scope: TypeScope): readonly Outbound[] {
    const client = REQUEST_BUILDERS.find(
      ({ method, on }) => method === call.name && on.test(scope.typeOf(call.receiver)),
    )?.type
    if (client === undefined || call.args.length === 0) return []
    const address = this.#resolver.text(call.args[0], scope)
    return address === undefined ? [] : [httpRecord({ address, type: client, call, scope })]
  }
}
