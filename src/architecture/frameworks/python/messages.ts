import type { DetectionContext, FindIn, Framework, Inbound } from '../../connections/framework.ts'
import { inboundAt } from '../../connections/framework.ts'
import type { Expression } from '../../source/source-unit.ts'
import { keyword } from '../../source/source-unit.ts'
import type { PlacedCall, TypeScope } from '../../source/type-scope.ts'
import { type FoundMessage, type MessageDirection, messageDetectors } from '../found-messages.ts'
import { annotatedType, makerOf, positional, pythonCalls, pythonText, qualifiedName } from './python-calls.ts'

/** Topics and queues of kafka-python, aiokafka, confluent-kafka, pika, aio-pika and SQS. */

interface MessageCall {
  readonly protocol: string
  readonly type: string
  readonly direction: MessageDirection
  /** The topics or queues. */
  readonly names: readonly (Expression | undefined)[]
}

const KAFKA_CLIENT = /^(kafka|aiokafka|confluent_kafka)\.(\w+\.)*\w*(Producer|Consumer)$/
const AWS_CLIENT = /^(aio)?boto3(\.\w+)*\.(client|resource)$|(^|\.)(client|resource)$/

/** The full name of the class or function that made the receiver of a call, or of its annotated type. */
const receiverType = ({ call, scope }: PlacedCall, wanted: RegExp, context: DetectionContext): string => {
  const made = makerOf(call.receiver, scope, context, (name) => wanted.test(name))
  const type =
    made === undefined ? annotatedType(call.receiver, scope) : (qualifiedName(made.call, made.scope) ?? '')
  return wanted.test(type) ? type : ''
}

const kafkaLibrary = (name: string): string =>
  name.startsWith('aiokafka') ? 'aiokafka' : name.startsWith('confluent') ? 'confluent-kafka' : 'kafka-python'

const kafkaCall = (placed: PlacedCall, context: DetectionContext): MessageCall | undefined => {
  const { call, scope } = placed
  const { name, args } = call
  const protocol = 'Messaging-Kafka'
  const topic = keyword(args, 'topic') ?? positional(args, 0)
  if (/^(send|send_and_wait|produce)$/.test(name)) {
    const type = receiverType(placed, KAFKA_CLIENT, context)
    return type.endsWith('Producer')
      ? { protocol, type: kafkaLibrary(type), direction: 'out', names: [topic] }
      : undefined
  }
  if (name === 'subscribe') {
    const type = receiverType(placed, KAFKA_CLIENT, context)
    return type.endsWith('Consumer')
      ? {
          protocol,
          type: kafkaLibrary(type),
          direction: 'in',
          names: [keyword(args, 'topics') ?? positional(args, 0)],
        }
      : undefined
  }
  // `KafkaConsumer("orders", "payments", bootstrap_servers=…)`
  const made = qualifiedName(call, scope) ?? ''
  if (!/^(kafka|aiokafka)\.(\w+\.)*\w*Consumer$/.test(made)) return undefined
  return {
    protocol,
    type: kafkaLibrary(made),
    direction: 'in',
    names: args.filter(({ kind }) => kind !== 'record' && kind !== 'other'),
  }
}

