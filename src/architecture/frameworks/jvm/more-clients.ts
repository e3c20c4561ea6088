import { joinRoutes, plainAddress } from '../../connections/addresses.ts'
import { CreatedClients } from '../../connections/client-creations.ts'
import { configuredTarget, JDBC_STORE } from '../../connections/configured-stores.ts'
import {
  type DetectionContext,
  type Framework,
  type Inbound,
  importsModule,
  type Outbound,
} from '../../connections/framework.ts'
import { httpRecord } from '../../connections/outbound-http.ts'
import {
  type CallExpression,
  type Expression,
  type Method,
  NO_METHOD,
  type TypeUnit,
} from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { functionsOf } from './route-functions.ts'

/** Retrofit: an interface whose methods have an annotation with HTTP method and path. */

const VERBS = /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|HTTP)$/

const routeOf = (
  { annotations }: Method,
  scope: TypeScope,
  { resolver }: DetectionContext,
): readonly string[] =>
  annotations
    .filter(({ name }) => VERBS.test(name))
    .map(({ name, args }) => {
      const text = (key: string) => resolver.text(args.get(key), scope)?.text
      const path = (name === 'HTTP' ? text('path') : text('value')) ?? '{url}'
      const verb = name === 'HTTP' ? (text('method') ?? 'ANY') : name
      const isWhole = /^[a-z]+:\/\/|^\{/i.test(path)
      return `${verb} ${isWhole ? path : joinRoutes(path.replace(/\?.*$/, ''))}`
    })

const clientOf = (type: TypeUnit, scope: TypeScope, context: DetectionContext): readonly Outbound[] => {
  if (type.kind !== 'interface') return []
  const inside = scope.at(scope.unit, type, NO_METHOD)
  const calls = [...new Set(type.methods.flatMap((method) => routeOf(method, inside, context)))].sort()
  if (calls.length === 0) return []
  const base = new CreatedClients(context.resolver).baseOf(type.name, scope.index)
  const isKnown = base !== undefined && !base.text.startsWith('{')
  return [
    {
      target_service: isKnown ? plainAddress(base.text) : type.name,
      protocol: 'REST',
      type: 'Retrofit',
      source_file: scope.unit.file,
      line: type.line,
      caller: type.name,
      confidence: isKnown ? base.confidence : 'low',
      calls,
      ...(isKnown && base.origin !== undefined && { origin: base.origin }),
    },
  ]
}

export const RETROFIT: Omit<Framework, 'language'> = {
  name: 'Retrofit',
  applies: importsModule(/^retrofit2\.http\./),
  outbound: (scope, context) => scope.unit.types.flatMap((type) => clientOf(type, scope, context)),
}

/** Clients that a single call shows. */

interface ScopedCall {
  readonly call: CallExpression
  readonly scope: TypeScope
}

/** The calls of all functions, methods and fields of a file. */
const callsOf = (scope: TypeScope): readonly ScopedCall[] => [
  ...functionsOf(scope.unit).flatMap(({ type, method }) => {
    const inside = scope.at(scope.unit, type, method)
    return method.calls.map((call) => ({ call, scope: inside }))
  }),
  ...scope.unit.types.flatMap((type) => {
    const inside = scope.at(scope.unit, type, scope.method)
    return type.calls.map((call) => ({ call, scope: inside }))
  }),
]

const REQUESTS = /^Http(Get|Post|Put|Patch|Delete|Head)$/

export const APACHE_HTTP_CLIENT: Omit<Framework, 'language'> = {
  name: 'Apache HttpClient',
  applies: importsModule(/^org\.apache\.(http|hc)\./),
  outbound: (scope, { resolver }) =>
    callsOf(scope).flatMap(({ call, scope: inside }) => {
      const verb = call.makes ? REQUESTS.exec(call.name)?.[1]?.toUpperCase() : undefined
      const address = verb === undefined ? undefined : resolver.text(call.args[0], inside)
      return address === undefined
        ? []
        : [httpRecord({ address, type: 'Apache HttpClient', call, verb, scope: inside })]
    }),
}

/** `List.of("a", "b")` and `Arrays.asList("a")` are lists. */
const listed = (one: Expression | undefined): readonly Expression[] =>
  one === undefined
    ? []
    : one.kind === 'call' && /^(of|asList|singletonList|singleton)$/.test(one.call.name)
      ? one.call.args
      : one.kind === 'list'
        ? one.items
        : [one]

const subscribed = ({ call, scope }: ScopedCall, { resolver }: DetectionContext): readonly Inbound[] => {
  if (call.name !== 'subscribe' || !/^(Kafka)?Consumer$/.test(scope.typeOf(call.receiver))) return []
  return listed(call.args[0]).flatMap((one) =>
    resolver.texts(one, scope).map((topic) => ({
      protocol: 'Messaging-Kafka',
      endpoint: topic.text,
      source_file: scope.unit.file,
      line: call.line,
      handler: [scope.type?.name ?? '', scope.method.name].filter((part) => part !== '').join('.'),
      confidence: topic.confidence,
      ...(topic.origin !== undefined && { origin: topic.origin }),
    })),
  )
}

export const KAFKA_CLIENT: Omit<Framework, 'language'> = {
  name: 'Kafka client',
  applies: importsModule(/^org\.apache\.kafka\.clients\./),
  inbound: (scope, context) => callsOf(scope).flatMap((one) => subscribed(one, context)),
}

/** `discoveryClient.getInstances("orders")`: the name of a service in the registry. */
export const DISCOVERY_CLIENT: Omit<Framework, 'language'> = {
  name: 'Spring Cloud discovery client',
  applies: importsModule(/^org\.springframework\.cloud\.client\./),
  outbound: (scope, { resolver }) =>
    callsOf(scope).flatMap(({ call, scope: inside }): readonly Outbound[] => {
      const isLookup = call.name === 'getInstances' || call.name === 'choose'
      if (!isLookup || !/(DiscoveryClient|LoadBalancerClient)$/.test(inside.typeOf(call.receiver))) return []
      const name = resolver.text(call.args[0], inside)
      if (name === undefined || name.confidence === 'low') return []
      return [
        {
          target_service: `lb://${name.text}`,
          protocol: 'REST',
          type: 'DiscoveryClient',
          source_file: inside.unit.file,
          line: call.line,
          caller: inside.type?.name ?? '',
          confidence: name.confidence,
        },
      ]
    }),
}

/** Exposed: `Database.connect("jdbc:postgresql://…")`. */
export const EXPOSED: Framework = {
  name: 'Exposed',
  language: 'kotlin',
  applies: importsModule(/^org\.jetbrains\.exposed\./),
  outbound: (scope, { resolver }) =>
    callsOf(scope).flatMap(({ call, scope: inside }): readonly Outbound[] => {
      if (call.name !== 'connect' || call.receiver?.kind !== 'name' || call.receiver.name !== 'Database')
        return []
      const address = resolver.text(call.args[0], inside)
      const isKnown = address?.text.startsWith('jdbc:') === true
      return [
        {
          ...configuredTarget(JDBC_STORE, resolver.configuration, inside.unit.file),
          ...(isKnown && {
            target_service: address.text.replace(/[?;].*$/, ''),
            confidence: address.confidence,
          }),
          protocol: 'JDBC',
          type: 'Exposed',
          source_file: inside.unit.file,
          line: call.line,
          caller: inside.type?.name ?? '',
        },
      ]
    }),
}
