import type { DetectionContext, Outbound } from '../../connections/framework.ts'
import { CallDetector, outboundAt } from '../../connections/framework.ts'
import { memoized } from '../../source/memoized.ts'
import type { SourceIndex } from '../../source/source-index.ts'
import {
  bodiesOf,
  type CallExpression,
  type Expression,
  findAnnotation,
  itemsOf,
  recordEntry,
} from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { callsOf } from '../../source/type-scope.ts'
import { startRecord } from './nest-applications.ts'

/** Microservices of Nest: transports, clients and queues. */

interface Transport {
  readonly protocol: string
  readonly scheme: string
  /** Where the options hold the address. */
  readonly address: readonly string[]
}

const NO_TRANSPORT = 'Messaging-Nest'

const TRANSPORTS: Readonly<Record<string, Transport>> = {
  RMQ: { protocol: 'Messaging-RabbitMQ', scheme: 'amqp', address: ['urls'] },
  KAFKA: { protocol: 'Messaging-Kafka', scheme: '', address: ['client', 'brokers'] },
  NATS: { protocol: 'Messaging-NATS', scheme: 'nats', address: ['servers'] },
  REDIS: { protocol: 'Messaging-Redis', scheme: 'redis', address: ['host'] },
  MQTT: { protocol: 'Messaging-MQTT', scheme: 'mqtt', address: ['url'] },
}

const CLIENT_TYPE = /^Client(Proxy|Kafka|RMQ|Redis|Nats|TCP|Mqtt)(Proxy)?$/

/** The value at the end of a path of nested records. */
const entryAt = (value: Expression | undefined, ...path: readonly string[]): Expression | undefined =>
  path.reduce((at, name) => recordEntry(at, name), value)

/** `KAFKA` of `transport: Transport.KAFKA`. */
const transportName = (options: Expression | undefined): string => {
  const given = entryAt(options, 'transport')
  return given?.kind === 'name' ? given.name.slice(given.name.lastIndexOf('.') + 1) : ''
}

const transportNamed = (name: string): Transport | undefined =>
  Object.hasOwn(TRANSPORTS, name) ? TRANSPORTS[name] : undefined

/** The protocol of messages; the services of the TCP transport call each other without a broker. */
const protocolNamed = (name: string): string =>
  name === 'TCP' ? 'Messaging-TCP' : (transportNamed(name)?.protocol ?? NO_TRANSPORT)

const transportOf = (options: Expression | undefined): Transport | undefined =>
  transportNamed(transportName(options))

/** The names of all transports of a project. */
const projectTransports = memoized(
  ({ units }: SourceIndex): ReadonlySet<string> =>
    new Set(
      units
        .filter(({ imports }) => imports.includes('@nestjs/microservices'))
        .flatMap(({ topLevel, types }) => [topLevel, ...types.flatMap((type) => [type, ...bodiesOf(type)])])
        .flatMap(({ calls }) => calls.flatMap(transportOptions).map(transportName)),
    ),
)

/** The protocol of the messages that the application of a file handles: its own, or the only one of the project. */
export const listenerProtocol = (scope: TypeScope): string => {
  const own = startRecord(scope)
  if (own !== undefined) return protocolNamed(transportName(own))
  const [only = '', ...others] = projectTransports(scope.index)
  return others.length === 0 ? protocolNamed(only) : NO_TRANSPORT
}

/** The options of `ClientsModule.register([…])`, `createMicroservice(App, …)` and `connectMicroservice(…)`. */
const transportOptions = ({ name, receiver, args }: CallExpression): readonly Expression[] => {
  if (name === 'createMicroservice') return args.slice(1, 2)
  if (name === 'connectMicroservice') return args.slice(0, 1)
  const isClients = receiver?.kind === 'name' && receiver.name === 'ClientsModule'
  if (!isClients || !/^register(Async)?$/.test(name)) return []
  const [list] = args
  const items =
    list?.kind === 'list'
      ? list.items
      : (() => {
          const clients = entryAt(list, 'clients')
          return itemsOf(clients)
        })()
  return items.map((one) => {
    const factory = entryAt(one, 'useFactory')
    return (factory?.kind === 'other' ? factory.lambda?.returns : undefined) ?? one
  })
}

