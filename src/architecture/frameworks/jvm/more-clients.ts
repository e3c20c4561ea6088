import { optional } from '../../../kernel/optional.ts'
import { joinRoutes, plainAddress } from '../../connections/addresses.ts'
import { CreatedClients } from '../../connections/client-creations.ts'
import { configuredTarget, JDBC_STORE } from '../../connections/configured-stores.ts'
import type { FindIn } from '../../connections/framework.ts'
import {
  type DetectionContext,
  type Framework,
  type Inbound,
  importsModule,
  inboundAt,
  type Outbound,
  outboundAt,
} from '../../connections/framework.ts'
import { handlerOf } from '../../connections/inbound-web.ts'
import { httpRecord } from '../../connections/outbound-http.ts'
import { bodiesOf, type Expression, type Method, NO_METHOD, type TypeUnit } from '../../source/source-unit.ts'
import { callsIn, type PlacedCall, type TypeScope } from '../../source/type-scope.ts'

/** Retrofit: an interface whose methods have an annotation with HTTP method and path. */

const VERBS = /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|HTTP)$/

const annotatedRoutes: FindIn<Method, readonly string[]> = ({ annotations }, scope, { resolver }) =>
  annotations
    .filter(({ name }) => VERBS.test(name))
    .map(({ name, args }) => {
      const text = (key: string) => resolver.text(args.get(key), scope)?.text
      const path = (name === 'HTTP' ? text('path') : text('value')) ?? '{url}'
      const verb = name === 'HTTP' ? (text('method') ?? 'ANY') : name
      const isWhole = /^[a-z]+:\/\/|^\{/i.test(path)
      return `${verb} ${isWhole ? path : joinRoutes(path.replace(/\?.*$/, ''))}`
    })

const retrofitClient = (type: TypeUnit, scope: TypeScope, context: DetectionContext): readonly Outbound[] => {
  if (type.kind !== 'interface') return []
  const inside = scope.at(scope.unit, type, NO_METHOD)
  const calls = [
    ...new Set(type.methods.flatMap((method) => annotatedRoutes(method, inside, context))),
  ].sort()
  if (calls.length === 0) return []
  const base = new CreatedClients(context.resolver).baseOf(type.name, scope.index)
  const isKnown = base !== undefined && !base.text.startsWith('{')
  const target = isKnown
    ? { text: plainAddress(base.text), confidence: base.confidence }
    : ({ text: type.name, confidence: 'low' } as const)
  return [
    outboundAt(inside, type.line, target, {
      protocol: 'REST',
      type: 'Retrofit',
      calls,
      ...(isKnown && base.origin !== undefined && { origin: base.origin }),
    }),
  ]
}

export const RETROFIT: Omit<Framework, 'language'> = {
  name: 'Retrofit',
  applies: importsModule(/^retrofit2\.http\./),
  outbound: (scope, context) => scope.unit.types.flatMap((type) => retrofitClient(type, scope, context)),
}

/** Clients that a single call shows. */

/** The calls of all functions, methods and fields of a file. */
const allCalls = (scope: TypeScope): readonly PlacedCall[] => [
  ...callsIn(scope.unit.functions, scope),
  ...scope.unit.types.flatMap((type) => callsIn(bodiesOf(type), scope, type)),
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
    allCalls(scope).flatMap(({ call, scope: inside }) => {
      const verb = call.makes ? REQUESTS.exec(call.name)?.[1]?.toUpperCase() : undefined
      const address = verb === undefined ? undefined : resolver.text(call.args[0], inside)
      return address === undefined
        ? []
        : [httpRecord({ address, type: 'Apache HttpClient', call, verb, scope: inside })]
    }),
}

/** `List.of("a", "b")` and `Arrays.asList("a")` are lists. */
const listedItems = (one: Expression | undefined): readonly Expression[] =>
  one === undefined
    ? []
    : one.kind === 'call' && /^(of|asList|singletonList|singleton)$/.test(one.call.name)
      ? one.call.args
      : one.kind === 'list'
        ? one.items
        : [one]

const subscribed = ({ call, scope }: PlacedCall, { resolver }: DetectionContext): readonly Inbound[] => {
  if (call.name !== 'subscribe' || !/^(Kafka)?Consumer$/.test(scope.typeOf(call.receiver))) return []
  return listedItems(call.args[0]).flatMap((one) =>
    resolver.texts(one, scope).map((topic) =>
      inboundAt(scope, call.line, topic, {
        protocol: 'Messaging-Kafka',
        handler: handlerOf(scope),
        ...optional({ origin: topic.origin }),
      }),
    ),
  )
}

export const KAFKA_CLIENT: Omit<Framework, 'language'> = {
  name: 'Kafka client',
  applies: importsModule(/^org\.apache\.kafka\.clients\./),
  inbound: (scope, context) => allCalls(scope).flatMap((one) => subscribed(one, context)),
}

/** `discoveryClient.getInstances("orders")`: the name of a service in the registry. */
export const DISCOVERY_CLIENT: Omit<Framework, 'language'> = {
  name: 'Spring Cloud discovery client',
  applies: importsModule(/^org\.springframework\.cloud\.client\./),
  outbound: (scope, { resolver }) =>
    allCalls(scope).flatMap(({ call, scope: inside }): readonly Outbound[] => {
      const isLookup = call.name === 'getInstances' || call.name === 'choose'
      if (!isLookup || !/(DiscoveryClient|LoadBalancerClient)$/.test(inside.typeOf(call.receiver))) return []
      const name = resolver.text(call.args[0], inside)
      if (name === undefined || name.confidence === 'low') return []
      const target = { text: `lb://${name.text}`, confidence: name.confidence }
      return [outboundAt(inside, call.line, target, { protocol: 'REST', type: 'DiscoveryClient' })]
    }),
}

/** Exposed: `Database.connect("jdbc:postgresql://…")`. */
export const EXPOSED: Framework = {
  name: 'Exposed',
  language: 'kotlin',
  applies: importsModule(/^org\.jetbrains\.exposed\./),
  outbound: (scope, { resolver }) =>
    allCalls(scope).flatMap(({ call, scope: inside }): readonly Outbound[] => {
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
