import { callChain } from '../../connections/client-base-url.ts'
import {
  type DetectionContext,
  type Framework,
  type Inbound,
  importsModule,
  type Outbound,
} from '../../connections/framework.ts'
import {
  type CallExpression,
  type Expression,
  findAnnotation,
  firstArgument,
  simpleName,
  type TypeUnit,
} from '../../source/source-unit.ts'
import type { KnownText } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { functionsOf } from './route-functions.ts'

/** Eventuate: events of an aggregate go to the channel with the full name of its class, commands to named channels. */

const LISTENS = /^(forAggregateType|andForAggregateType|fromChannel|andFromChannel)$/
const HANDLERS = ['EventuateDomainEventHandler', 'EventuateCommandHandler']

/** Eventuate sends through Kafka where the settings name one, and through any broker or database otherwise. */
const protocolOf = ({ resolver }: DetectionContext, file: string): string =>
  resolver.configuration.find('eventuatelocal.kafka.bootstrap.servers', file) === undefined
    ? 'Messaging-Eventuate'
    : 'Messaging-Kafka'

/** The channel of an aggregate: the full name of its class. */
const className = (name: string, { index, unit }: TypeScope): KnownText => {
  const simple = simpleName(name)
  const imported = unit.imports.find((one) => one.endsWith(`.${simple}`))
  const place = imported === undefined ? index.find(name, unit) : undefined
  // Without an import, the name is one of the same package.
  const text = imported ?? [place?.unit.package ?? unit.package, simple].filter((one) => one !== '').join('.')
  return { text, confidence: 'high' }
}

const channelOf = (
  argument: Expression | undefined,
  scope: TypeScope,
  { resolver }: DetectionContext,
): KnownText | undefined =>
  argument?.kind === 'other' && argument.text.endsWith('.class')
    ? className(argument.text.replace(/\.class$/, ''), scope)
    : resolver.text(argument, scope)

const inbound = (scope: TypeScope, context: DetectionContext): readonly Inbound[] => {
  const { file } = scope.unit
  const protocol = protocolOf(context, file)
  return functionsOf(scope.unit).flatMap(({ type, method }) => {
    const inside = scope.at(scope.unit, type, method)
    const handler = [type?.name ?? '', method.name].filter((one) => one !== '').join('.')
    const record = (channel: KnownText | undefined, line: number): readonly Inbound[] =>
      channel === undefined
        ? []
        : [
            {
              protocol,
              endpoint: channel.text,
              source_file: file,
              line,
              handler,
              confidence: channel.confidence,
              ...(channel.origin !== undefined && { origin: channel.origin }),
            },
          ]
    const annotation = findAnnotation(method.annotations, ...HANDLERS)
    return [
      ...(annotation === undefined
        ? []
        : record(channelOf(annotation.args.get('channel'), inside, context), method.line)),
      ...method.calls
        .filter(({ name }) => LISTENS.test(name))
        .flatMap((call) => record(channelOf(call.args[0], inside, context), call.line)),
    ]
  })
}

/** The channel that a call sends to; undefined when it sends nothing. */
const sentTo = (call: CallExpression, scope: TypeScope): Expression | undefined => {
  const chain = callChain(call).map(({ name }) => name)
  if (call.name === 'withChannel') return call.args[0]
  if (call.name === 'to') return chain.includes('send') ? call.args[0] : undefined
  const sender = scope.typeOf(call.receiver)
  if (call.name === 'publish' && sender === 'DomainEventPublisher') return call.args[0]
  return call.name === 'send' && sender === 'CommandProducer' ? call.args[0] : undefined
}

/** `class OrderEvents extends AbstractAggregateDomainEventPublisher<Order, OrderEvent>` */
const publishedAggregate = ({ extends: base = '' }: TypeUnit): string | undefined =>
  simpleName(base) === 'AbstractAggregateDomainEventPublisher' ? firstArgument(base) : undefined

const outbound = (scope: TypeScope, context: DetectionContext): readonly Outbound[] => {
  const { file } = scope.unit
  const record = (channel: KnownText, line: number, caller: string): Outbound => ({
    target_service: channel.text,
    protocol: protocolOf(context, file),
    type: 'Eventuate',
    source_file: file,
    line,
    caller,
    confidence: channel.confidence,
    ...(channel.origin !== undefined && { origin: channel.origin }),
  })
  const publishers = scope.unit.types.flatMap((type) => {
    const aggregate = publishedAggregate(type)
    return aggregate === undefined ? [] : [record(className(aggregate, scope), type.line, type.name)]
  })
  const sent = functionsOf(scope.unit).flatMap(({ type, method }) => {
    const inside = scope.at(scope.unit, type, method)
    return method.calls.flatMap((call) => {
      const channel = channelOf(sentTo(call, inside), inside, context)
      return channel === undefined ? [] : [record(channel, call.line, type?.name ?? '')]
    })
  })
  const held = scope.unit.types.flatMap((type) =>
    type.calls.flatMap((call) => {
      const inside = scope.at(scope.unit, type, scope.method)
      const channel = channelOf(sentTo(call, inside), inside, context)
      return channel === undefined ? [] : [record(channel, call.line, type.name)]
    }),
  )
  return [...publishers, ...sent, ...held]
}

export const EVENTUATE: Omit<Framework, 'language'> = {
  name: 'Eventuate',
  applies: importsModule(/^io\.eventuate\./),
  inbound,
  outbound,
}
