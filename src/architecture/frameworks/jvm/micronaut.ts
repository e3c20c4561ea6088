import { optional } from '../../../kernel/optional.ts'
import { plainAddress } from '../../connections/addresses.ts'
import { configuredAddress } from '../../connections/declared-clients.ts'
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
import { combinePaths, type EndpointRoute, orEmptyPath, toInbound } from '../../connections/inbound-web.ts'
import {
  type Annotation,
  findAnnotation,
  type Method,
  NO_METHOD,
  type TypeUnit,
} from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'

/** Micronaut: controllers, declared clients, and clients and listeners of Kafka and RabbitMQ. */

const VERBS = /^(Get|Post|Put|Patch|Delete|Head|Options)$/

const textsOf = (
  annotation: Annotation | undefined,
  names: readonly string[],
  scope: TypeScope,
  { resolver }: DetectionContext,
): readonly KnownText[] => {
  const given = names.map((name) => annotation?.args.get(name)).find((one) => one !== undefined)
  return resolver.texts(given, scope)
}

const methodRoutes = (
  method: Method,
  prefixes: readonly KnownText[],
  scope: TypeScope,
  context: DetectionContext,
): readonly EndpointRoute[] =>
  method.annotations
    .filter(({ name }) => VERBS.test(name))
    .flatMap((annotation) =>
      combinePaths(
        annotation.name.toUpperCase(),
        prefixes,
        orEmptyPath(textsOf(annotation, ['value', 'uri', 'uris'], scope, context)),
      ),
    )

const controllerRoutes: FindIn<TypeUnit, readonly Inbound[]> = (type, scope, context) => {
  const controller = findAnnotation(type.annotations, 'Controller')
  if (controller === undefined) return []
  const prefixes = orEmptyPath(textsOf(controller, ['value', 'uri'], scope, context))
  return type.methods.flatMap((method) =>
    methodRoutes(method, prefixes, scope, context).map((route) =>
      toInbound(route, { file: scope.unit.file, line: method.line, handler: `${type.name}.${method.name}` }),
    ),
  )
}

interface MessageKind {
  readonly protocol: string
  readonly listener: string
  readonly client: string
  /** The annotation of a method that names the topic or queue. */
  readonly names: readonly string[]
}

const MESSAGES: readonly MessageKind[] = [
  { protocol: 'Messaging-Kafka', listener: 'KafkaListener', client: 'KafkaClient', names: ['Topic'] },
  {
    protocol: 'Messaging-RabbitMQ',
    listener: 'RabbitListener',
    client: 'RabbitClient',
    names: ['Queue', 'Binding'],
  },
]

/** Methods of a listener or client, with the topics that they or their type name. */
const topicsOf = (type: TypeUnit, { names }: MessageKind, scope: TypeScope, context: DetectionContext) =>
  type.methods.flatMap((method) => {
    const annotation =
      findAnnotation(method.annotations, ...names) ?? findAnnotation(type.annotations, ...names)
    return textsOf(annotation, ['value'], scope, context).map((topic) => ({ method, topic }))
  })

const topicListeners = (type: TypeUnit, scope: TypeScope, context: DetectionContext): readonly Inbound[] =>
  MESSAGES.filter(({ listener }) => findAnnotation(type.annotations, listener) !== undefined).flatMap(
    (kind) =>
      topicsOf(type, kind, scope, context).map(({ method, topic }) =>
        inboundAt(scope, method.line, topic, {
          protocol: kind.protocol,
          handler: `${type.name}.${method.name}`,
          ...optional({ origin: topic.origin }),
        }),
      ),
  )

const sent = (type: TypeUnit, scope: TypeScope, context: DetectionContext): readonly Outbound[] =>
  MESSAGES.filter(({ client }) => findAnnotation(type.annotations, client) !== undefined).flatMap((kind) =>
    topicsOf(type, kind, scope, context).map(({ method, topic }) =>
      outboundAt(scope, method.line, topic, {
        protocol: kind.protocol,
        type: kind.client,
        ...optional({ origin: topic.origin }),
      }),
    ),
  )

const namedClient = (type: TypeUnit, scope: TypeScope, context: DetectionContext): readonly Outbound[] => {
  const annotation = findAnnotation(type.annotations, 'Client')
  if (annotation === undefined || type.kind !== 'interface') return []
  const [named] = textsOf(annotation, ['id', 'value'], scope, context)
  const prefixes = orEmptyPath(textsOf(annotation, ['path'], scope, context))
  const url =
    named === undefined
      ? undefined
      : configuredAddress(
          ['url', 'urls', 'urls[0]'].map((name) => `micronaut.http.services.${named.text}.${name}`),
          context.resolver,
          scope.unit.file,
        )
  const calls = type.methods.flatMap((method) =>
    methodRoutes(method, prefixes, scope, context).map((route) => `${route.method} ${route.path}`),
  )
  const { text, confidence, origin }: KnownText = url ?? named ?? { text: type.name, confidence: 'low' }
  return [
    outboundAt(
      scope,
      type.line,
      { text: plainAddress(text), confidence },
      {
        protocol: 'REST',
        type: 'Micronaut client',
        ...(calls.length > 0 && { calls: [...new Set(calls)].sort() }),
        ...optional({ origin }),
      },
    ),
  ]
}

const eachType =
  <T>(...rules: readonly ((type: TypeUnit, scope: TypeScope, context: DetectionContext) => readonly T[])[]) =>
  (scope: TypeScope, context: DetectionContext): readonly T[] =>
    scope.unit.types.flatMap((type) =>
      rules.flatMap((rule) => rule(type, scope.at(scope.unit, type, NO_METHOD), context)),
    )

export const MICRONAUT: Omit<Framework, 'language'> = {
  name: 'Micronaut',
  applies: importsModule(/^io\.micronaut\./),
  inbound: eachType(controllerRoutes, topicListeners),
  outbound: eachType(namedClient, sent),
}
