import { optional } from '../../kernel/optional.ts'
import type { Configuration } from '../source/configuration.ts'
import { findAnnotation, type TypeUnit } from '../source/source-unit.ts'
import { type KnownText, weaker } from '../source/text-resolver.ts'
import type { ResolveIn } from './framework.ts'
import { type Outbound, outboundAt } from './framework.ts'

/** MicroProfile Reactive Messaging: settings say which topic of which broker a channel is. */

const CONNECTORS: readonly (readonly [RegExp, string])[] = [
  [/kafka/, 'Messaging-Kafka'],
  [/rabbitmq/, 'Messaging-RabbitMQ'],
  [/amqp|jms/, 'Messaging-JMS'],
]
const NAMES = ['topic', 'queue.name', 'exchange.name', 'address', 'destination']

/** The protocol and the name of a channel; both stay as they are where no setting says more. */
export const channelOf = (
  channel: KnownText,
  direction: 'incoming' | 'outgoing',
  configuration: Configuration,
  file: string,
): { readonly protocol: string; readonly name: KnownText } => {
  const setting = (key: string) =>
    configuration.find(`mp.messaging.${direction}.${channel.text}.${key}`, file)?.value
  const connector = setting('connector') ?? ''
  const protocol = CONNECTORS.find(([pattern]) => pattern.test(connector))?.[1] ?? 'Messaging-Stream'
  const named = NAMES.map(setting).find((one) => one !== undefined)
  if (named === undefined) return { protocol, name: channel }
  return {
    protocol,
    name: { text: named, confidence: weaker(channel.confidence, 'medium'), origin: channel.text },
  }
}

/** Methods with `@Outgoing` and injected emitters: `@Channel("prices") Emitter<Price> prices`. */
export const channelOutbound: ResolveIn<TypeUnit, readonly Outbound[]> = (type, resolver, scope) => {
  const emitters = [...type.fields, ...type.constructors.flatMap(({ parameters }) => parameters)]
    .filter((one) => /Emitter\b/.test(one.type))
    .map(({ annotations, line }) => ({ annotation: findAnnotation(annotations, 'Channel'), line }))
  const methods = type.methods.map(({ annotations, line }) => ({
    annotation: findAnnotation(annotations, 'Outgoing'),
    line,
  }))
  return [...emitters, ...methods].flatMap(({ annotation, line }) => {
    const channel = resolver.text(annotation?.args.get('value'), scope)
    if (channel === undefined) return []
    const { protocol, name } = channelOf(channel, 'outgoing', resolver.configuration, scope.unit.file)
    return [
      outboundAt(scope, line, name, {
        protocol,
        type: 'Reactive Messaging',
        caller: type.name,
        ...optional({ origin: name.origin }),
      }),
    ]
  })
}
