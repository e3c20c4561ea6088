import { plainAddress } from '../../connections/addresses.ts'
import {
  type DetectionContext,
  type Framework,
  type Inbound,
  importsModule,
  type Outbound,
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

const routesOf = (
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

const controllerRoutes = (
  type: TypeUnit,
  scope: TypeScope,
  context: DetectionContext,
): readonly Inbound[] => {
  const controller = findAnnotation(type.annotations, 'Controller')
  if (controller === undefined) return []
  const prefixes = orEmptyPath(textsOf(controller, ['value', 'uri'], scope, context))
  return type.methods.flatMap((method) =>
    routesOf(method, prefixes, scope, context).map((route) =>
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

const listened = (type: TypeUnit, scope: TypeScope, context: DetectionContext): readonly Inbound[] =>
  MESSAGES.filter(({ listener }) => findAnnotation(type.annotations, listener) !== undefined).flatMap(
    (kind) =>
      topicsOf(type, kind, scope, context).map(({ method, topic }) => ({
        protocol: kind.protocol,
        endpoint: topic.text,
        source_file: scope.unit.file,
        line: method.line,
        handler: `${type.name}.${method.name}`,
        confidence: topic.confidence,
        ...(topic.origin !== undefined && { origin: topic.origin }),
      })),
  )

const sent = (type: TypeUnit, scope: TypeScope, context: DetectionContext): readonly Outbound[] =>
  MESSAGES.filter(({ client }) => findAnnotation(type.annotations, client) !== undefined).flatMap((kind) =>
    topicsOf(type, kind, scope, context).map(({ method, topic }) => ({
      target_service: topic.text,
      protocol: kind.protocol,
      type: kind.client,
      source_file: scope.unit.file,
      line: method.line,
      caller: type.name,
      confidence: topic.confidence,
      ...(topic.origin !== undefined && { origin: topic.origin }),
    })),
  )

/** The address of a named client in the settings. */
const configuredUrl = (id: string, { resolver }: DetectionContext, file: string): KnownText | undefined => {
  const { configuration } = resolver
  for (const key of ['url', 'urls', 'urls[0]'].map((name) => `micronaut.http.services.${id}.${name}`)) {
    const found = configuration.find(key, file)
    if (found === undefined) continue
    const { text, complete } = configuration.fill(found.value, file)
    return { text, confidence: complete ? 'medium' : 'low', origin: `\${${key}}` }
  }
  return undefined
}

const declaredClient = (type: TypeUnit, scope: TypeScope, context: DetectionContext): readonly Outbound[] => {
  const annotation = findAnnotation(type.annotations, 'Client')
  if (annotation === undefined || type.kind !== 'interface') return []
  const [named] = textsOf(annotation, ['id', 'value'], scope, context)
  const prefixes = orEmptyPath(textsOf(annotation, ['path'], scope, context))
  const url = named === undefined ? undefined : configuredUrl(named.text, context, scope.unit.file)
  const target = url ?? named
  const calls = type.methods.flatMap((method) =>
    routesOf(method, prefixes, scope, context).map((route) => `${route.method} ${route.path}`),
  )
  return [
    {
      target_service: target === undefined ? type.name : plainAddress(target.text),
      protocol: 'REST',
      type: 'Micronaut client',
      source_file: scope.unit.file,
      line: type.line,
      caller: type.name,
      confidence: target?.confidence ?? 'low',
      ...(calls.length > 0 && { calls: [...new Set(calls)].sort() }),
      ...(target?.origin !== undefined && { origin: target.origin }),
    },
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
  inbound: eachType(controllerRoutes, listened),
  outbound: eachType(declaredClient, sent),
}
