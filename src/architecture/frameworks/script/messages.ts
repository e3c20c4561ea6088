import type { FindIn } from '../../connections/framework.ts'
import { type Framework, importsModule } from '../../connections/framework.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import { recordEntry } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { fileCalls } from '../../source/type-scope.ts'
import { type FoundMessage, type MessageDirection, messageDetectors } from '../found-messages.ts'

/** Queues of SQS and topics of SNS, by the commands of the AWS SDK, its older methods and sqs-consumer. */

/** A call that sends messages or listens for them. */
interface MessageCall {
  readonly protocol: string
  readonly type: string
  readonly direction: MessageDirection
  /** The topics or queues. */
  readonly names: Expression | undefined
}

const importsAws = importsModule(/^(@aws-sdk\/client-s[qn]s|aws-sdk(\/clients\/s[qn]s)?|sqs-consumer)$/)

const SQS = { protocol: 'Messaging-SQS', type: 'AWS SDK' }
const SNS = { protocol: 'Messaging-SNS', type: 'AWS SDK' }

/** `https://sqs.eu-west-1.amazonaws.com/1234/orders` and `arn:aws:sns:eu-west-1:1234:orders` are `orders`. */
const awsName = (address: string): string =>
  /^(https?:\/\/|arn:)/.test(address)
    ? address.slice(Math.max(address.lastIndexOf('/'), address.lastIndexOf(':')) + 1)
    : address

const awsCall = (call: CallExpression, { unit }: TypeScope): MessageCall | undefined => {
  const { name, args, receiver, makes } = call
  const [input] = args
  if (name === 'create' && receiver?.kind === 'name')
    return unit.bindings.get(receiver.name)?.module === 'sqs-consumer'
      ? { ...SQS, direction: 'in', names: recordEntry(input, 'queueUrl') }
      : undefined
  const command = makes ? (unit.bindings.get(name)?.name ?? '') : name
  if (/^(SendMessage(Batch)?Command|sendMessage(Batch)?)$/.test(command))
    return { ...SQS, direction: 'out', names: recordEntry(input, 'QueueUrl') }
  if (/^(ReceiveMessageCommand|receiveMessage)$/.test(command))
    return { ...SQS, direction: 'in', names: recordEntry(input, 'QueueUrl') }
  return /^(Publish(Batch)?Command|publish)$/.test(command)
    ? { ...SNS, direction: 'out', names: recordEntry(input, 'TopicArn') }
    : undefined
}

/** Topics and queues of kafkajs, amqplib, BullMQ, SQS and SNS. */

/** Whether a receiver was made by a call of this name, or has this type: `kafka.producer()`, `Producer`. */
const isMadeBy = (receiver: Expression | undefined, made: string, scope: TypeScope): boolean => {
  if (receiver?.kind === 'call') return receiver.call.name === made
  if (receiver?.kind !== 'name') return false
  return scope
    .variables(receiver.name)
    .some(
      ({ value, type }) =>
        type.toLowerCase() === made || (value?.kind === 'call' && value.call.name === made),
    )
}

const kafkajsCall = (call: CallExpression, scope: TypeScope): MessageCall | undefined => {
  const kafka = { protocol: 'Messaging-Kafka', type: 'kafkajs' }
  const names = recordEntry(call.args[0], 'topic', 'topics')
  if (call.name === 'sendBatch' && isMadeBy(call.receiver, 'producer', scope)) {
    const batches = recordEntry(call.args[0], 'topicMessages')
    const items =
      batches?.kind === 'list' ? batches.items.flatMap((one) => recordEntry(one, 'topic') ?? []) : []
    return { ...kafka, direction: 'out', names: { kind: 'list', items } }
  }
  if (call.name === 'send' && isMadeBy(call.receiver, 'producer', scope))
    return { ...kafka, direction: 'out', names }
  return call.name === 'subscribe' && isMadeBy(call.receiver, 'consumer', scope)
    ? { ...kafka, direction: 'in', names }
    : undefined
}

const amqplibCall = ({ name, receiver, args }: CallExpression): MessageCall | undefined => {
  const rabbit = { protocol: 'Messaging-RabbitMQ', type: 'amqplib' }
  if (receiver === undefined) return undefined
  if (name === 'consume' && args.length > 1) return { ...rabbit, direction: 'in', names: args[0] }
  if (name === 'sendToQueue') return { ...rabbit, direction: 'out', names: args[0] }
  return name === 'publish' && args.length > 2 ? { ...rabbit, direction: 'out', names: args[0] } : undefined
}

const workerCall = (
  { name, makes, args, receiver }: CallExpression,
  scope: TypeScope,
): MessageCall | undefined => {
  const bull = { protocol: 'Messaging-BullMQ', type: 'BullMQ', direction: 'in' as const }
  const { bindings } = scope.unit
  if (makes && bindings.get(name)?.module === 'bullmq' && bindings.get(name)?.name === 'Worker')
    return { ...bull, names: args[0] }
  if (name !== 'process' || receiver?.kind !== 'name') return undefined
  // Bull: `queue.process(…)`.
  for (const { value } of scope.variables(receiver.name))
    if (value?.kind === 'call' && value.call.makes && bindings.get(value.call.name)?.module === 'bull')
      return { ...bull, names: value.call.args[0] }
  return undefined
}

const importsKafka = importsModule(/^kafkajs$/)
const importsRabbit = importsModule(/^(amqplib(\/callback_api)?|amqp-connection-manager)$/)
const importsBull = importsModule(/^bull(mq)?$/)

const libraryCall = (call: CallExpression, scope: TypeScope): MessageCall | undefined => {
  const { unit } = scope
  return (
    (importsKafka(unit) ? kafkajsCall(call, scope) : undefined) ??
    (importsRabbit(unit) ? amqplibCall(call) : undefined) ??
    (importsBull(unit) ? workerCall(call, scope) : undefined) ??
    (importsAws(unit) ? awsCall(call, scope) : undefined)
  )
}

const scriptMessages: FindIn<MessageDirection, readonly FoundMessage[]> = (
  direction,
  scope,
  { resolver },
) => {
  const { unit } = scope
  return fileCalls(scope).flatMap((one) => {
    const at = one.scope.atLine(one.call.line)
    const found = libraryCall(one.call, at)
    if (found?.direction !== direction) return []
    return resolver
      .texts(found.names, at)
      .map((known) => (importsAws(unit) ? { ...known, text: awsName(known.text) } : known))
      .filter(
        ({ text }) => text !== '' && !text.startsWith('{') && (importsAws(unit) || !text.startsWith('$')),
      )
      .map((known) => ({
        ...known,
        protocol: found.protocol,
        type: found.type,
        line: one.call.line,
        owner: at.type?.name ?? '',
      }))
  })
}

export const SCRIPT_MESSAGES: Framework = {
  name: 'kafkajs, amqplib, BullMQ, AWS SDK, sqs-consumer',
  language: 'script',
  applies: (unit) => importsKafka(unit) || importsRabbit(unit) || importsBull(unit) || importsAws(unit),
  ...messageDetectors(scriptMessages),
}
