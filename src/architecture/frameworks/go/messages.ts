import type { FindIn } from '../../connections/framework.ts'
import { type Framework, importsModule } from '../../connections/framework.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import { recordEntry, textExpression } from '../../source/source-unit.ts'
import { isFixed } from '../../source/text-resolver.ts'
import { type FoundMessage, type MessageDirection, messageDetectors } from '../found-messages.ts'
import { goCalls, moduleOf } from './go-calls.ts'
import { GoValues } from './go-values.ts'

/** Topics, queues and subjects of Kafka, RabbitMQ, NATS and SQS. */

interface MessageCall {
  readonly direction: MessageDirection
  readonly names: Expression | undefined
  readonly key?: Expression | undefined
}

interface MessageLibrary {
  readonly type: string
  readonly module: RegExp
  readonly protocol: string
  readonly find: (call: CallExpression, isOfModule: boolean) => MessageCall | undefined
}

const into = (names: Expression | undefined): MessageCall => ({ direction: 'in', names })
const out = (names: Expression | undefined, key?: Expression): MessageCall => ({
  direction: 'out',
  names,
  key,
})

const EMPTY = textExpression('')

const kafkaGo: MessageLibrary['find'] = ({ name, makes, args: [made] }, isOfModule) => {
  if (!isOfModule || !makes) return undefined
  if (name === 'ReaderConfig') return into(recordEntry(made, 'Topic', 'GroupTopics'))
  return /^(Writer|WriterConfig|Message)$/.test(name) ? out(recordEntry(made, 'Topic')) : undefined
}

const sarama: MessageLibrary['find'] = ({ name, makes, args, receiver }, isOfModule) => {
  if (makes) return isOfModule && name === 'ProducerMessage' ? out(recordEntry(args[0], 'Topic')) : undefined
  if (receiver === undefined) return undefined
  if (name === 'Consume' && args.length === 3) return into(args[1])
  return name === 'ConsumePartition' ? into(args[0]) : undefined
}

const confluent: MessageLibrary['find'] = ({ name, makes, args, receiver }, isOfModule) => {
  // Only a producer leaves the partition open.
  if (makes)
    return isOfModule && name === 'TopicPartition' && recordEntry(args[0], 'Partition') !== undefined
      ? out(recordEntry(args[0], 'Topic'))
      : undefined
  return receiver !== undefined && /^Subscribe(Topics)?$/.test(name) && args.length === 2
    ? into(args[0])
    : undefined
}

const amqp: MessageLibrary['find'] = ({ name, makes, args, receiver }, isOfModule) => {
  if (makes || isOfModule || receiver === undefined) return undefined
  if (name === 'Consume' && args.length === 7) return into(args[0])
  if (name === 'ConsumeWithContext' && args.length === 8) return into(args[1])
  const [exchange = EMPTY, key] =
    name === 'Publish' && args.length === 5
      ? args
      : name === 'PublishWithContext' && args.length === 6
        ? args.slice(1)
        : []
  if (key === undefined) return undefined
  // The default exchange delivers to the queue that the routing key names.
  return exchange.kind === 'text' && exchange.text === '' ? out(key) : out(exchange, key)
}

const nats: MessageLibrary['find'] = ({ name, makes, args, receiver }, isOfModule) => {
  if (makes || isOfModule || receiver === undefined) return undefined
  if (name === 'Publish' && args.length >= 2) return out(args.length === 3 ? args[1] : args[0])
  return /^(Queue)?Subscribe(Sync)?$/.test(name) ? into(args[0]) : undefined
}

const sqs: MessageLibrary['find'] = ({ name, makes, args: [made] }, isOfModule) => {
  if (!isOfModule || !makes) return undefined
  if (name === 'ReceiveMessageInput') return into(recordEntry(made, 'QueueUrl'))
  return /^SendMessage(Batch)?Input$/.test(name) ? out(recordEntry(made, 'QueueUrl')) : undefined
}

const library = (
  type: string,
  module: RegExp,
  protocol: string,
  find: MessageLibrary['find'],
): MessageLibrary => ({ type, module, protocol, find })

const LIBRARIES: readonly MessageLibrary[] = [
  library('kafka-go', /^github\.com\/segmentio\/kafka-go$/, 'Messaging-Kafka', kafkaGo),
  library('sarama', /^github\.com\/(IBM|Shopify)\/sarama$/, 'Messaging-Kafka', sarama),
  library(
    'confluent-kafka-go',
    /^github\.com\/confluentinc\/confluent-kafka-go(\/v\d+)?\/kafka$/,
    'Messaging-Kafka',
    confluent,
  ),
  library('amqp091', /^github\.com\/(rabbitmq\/amqp091-go|streadway\/amqp)$/, 'Messaging-RabbitMQ', amqp),
  library('NATS', /^github\.com\/nats-io\/nats\.go(\/jetstream)?$/, 'Messaging-NATS', nats),
  library('AWS SDK', /^github\.com\/aws\/aws-sdk-go(-v2)?\/service\/sqs$/, 'Messaging-SQS', sqs),
]

const goMessages: FindIn<MessageDirection, readonly FoundMessage[]> = (direction, scope, { resolver }) => {
  const values = new GoValues(resolver)
  const used = LIBRARIES.filter(({ module }) => importsModule(module)(scope.unit))
  return goCalls(scope).flatMap(({ call, scope: inside }) =>
    used.flatMap(({ type, module: known, protocol, find }) => {
      const module = moduleOf(call, inside)
      const found = find(call, module !== undefined && known.test(module))
      if (found?.direction !== direction) return []
      const key = values.text(found.key, inside)?.text ?? ''
      return values
        .texts(found.names, inside)
        .map((name) => ({ ...name, text: name.text.replace(/^https?:\/\/.*\//, '') }))
        .filter(({ text }) => isFixed(text))
        .map((name) => ({
          ...name,
          protocol,
          type,
          line: call.line,
          owner: inside.method.name,
          ...(isFixed(key) && { routingKey: key }),
        }))
    }),
  )
}

export const GO_MESSAGES: Framework = {
  name: LIBRARIES.map(({ type }) => type)
    .filter((type) => type !== 'AWS SDK')
    .join(', '),
  language: 'go',
  applies: (unit) => LIBRARIES.some(({ module }) => importsModule(module)(unit)),
  ...messageDetectors(goMessages),
}
