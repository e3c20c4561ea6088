import { optional } from '../../kernel/optional.ts'
import type { Configuration } from '../source/configuration.ts'
import {
  type CallExpression,
  type Expression,
  findAnnotation,
  nameIn,
  type TypeUnit,
} from '../source/source-unit.ts'
import { type KnownText, type TextResolver, weaker } from '../source/text-resolver.ts'
import type { TypeScope } from '../source/type-scope.ts'
import type { ResolveIn } from './framework.ts'
import { type Outbound, outboundAt } from './framework.ts'
import { boundDestination } from './inbound-events.ts'
import type { ProtoService } from './proto.ts'

interface Sender {
  readonly protocol: string
  readonly type: string
  readonly methods: RegExp
}

const sender = (protocol: string, type: string, methods: RegExp): Sender => ({ protocol, type, methods })

/** Message clients by the type of the receiver. */
const SENDERS: Readonly<Record<string, Sender>> = {
  KafkaTemplate: sender('Messaging-Kafka', 'KafkaTemplate', /^send$/),
  ReplyingKafkaTemplate: sender('Messaging-Kafka', 'KafkaTemplate', /^send(AndReceive)?$/),
  ReactiveKafkaProducerTemplate: sender('Messaging-Kafka', 'KafkaTemplate', /^send$/),
  KafkaProducer: sender('Messaging-Kafka', 'KafkaProducer', /^send$/),
  StreamBridge: sender('Messaging-Stream', 'StreamBridge', /^send$/),
  RabbitTemplate: sender(
    'Messaging-RabbitMQ',
    'RabbitTemplate',
    /^(convertAndSend|send|convertSendAndReceive|sendAndReceive)$/,
  ),
  AmqpTemplate: sender(
    'Messaging-RabbitMQ',
    'RabbitTemplate',
    /^(convertAndSend|send|convertSendAndReceive)$/,
  ),
  JmsTemplate: sender('Messaging-JMS', 'JmsTemplate', /^(convertAndSend|send|sendAndReceive)$/),
  JmsMessagingTemplate: sender('Messaging-JMS', 'JmsTemplate', /^(convertAndSend|send)$/),
  SqsTemplate: sender('Messaging-SQS', 'SqsTemplate', /^send$/),
}

const SEND_METHODS = /^(convertAndSend|send|sendAndReceive|convertSendAndReceive)$/

interface Sent {
  readonly sender: Sender
  readonly call: CallExpression
  readonly scope: TypeScope
}

const messageRecord = (
  known: KnownText | undefined,
  { sender, call, scope }: Sent,
  extra: Partial<Outbound> = {},
): Outbound => {
  const text = known === undefined || known.text === '' ? `${sender.type} default` : known.text
  return outboundAt(
    scope,
    call.line,
    { text, confidence: known?.confidence ?? 'low' },
    {
      protocol: sender.protocol,
      type: sender.type,
      ...optional({ origin: known?.origin }),
      ...extra,
    },
  )
}

/** The topic of a `new ProducerRecord<>("topic", …)`, else the argument itself. */
const topicOf = (argument: Expression | undefined): Expression | undefined =>
  argument?.kind === 'call' && argument.call.makes && /^ProducerRecord/.test(argument.call.name)
    ? argument.call.args[0]
    : argument

/** With three arguments, RabbitMQ gets exchange, routing key and message; with two, routing key and message. */
const rabbitMessage = (sent: Sent, resolver: TextResolver): Outbound => {
  const { call, scope } = sent
  const [first, second] = call.args
  const exchange = call.args.length >= 3 ? resolver.text(first, scope) : undefined
  const key =
    call.args.length >= 3
      ? resolver.text(second, scope)
      : call.args.length === 2
        ? resolver.text(first, scope)
        : undefined
  const named = exchange === undefined || exchange.text === '' ? key : exchange
  return messageRecord(named, sent, key === undefined ? {} : { routing_key: key.text })
}

export const messageOutbound: ResolveIn<CallExpression, readonly Outbound[]> = (call, resolver, scope) => {
  if (!SEND_METHODS.test(call.name)) return []
  const type = scope.typeOf(call.receiver)
  const sender = Object.hasOwn(SENDERS, type) ? SENDERS[type] : undefined
  if (sender === undefined || !sender.methods.test(call.name)) return []
  const sent = { sender, call, scope }
  if (sender.protocol === 'Messaging-RabbitMQ') return [rabbitMessage(sent, resolver)]
  const carried = topicOf(call.args[0])
  // A single argument that is not a record is the message: it goes to the default topic.
  const known = call.args.length === 1 && carried === call.args[0] ? undefined : resolver.text(carried, scope)
  const bound =
    sender.type === 'StreamBridge' && known !== undefined
      ? bindingDestination(known, resolver.configuration, scope)
      : known
  return [messageRecord(bound, sent)]
}

