import { joinRoutes } from '../../connections/addresses.ts'
import type { Inbound } from '../../connections/connections.ts'
import type { DetectionContext, Framework } from '../../connections/framework.ts'
import { toInbound } from '../../connections/inbound-web.ts'
import { type Annotation, findAnnotation, type Method, type TypeUnit } from '../../source/source-unit.ts'
import { type KnownText, weaker } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { globalPrefix, versionSegments } from './nest-applications.ts'
import { isUnregistered, modulePrefixes } from './nest-modules.ts'
import { listenerProtocol, nestOutbound } from './nest-transports.ts'

const VERBS: Readonly<Record<string, string>> = {
  Get: 'GET',
  Post: 'POST',
  Put: 'PUT',
  Patch: 'PATCH',
  Delete: 'DELETE',
  Head: 'HEAD',
  Options: 'OPTIONS',
  All: 'ANY',
}

interface NestEvent {
  /** That of the transport when absent. */
  readonly protocol?: string
  /** The decorator that the class must have; any when absent. */
  readonly within?: string
}

const EVENTS: Readonly<Record<string, NestEvent>> = {
  MessagePattern: {},
  EventPattern: {},
  Cron: { protocol: 'Scheduled' },
  Interval: { protocol: 'Scheduled' },
  SubscribeMessage: { protocol: 'WebSocket', within: 'WebSocketGateway' },
}

const GRPC = new Set(['GrpcMethod', 'GrpcStreamMethod', 'GrpcStreamCall'])

/** A class with its scope. */
interface NestClass {
  readonly type: TypeUnit
  readonly scope: TypeScope
  readonly context: DetectionContext
}

const controllerEndpoints = ({ type, scope, context }: NestClass): readonly Inbound[] => {
  const { resolver } = context
  const above = findAnnotation(type.annotations, 'Controller')
  if (above === undefined) return []
  const given = above.args.get('value') ?? above.args.get('path')
  const known = resolver.texts(given, scope)
  const prefixes = known.length === 0 ? [EMPTY] : known
  return type.methods.flatMap((method) =>
    method.annotations.flatMap((annotation) => {
      const verb = Object.hasOwn(VERBS, annotation.name) ? VERBS[annotation.name] : undefined
      if (verb === undefined) return []
      const path = annotation.args.get('value') ?? annotation.args.get('path')
      const texts = path === undefined ? [EMPTY] : resolver.texts(path, scope)
      const version = findAnnotation(method.annotations, 'Version')?.args.get('value')
      const versions = versionSegments(version ?? above.args.get('version'), scope, context)
      return prefixes.flatMap((prefix) =>
        texts.flatMap(({ text, confidence }) => {
          const own = joinRoutes(prefix.text, text)
          return modulePrefixes(type.name, scope, context).flatMap((above) => {
            const path = joinRoutes(above, own)
            const global = globalPrefix(path, scope, context)
            return versions.map((segment) =>
              toInbound(
                {
                  method: verb,
                  path: joinRoutes(global.text, segment, path),
                  confidence: weaker(weaker(global.confidence, prefix.confidence), confidence),
                },
                { file: scope.unit.file, line: method.line, handler: `${type.name}.${method.name}` },
              ),
            )
          })
        }),
      )
    }),
  )
}

const EMPTY: KnownText = { text: '', confidence: 'high' }

const inboundOf = (
  { type, scope }: NestClass,
  { name, line }: Method,
  protocol: string,
  { text, confidence }: Pick<KnownText, 'text' | 'confidence'>,
): Inbound => ({
  protocol,
  endpoint: text,
  source_file: scope.unit.file,
  line,
  handler: `${type.name}.${name}`,
  confidence,
})

/** The pattern of a message: a text, `{ cmd: 'sum' }` as `sum`, and other records with their keys. */
const patternOf = ({ args }: Annotation, { scope, context: { resolver } }: NestClass) => {
  const single = args.get('value') ?? (args.size === 1 ? args.get('cmd') : undefined)
  if (single !== undefined) return resolver.text(single, scope)
  const entries = [...args].filter(([key]) => !/^\d+$/.test(key))
  if (entries.length === 0) return undefined
  const shown = entries.map(([key, value]) => `${key}: ${resolver.text(value, scope)?.text ?? ''}`)
  return { text: `{ ${shown.sort().join(', ')} }`, confidence: 'high' as const }
}

const eventEndpoint = (one: NestClass, method: Method, annotation: Annotation): readonly Inbound[] => {
  const event = Object.hasOwn(EVENTS, annotation.name) ? EVENTS[annotation.name] : undefined
  if (event === undefined) return []
  const gateway = event.within === undefined ? undefined : findAnnotation(one.type.annotations, event.within)
  if (event.within !== undefined && gateway === undefined) return []
  const pattern = patternOf(annotation, one) ?? {
    text: `${one.type.name}.${method.name}`,
    confidence: 'medium' as const,
  }
  const options = gateway?.args.get('1')
  const given =
    gateway?.args.get('namespace') ??
    (options?.kind === 'record' ? options.entries.get('namespace') : undefined)
  const namespace = one.context.resolver.text(given, one.scope)
  const text = namespace === undefined ? pattern.text : `${joinRoutes(namespace.text)} ${pattern.text}`
  return [
    inboundOf(one, method, event.protocol ?? listenerProtocol(one.scope), {
      text,
      confidence: pattern.confidence,
    }),
  ]
}

/** `@GrpcMethod('Greeter', 'Hi')`; by default, service and method are named after class and method. */
const grpcEndpoint = (one: NestClass, method: Method, { name, args }: Annotation): readonly Inbound[] => {
  if (!GRPC.has(name)) return []
  const { resolver, protos } = one.context
  const service = resolver.text(args.get('value'), one.scope) ?? { ...EMPTY, text: one.type.name }
  const given = resolver.text(args.get('1'), one.scope)?.text
  const called = given ?? method.name.charAt(0).toUpperCase() + method.name.slice(1)
  const text = `${protos.get(service.text)?.fullName ?? service.text}/${called}`
  return [inboundOf(one, method, 'gRPC', { text, confidence: service.confidence })]
}

/** Queues of `@Processor('audio')`: the methods with `@Process`, or the one that overrides `process`. */
const queueEndpoints = (one: NestClass): readonly Inbound[] => {
  const above = findAnnotation(one.type.annotations, 'Processor')
  const queue = one.context.resolver.text(above?.args.get('value') ?? above?.args.get('name'), one.scope)
  if (queue === undefined) return []
  return one.type.methods
    .filter(
      ({ name, annotations }) => name === 'process' || findAnnotation(annotations, 'Process') !== undefined,
    )
    .map((method) => inboundOf(one, method, 'Messaging-BullMQ', queue))
}

export const NEST: Framework = {
  name: 'NestJS',
  language: 'script',
  // Decorators may be imported from a package of the project that exports those of Nest.
  applies: ({ types, imports }) => types.length > 0 || imports.some((name) => name.startsWith('@nestjs/')),
  inbound: (scope, context) => {
    if (isUnregistered(scope, context)) return []
    return scope.unit.types.flatMap((type) => {
      const one = { type, scope: scope.at(scope.unit, type, scope.unit.topLevel), context }
      return [
        ...controllerEndpoints(one),
        ...queueEndpoints(one),
        ...type.methods.flatMap((method) =>
          method.annotations.flatMap((annotation) => [
            ...eventEndpoint(one, method, annotation),
            ...grpcEndpoint(one, method, annotation),
          ]),
        ),
      ]
    })
  },
  outbound: nestOutbound,
}
