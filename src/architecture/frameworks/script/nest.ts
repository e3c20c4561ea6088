import { pushTo } from '../../../kernel/multimap.ts'
import { joinRoutes } from '../../connections/addresses.ts'
import type { DetectionContext, Framework, Inbound } from '../../connections/framework.ts'
import { inboundAt } from '../../connections/framework.ts'
import { toInbound } from '../../connections/inbound-web.ts'
import { memoized } from '../../source/memoized.ts'
import { isImportedNowhere } from '../../source/module-files.ts'
import type { SourceIndex } from '../../source/source-index.ts'
import {
  type Annotation,
  type Expression,
  findAnnotation,
  itemsOf,
  type Method,
  recordEntry,
  type TypeUnit,
} from '../../source/source-unit.ts'
import { type KnownText, NO_TEXT, weaker } from '../../source/text-resolver.ts'
import type { TypeScope } from '../../source/type-scope.ts'
import { globalPrefix, versionSegments } from './nest-applications.ts'
import { listenerProtocol, nestOutbound } from './nest-transports.ts'

/** Prefixes that `RouterModule.register([{ path, module, children }])` gives to the controllers of modules. */

const MAX_DEPTH = 8
const PREFIXES = new WeakMap<SourceIndex, ReadonlyMap<string, readonly string[]>>()

/** The list that a call gets, also by the name of a constant. */
const routeTree = (given: Expression | undefined, scope: TypeScope): readonly Expression[] => {
  if (given?.kind !== 'name') return itemsOf(given)
  return scope.variables(given.name).flatMap(({ value }) => itemsOf(value))
}

class ModulePrefixes {
  readonly #context: DetectionContext
  readonly #scope: TypeScope
  readonly #found: Map<string, string[]>

  constructor(scope: TypeScope, context: DetectionContext, found: Map<string, string[]>) {
    this.#scope = scope
    this.#context = context
    this.#found = found
  }

  add(items: readonly Expression[], prefix: string, depth = 0): void {
    if (depth > MAX_DEPTH) return
    for (const item of items) {
      const record = item.kind === 'record' ? item.entries : new Map<string, Expression>()
      const own = this.#context.resolver.text(record.get('path'), this.#scope)?.text ?? ''
      const path = joinRoutes(prefix, own)
      const module = item.kind === 'name' ? item : record.get('module')
      if (module?.kind === 'name')
        pushTo(this.#found, this.#context.modules.declarationKey(module.name, this.#scope.unit), path)
      this.add(itemsOf(record.get('children')), path, depth + 1)
    }
  }
}

const controllerPrefixes = (
  scope: TypeScope,
  context: DetectionContext,
): ReadonlyMap<string, readonly string[]> => {
  const { index } = scope
  const known = PREFIXES.get(index)
  if (known !== undefined) return known
  const modules = new Map<string, string[]>()
  const units = index.units.filter(({ language }) => language === 'script')
  for (const unit of units)
    for (const type of unit.types)
      for (const { name, receiver, args } of type.calls)
        if (name === 'register' && receiver?.kind === 'name' && receiver.name === 'RouterModule') {
          const there = scope.at(unit, undefined, unit.topLevel)
          new ModulePrefixes(there, context, modules).add(routeTree(args[0], there), '')
        }
  const controllers = new Map<string, string[]>()
  for (const unit of modules.size === 0 ? [] : units)
    for (const type of unit.types)
      for (const prefix of modules.get(`${unit.file}\0${type.name}`) ?? [])
        for (const one of itemsOf(findAnnotation(type.annotations, 'Module')?.args.get('controllers')))
          if (one.kind === 'name') pushTo(controllers, context.modules.declarationKey(one.name, unit), prefix)
  PREFIXES.set(index, controllers)
  return controllers
}

/** The prefixes of a controller; one empty text when its module has none. */
const modulePrefixes = (controller: string, scope: TypeScope, context: DetectionContext): readonly string[] =>
  controllerPrefixes(scope, context).get(`${scope.unit.file}\0${controller}`) ?? ['']

/** Whether modules of the project list their controllers. */
const registersControllers = memoized((index: SourceIndex) =>
  index.units.some(({ language, types }) =>
    types.some(
      ({ annotations }) =>
        language === 'script' &&
        itemsOf(findAnnotation(annotations, 'Module')?.args.get('controllers')).length > 0,
    ),
  ),
)

/** Whether the classes of a file are in no module: Nest serves only what a module lists. */
const isUnregistered = ({ unit, index }: TypeScope): boolean =>
  unit.types.some(({ annotations }) => findAnnotation(annotations, 'Controller') !== undefined) &&
  !unit.types.some(({ annotations }) => findAnnotation(annotations, 'Module') !== undefined) &&
  unit.topLevel.calls.every(({ name }) => name !== 'create') &&
  registersControllers(index) &&
  isImportedNowhere(unit, index)

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
  const prefixes = known.length === 0 ? [NO_TEXT] : known
  return type.methods.flatMap((method) =>
    method.annotations.flatMap((annotation) => {
      const verb = Object.hasOwn(VERBS, annotation.name) ? VERBS[annotation.name] : undefined
      if (verb === undefined) return []
      const path = annotation.args.get('value') ?? annotation.args.get('path')
      const texts = path === undefined ? [NO_TEXT] : resolver.texts(path, scope)
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

const inboundOf = (
  { type, scope }: NestClass,
  { name, line }: Method,
  protocol: string,
  pattern: Pick<KnownText, 'text' | 'confidence'>,
): Inbound => inboundAt(scope, line, pattern, { protocol, handler: `${type.name}.${name}` })

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
  const given = gateway?.args.get('namespace') ?? recordEntry(options, 'namespace')
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
  const service = resolver.text(args.get('value'), one.scope) ?? { ...NO_TEXT, text: one.type.name }
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
    if (isUnregistered(scope)) return []
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
