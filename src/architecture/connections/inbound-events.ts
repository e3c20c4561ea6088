import { optional } from '../../kernel/optional.ts'
import type { Configuration } from '../source/configuration.ts'
import {
  type Annotation,
  type Expression,
  findAnnotation,
  firstArgument,
  type Method,
  simpleName,
  type TypeUnit,
} from '../source/source-unit.ts'
import type { TextResolver } from '../source/text-resolver.ts'
import type { TypeScope } from '../source/type-scope.ts'
import type { ResolveIn } from './framework.ts'
import { type Inbound, inboundAt } from './framework.ts'
import { type ProtoService, servedGrpcService } from './proto.ts'
import { channelOf } from './reactive-messaging.ts'

interface Listener {
  readonly protocol: string
  /** Arguments that may hold the topic or queue; the first one present is used. */
  readonly args: readonly string[]
}

const LISTENERS: Readonly<Record<string, Listener>> = {
  KafkaListener: {
    protocol: 'Messaging-Kafka',
    args: ['topics', 'topicPattern', 'topicPartitions', 'value'],
  },
  KafkaHandler: { protocol: 'Messaging-Kafka', args: [] },
  RabbitListener: { protocol: 'Messaging-RabbitMQ', args: ['queues', 'bindings', 'queuesToDeclare'] },
  JmsListener: { protocol: 'Messaging-JMS', args: ['destination', 'value'] },
  StreamListener: { protocol: 'Messaging-Stream', args: ['value', 'target'] },
  Input: { protocol: 'Messaging-Stream', args: ['value'] },
  Incoming: { protocol: 'Messaging-Stream', args: ['value'] },
  SqsListener: { protocol: 'Messaging-SQS', args: ['value', 'queueNames'] },
}

/** The name inside of nested annotations: `@TopicPartition(topic = "x")`, `@QueueBinding(value = @Queue("x"))`. */
const innermostName = (expression: Expression): Expression => {
  if (expression.kind === 'list') return { kind: 'list', items: expression.items.map(innermostName) }
  // Kotlin writes an annotation inside of another one as a call.
  if (expression.kind === 'call' && /^(QueueBinding|Queue|TopicPartition)$/.test(expression.call.name))
    return expression.call.args[0] === undefined ? expression : innermostName(expression.call.args[0])
  if (expression.kind !== 'annotation') return expression
  const { args } = expression.annotation
  const inside = args.get('topic') ?? args.get('value') ?? args.get('name')
  return inside === undefined ? expression : innermostName(inside)
}

const listenedName = (annotation: Annotation, { args }: Listener): Expression | undefined => {
  const given = args.map((name) => annotation.args.get(name)).find((one) => one !== undefined)
  return given === undefined ? undefined : innermostName(given)
}

/** A type or method that may listen. */
interface Handler {
  readonly handler: string
  readonly line: number
  readonly annotations: readonly Annotation[]
}

const listenedTopics: ResolveIn<Handler, readonly Inbound[]> = (
  { annotations, line, handler },
  resolver,
  scope,
) =>
  annotations.flatMap((annotation) => {
    const listener = Object.hasOwn(LISTENERS, annotation.name) ? LISTENERS[annotation.name] : undefined
    if (listener === undefined) return []
    return resolver.texts(listenedName(annotation, listener), scope).map((known) => {
      const { protocol, name } =
        annotation.name === 'Incoming'
          ? channelOf(known, 'incoming', resolver.configuration, scope.unit.file)
          : { protocol: listener.protocol, name: known }
      return inboundAt(scope, line, name, {
        protocol,
        handler,
        ...optional({ origin: name.origin }),
      })
    })
  })

const SCHEDULES = ['cron', 'fixedRate', 'fixedRateString', 'fixedDelay', 'fixedDelayString', 'every']

const scheduled = (
  type: TypeUnit,
  method: Method,
  resolver: TextResolver,
  scope: TypeScope,
): readonly Inbound[] =>
  method.annotations
    .filter(({ name }) => name === 'Scheduled')
    .map((annotation) => {
      const name = SCHEDULES.find((one) => annotation.args.has(one))
      const when = name === undefined ? undefined : resolver.text(annotation.args.get(name), scope)
      const handler = `${type.name}.${method.name}`
      const text = when === undefined ? handler : `${handler} (${name} ${when.text})`
      return inboundAt(
        scope,
        method.line,
        { text, confidence: when?.confidence ?? 'high' },
        {
          protocol: 'Scheduled',
          handler,
          ...optional({ origin: when?.origin }),
        },
      )
    })