/** `exchange.publish(message, routing_key="orders")`, `channel.basic_publish(exchange, routing_key, body)`. */
const rabbitCall = ({ call, scope }: PlacedCall, context: DetectionContext): MessageCall | undefined => {
  const { name, args, receiver } = call
  const protocol = 'Messaging-RabbitMQ'
  if (name === 'basic_publish') {
    const exchange = keyword(args, 'exchange') ?? positional(args, 0)
    const key = keyword(args, 'routing_key') ?? positional(args, 1)
    const named = exchange === undefined ? undefined : pythonText(exchange, scope, context)
    // The default exchange sends to the queue that the routing key names.
    const isDefault = named === undefined || named.text === ''
    return { protocol, type: 'pika', direction: 'out', names: [isDefault ? key : exchange] }
  }
  if (name === 'basic_consume')
    return { protocol, type: 'pika', direction: 'in', names: [keyword(args, 'queue') ?? positional(args, 0)] }
  if (!scope.unit.imports.some((one) => /^aio_pika(\.|$)/.test(one))) return undefined
  if (name === 'publish') {
    const key = keyword(args, 'routing_key') ?? positional(args, 1)
    return key === undefined ? undefined : { protocol, type: 'aio-pika', direction: 'out', names: [key] }
  }
  if (name !== 'consume' && name !== 'iterator') return undefined
  const made = makerOf(receiver, scope, context, (one) => /(^|\.)(declare_queue|get_queue)$/.test(one))
  return made === undefined
    ? undefined
    : {
        protocol,
        type: 'aio-pika',
        direction: 'in',
        names: [keyword(made.call.args, 'name') ?? positional(made.call.args, 0)],
      }
}

const queueCall = (placed: PlacedCall, context: DetectionContext): MessageCall | undefined => {
  const { name, args } = placed.call
  const queue = keyword(args, 'QueueUrl')
  if (queue === undefined || !/^(send_message(_batch)?|receive_message)$/.test(name)) return undefined
  if (makerOf(placed.call.receiver, placed.scope, context, (one) => AWS_CLIENT.test(one)) === undefined)
    return undefined
  return {
    protocol: 'Messaging-SQS',
    type: 'boto3',
    direction: name.startsWith('send') ? 'out' : 'in',
    names: [queue],
  }
}

const messageCall = (placed: PlacedCall, context: DetectionContext): MessageCall | undefined =>
  kafkaCall(placed, context) ?? rabbitCall(placed, context) ?? queueCall(placed, context)

/** FastStream: `@broker.subscriber("orders")`. */
const SUBSCRIBERS: readonly (readonly [RegExp, string])[] = [
  [/^faststream\.kafka|^faststream\.confluent/, 'Messaging-Kafka'],
  [/^faststream\.rabbit/, 'Messaging-RabbitMQ'],
  [/^faststream\.nats/, 'Messaging-NATS'],
]

const messagesIn: FindIn<MessageDirection, readonly FoundMessage[]> = (direction, scope, context) =>
  pythonCalls(scope).flatMap((placed) => {
    const found = messageCall(placed, context)
    if (found?.direction !== direction) return []
    return found.names
      .flatMap((name): readonly (Expression | undefined)[] => (name?.kind === 'list' ? name.items : [name]))
      .flatMap((name) => pythonText(name, placed.scope, context) ?? [])
      .filter(({ text }) => text !== '' && !/^[{$]/.test(text))
      .map((known) => ({
        ...known,
        protocol: found.protocol,
        type: found.type,
        line: placed.call.line,
        owner: placed.scope.type?.name ?? '',
      }))
  })

const subscribers = (scope: TypeScope, { resolver }: DetectionContext): readonly Inbound[] => {
  const { unit } = scope
  const protocol = SUBSCRIBERS.find(([module]) => unit.imports.some((one) => module.test(one)))?.[1]
  if (protocol === undefined) return []
  return unit.functions.flatMap(({ name, annotations }) =>
    annotations
      .filter((one) => one.name.endsWith('.subscriber'))
      .flatMap(({ args, line }) =>
        resolver
          .texts(args.get('value'), scope)
          .map((topic) => inboundAt(scope, line, topic, { protocol, handler: name })),
      ),
  )
}

const DETECTORS = messageDetectors(messagesIn)

export const PYTHON_MESSAGES: Framework = {
  name: 'kafka-python, aiokafka, confluent-kafka, pika, aio-pika, SQS',
  language: 'python',
  // A producer is often made in another file.
  applies: () => true,
  ...DETECTORS,
  inbound: (scope, context) => [...DETECTORS.inbound(scope, context), ...subscribers(scope, context)],
}