/** What a call of a class connects to. */
class NestCall extends CallDetector {
  #row(type: string, protocol: string, known: KnownText): Outbound {
    return outboundAt(this.scope, this.call.line, known, { protocol, type })
  }

  brokers(): readonly Outbound[] {
    return transportOptions(this.call).flatMap((options) => {
      const transport = transportOf(options)
      if (transport === undefined) return []
      const given = this.context.resolver.text(entryAt(options, 'options', ...transport.address), this.scope)
      const isKnown = given !== undefined && given.confidence !== 'low' && !/^[{$]/.test(given.text)
      const technology = transport.protocol.replace('Messaging-', '')
      const text =
        isKnown && !given.text.includes('://') && transport.scheme !== ''
          ? `${transport.scheme}://${given.text}`
          : given?.text
      return [
        this.#row(
          'Broker',
          transport.protocol,
          isKnown ? { ...given, text: text ?? technology } : { text: technology, confidence: 'low' },
        ),
      ]
    })
  }

  /** `client.send({ cmd: 'sum' }, …)` and `client.emit('created', …)` of a client of Nest. */
  messages(): readonly Outbound[] {
    const { name, receiver, args } = this.call
    if (!/^(send|emit)$/.test(name) || receiver?.kind !== 'name' || args.length < 2) return []
    const type = this.scope.typeOf(receiver)
    if (!CLIENT_TYPE.test(type)) return []
    const [pattern] = args
    const known = this.context.resolver.text(
      pattern?.kind === 'record' ? entryAt(pattern, 'cmd') : pattern,
      this.scope,
    )
    if (known === undefined || /^[{$]/.test(known.text)) return []
    const protocol = type.startsWith('ClientKafka') ? 'Messaging-Kafka' : listenerProtocol(this.scope)
    return [this.#row('ClientProxy', protocol, known)]
  }

  /** `client.getService<Heroes>('HeroesService')`. */
  grpc(): readonly Outbound[] {
    const { name, receiver, args } = this.call
    if (name !== 'getService' || this.scope.typeOf(receiver) !== 'ClientGrpc') return []
    const service = this.context.resolver.text(args[0], this.scope)
    if (service === undefined) return []
    const text = this.context.protos.get(service.text)?.fullName ?? service.text
    return [this.#row('ClientGrpc', 'gRPC', { ...service, text })]
  }
}

/** Queues that are injected: `@InjectQueue('mails') private readonly mails: Queue`. */
const injectedQueues = (scope: TypeScope, { resolver }: DetectionContext): readonly Outbound[] =>
  (scope.type?.constructors ?? []).flatMap(({ parameters }) =>
    parameters.flatMap(({ annotations, line }) => {
      const queue = resolver.text(findAnnotation(annotations, 'InjectQueue')?.args.get('value'), scope)
      if (queue === undefined || /^[{$]/.test(queue.text)) return []
      return [outboundAt(scope, line, queue, { protocol: 'Messaging-BullMQ', type: 'BullMQ' })]
    }),
  )

export const nestOutbound = (scope: TypeScope, context: DetectionContext): readonly Outbound[] => {
  const { unit } = scope
  const outside = unit.topLevel.calls.flatMap((call) => new NestCall(call, scope, context).brokers())
  const inside = unit.types.flatMap((type) => {
    const own = scope.at(unit, type, unit.topLevel)
    const calls = callsOf(type, own).flatMap(({ call, scope: at }) => {
      const one = new NestCall(call, at, context)
      return [...one.brokers(), ...one.messages(), ...one.grpc()]
    })
    return [...injectedQueues(own, context), ...calls]
  })
  return [...outside, ...inside]
}