const bindingDestination = (
  binding: KnownText,
  configuration: Configuration,
  scope: TypeScope,
): KnownText => {
  const found = configuration.find(
    `spring.cloud.stream.bindings.${binding.text}.destination`,
    scope.unit.file,
  )
  return found === undefined
    ? binding
    : { text: found.value, confidence: weaker(binding.confidence, 'medium'), origin: binding.text }
}

const SUPPLIERS = /^(java\.util\.function\.)?(Supplier|Function)\b/

/** Supplier and function beans that the configuration binds to a stream. */
export const streamOutbound: ResolveIn<TypeUnit, readonly Outbound[]> = (type, resolver, scope) =>
  type.methods
    .filter(
      ({ annotations, returns }) =>
        findAnnotation(annotations, 'Bean') !== undefined && SUPPLIERS.test(returns),
    )
    .flatMap((method) => {
      const name = boundDestination(resolver.configuration, {
        name: method.name,
        direction: 'out',
        file: scope.unit.file,
      })
      if (name === undefined || (method.returns.includes('Function') && name === `${method.name}-out-0`))
        return []
      const { text } = resolver.configuration.fill(name, scope.unit.file)
      return [
        outboundAt(
          scope,
          method.line,
          { text, confidence: 'medium' },
          {
            protocol: 'Messaging-Stream',
            type: 'Function',
            caller: type.name,
            origin: `${method.name}-out-0`,
          },
        ),
      ]
    })

const STUBS = /^new(Blocking|Future|BlockingV2)?Stub$/
const MAX_PORT = 65_535

export class GrpcCalls {
  readonly #resolver: TextResolver
  readonly #protos: ReadonlyMap<string, ProtoService>

  constructor(resolver: TextResolver, protos: ReadonlyMap<string, ProtoService>) {
    this.#resolver = resolver
    this.#protos = protos
  }

  #record(
    name: string,
    scope: TypeScope,
    fields: Pick<Outbound, 'type' | 'line'> & Partial<Outbound>,
  ): Outbound {
    return {
      target_service: this.#protos.get(name)?.fullName ?? name,
      protocol: 'gRPC',
      source_file: scope.unit.file,
      caller: scope.type?.name ?? '',
      confidence: 'high',
      ...fields,
    }
  }

  outbound(call: CallExpression, scope: TypeScope): readonly Outbound[] {
    const stub =
      STUBS.test(call.name) && call.receiver?.kind === 'name'
        ? /(\w+)Grpc$/.exec(call.receiver.name)?.[1]
        : undefined
    const coroutine = call.makes ? /(?:^|\.)(\w+)CoroutineStub$/.exec(call.name)?.[1] : undefined
    const name = stub ?? coroutine
    if (name !== undefined) return [this.#record(name, scope, { type: 'Stub', line: call.line })]
    return this.#channel(call, scope)
  }

  #channel(call: CallExpression, scope: TypeScope): readonly Outbound[] {
    const owner = nameIn(call.receiver)
    if (
      !/(ManagedChannelBuilder|NettyChannelBuilder|Grpc)$/.test(owner) ||
      !/^(forAddress|forTarget|newChannelBuilder)$/.test(call.name)
    )
      return []
    const host = this.#resolver.text(call.args[0], scope)
    if (host === undefined) return []
    const port = call.name === 'forAddress' ? this.#resolver.text(call.args[1], scope)?.text : undefined
    const shown = port !== undefined && Number(port) <= MAX_PORT ? `${host.text}:${port}` : host.text
    return [
      this.#record(shown, scope, {
        type: 'ManagedChannel',
        line: call.line,
        confidence: host.confidence,
        ...optional({ origin: host.origin }),
      }),
    ]
  }

  /** `@GrpcClient("orders")` on a field. */
  injected(type: TypeUnit, scope: TypeScope): readonly Outbound[] {
    return type.fields.flatMap((field) => {
      const annotation = findAnnotation(field.annotations, 'GrpcClient')
      if (annotation === undefined) return []
      const name = this.#resolver.text(annotation.args.get('value') ?? annotation.args.get('name'), scope)
      const fallback = /(\w+?)Grpc\b/.exec(field.type)?.[1] ?? field.name
      return [
        this.#record(name?.text ?? fallback, scope, {
          type: 'GrpcClient',
          line: field.line,
          confidence: name?.confidence ?? 'medium',
        }),
      ]
    })
  }
}
