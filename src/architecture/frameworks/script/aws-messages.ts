import { importsModule } from '../../connections/framework.ts'
import type { CallExpression, Expression } from '../../source/source-unit.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import type { MessageDirection } from '../found-messages.ts'

/** Queues of SQS and topics of SNS, by the commands of the AWS SDK, its older methods and sqs-consumer. */

/** A call that sends messages or listens for them. */
export interface MessageCall {
  readonly protocol: string
  readonly type: string
  readonly direction: MessageDirection
  /** The topics or queues. */
  readonly names: Expression | undefined
}

export const importsAws = importsModule(
  /^(@aws-sdk\/client-s[qn]s|aws-sdk(\/clients\/s[qn]s)?|sqs-consumer)$/,
)

const SQS = { protocol: 'Messaging-SQS', type: 'AWS SDK' }
const SNS = { protocol: 'Messaging-SNS', type: 'AWS SDK' }

/** `https://sqs.eu-west-1.amazonaws.com/1234/orders` and `arn:aws:sns:eu-west-1:1234:orders` are `orders`. */
export const awsName = (address: string): string =>
  /^(https?:\/\/|arn:)/.test(address)
    ? address.slice(Math.max(address.lastIndexOf('/'), address.lastIndexOf(':')) + 1)
    : address

const entry = (value: Expression | undefined, name: string): Expression | undefined =>
  value?.kind === 'record' ? value.entries.get(name) : undefined

export const awsCall = (call: CallExpression, { unit }: TypeScope): MessageCall | undefined => {
  const { name, args, receiver, makes } = call
  const [input] = args
  if (name === 'create' && receiver?.kind === 'name')
    return unit.bindings.get(receiver.name)?.module === 'sqs-consumer'
      ? { ...SQS, direction: 'in', names: entry(input, 'queueUrl') }
      : undefined
  const command = makes ? (unit.bindings.get(name)?.name ?? '') : name
  if (/^(SendMessage(Batch)?Command|sendMessage(Batch)?)$/.test(command))
    return { ...SQS, direction: 'out', names: entry(input, 'QueueUrl') }
  if (/^(ReceiveMessageCommand|receiveMessage)$/.test(command))
    return { ...SQS, direction: 'in', names: entry(input, 'QueueUrl') }
  return /^(Publish(Batch)?Command|publish)$/.test(command)
    ? { ...SNS, direction: 'out', names: entry(input, 'TopicArn') }
    : undefined
}
