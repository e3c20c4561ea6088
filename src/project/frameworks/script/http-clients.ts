import { plainAddress } from '../../connections/addresses.ts'
import type { Outbound } from '../../connections/connections.ts'
import type { DetectionContext, Framework } from '../../connections/framework.ts'
import { bodiesOf, type CallExpression } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'

const VERBS = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options'])
const CLIENTS = /^(axios|got|http|httpService|request|superagent)$/

const isAbsoluteUrl = (text: string): boolean => /^https?:\/\//i.test(text)

const clientOf = (call: CallExpression, scope: TypeScope): string => {
  const owner = call.receiver?.kind === 'name' ? call.receiver.name : ''
  if (call.name === 'fetch' && owner === '') return 'fetch'
  if (CLIENTS.test(owner) || scope.typeOf(call.receiver) === 'HttpService') return owner
  return call.name === 'axios' ? 'axios' : ''
}

/** Calls of `fetch`, axios, got and Nest's HttpService with an absolute address. */
const requestsIn = (
  calls: readonly CallExpression[],
  scope: TypeScope,
  { resolver }: DetectionContext,
): readonly Outbound[] =>
  calls.flatMap((call) => {
    const client = clientOf(call, scope)
    if (client === '') return []
    const [first] = call.args
    const given =
      first?.kind === 'record' ? (first.entries.get('url') ?? first.entries.get('baseURL')) : first
    const address = resolver.text(given, scope)
    if (address === undefined || !isAbsoluteUrl(address.text)) return []
    return [
      {
        target_service: plainAddress(address.text),
        protocol: 'REST',
        type: client === 'httpService' || client === 'http' ? 'HttpService' : client,
        source_file: scope.unit.file,
        line: call.line,
        caller: scope.type?.name ?? '',
        confidence: address.confidence,
        ...(VERBS.has(call.name) && { http_method: call.name.toUpperCase() }),
      },
    ]
  })

export const SCRIPT_HTTP_CLIENTS: Framework = {
  name: 'fetch, axios, got',
  language: 'script',
  applies: () => true,
  outbound: (scope, context) => {
    const { unit } = scope
    const bodies = unit.types.flatMap((type) =>
      bodiesOf(type).map((method) => ({ method, inside: scope.at(unit, type, method) })),
    )
    return [
      ...requestsIn(unit.topLevel.calls, scope, context),
      ...bodies.flatMap(({ method, inside }) => requestsIn(method.calls, inside, context)),
    ]
  },
}