/** The destination of a Spring Cloud Stream function; undefined when the configuration does not bind it. */
export const boundDestination = (
  configuration: Configuration,
  {
    name,
    direction,
    file,
  }: { readonly name: string; readonly direction: 'in' | 'out'; readonly file: string },
): string | undefined => {
  const binding = `${name}-${direction}-0`
  const destination = configuration.find(`spring.cloud.stream.bindings.${binding}.destination`, file)
  if (destination !== undefined) return destination.value
  const listed = [
    ...configuration.list('spring.cloud.function.definition', file),
    ...configuration.list('spring.cloud.stream.function.definition', file),
  ]
  return listed.flatMap((one) => one.split(/[;|]/)).includes(name) ? binding : undefined
}

const functional = (
  type: TypeUnit,
  method: Method,
  resolver: TextResolver,
  scope: TypeScope,
): readonly Inbound[] => {
  const consumes = /^(java\.util\.function\.)?(Consumer|Function)\b/.test(method.returns)
  if (!consumes || findAnnotation(method.annotations, 'Bean') === undefined) return []
  const name = boundDestination(resolver.configuration, {
    name: method.name,
    direction: 'in',
    file: scope.unit.file,
  })
  if (name === undefined) return []
  const { text, complete } = resolver.configuration.fill(name, scope.unit.file)
  return [
    inboundAt(
      scope,
      method.line,
      { text, confidence: complete ? 'medium' : 'low' },
      {
        protocol: 'Messaging-Stream',
        handler: `${type.name}.${method.name}`,
        origin: `${method.name}-in-0`,
      },
    ),
  ]
}

/** One record for each served method; one for the service when its methods are unknown. */
const grpcInbound = (
  type: TypeUnit,
  protos: ReadonlyMap<string, ProtoService>,
  scope: TypeScope,
): readonly Inbound[] => {
  const base = servedGrpcService(type, scope.unit)
  const marked = findAnnotation(type.annotations, 'GrpcService', 'GRpcService') !== undefined
  if (base === undefined && !marked) return []
  const name = base ?? type.name
  const proto = protos.get(name)
  const declared = new Map((proto?.methods ?? []).map((one) => [one.toLowerCase(), one]))
  const served = type.methods
    .filter(
      (one) =>
        findAnnotation(one.annotations, 'Override') !== undefined ||
        declared.has(one.name.toLowerCase()) ||
        scope.unit.language === 'kotlin',
    )
    .map((one) => ({
      line: one.line,
      endpoint: `${proto?.fullName ?? name}/${declared.get(one.name.toLowerCase()) ?? capitalize(one.name)}`,
      handler: `${type.name}.${one.name}`,
    }))
  const all =
    served.length > 0
      ? served
      : [{ line: type.line, endpoint: `${proto?.fullName ?? name}/Service Methods`, handler: type.name }]
  return all.map((one) => ({
    protocol: 'gRPC',
    source_file: scope.unit.file,
    confidence: 'high' as const,
    ...one,
  }))
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

export const eventInbound = (
  type: TypeUnit,
  protos: ReadonlyMap<string, ProtoService>,
  resolver: TextResolver,
  scope: TypeScope,
): readonly Inbound[] => [
  ...listenedTopics({ ...type, handler: type.name }, resolver, scope),
  ...type.methods.flatMap((method) => [
    ...listenedTopics({ ...method, handler: `${type.name}.${method.name}` }, resolver, scope),
    ...scheduled(type, method, resolver, scope),
    ...functional(type, method, resolver, scope),
  ]),
  ...grpcInbound(type, protos, scope),
]

/** The entity of a repository: the first type argument of its base type. */
export const entityOf = (type: TypeUnit): string =>
  [type.extends ?? '', ...type.implements].map(firstArgument).find((one) => one !== '') ??
  simpleName(type.name)
