import {
  bodiesOf,
  type CallExpression,
  type Expression,
  findAnnotation,
  type Method,
  type TypeUnit,
} from '../source/source-unit.ts'
import type { TextResolver } from '../source/text-resolver.ts'
import type { TypeScope } from '../source/type-scope.ts'
import { joinRoutes, plainAddress } from './addresses.ts'
import type { Inbound, Outbound } from './connections.ts'
import { type EndpointRoute, toInbound } from './inbound-web.ts'

/** Routes of Express, Fastify and Nest, and the HTTP clients of JavaScript and TypeScript. */

const SUBCOMMANDS = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'all'])
const NEST_VERBS: Readonly<Record<string, string>> = {
  Get: 'GET',
  Post: 'POST',
  Put: 'PUT',
  Patch: 'PATCH',
  Delete: 'DELETE',
  Head: 'HEAD',
  Options: 'OPTIONS',
  All: 'ANY',
}
/** Functions and classes that create a router. */
const ROUTER_FACTORIES = /^(express|fastify|Fastify|Router|express\.Router|Hono|KoaRouter)$/

const verbName = (name: string): string => (name === 'all' ? 'ANY' : name.toUpperCase())

const nestInbound = (type: TypeUnit, resolver: TextResolver, scope: TypeScope): readonly Inbound[] => {
  const above = findAnnotation(type.annotations, 'Controller')
  if (above === undefined) return []
  const prefix = resolver.text(above.args.get('value') ?? above.args.get('path'), scope)?.text ?? ''
  return type.methods.flatMap((method) =>
    method.annotations.flatMap((annotation) => {
      const verb = Object.hasOwn(NEST_VERBS, annotation.name) ? NEST_VERBS[annotation.name] : undefined
      if (verb === undefined) return []
      const given = annotation.args.get('value') ?? annotation.args.get('path')
      const texts =
        given === undefined ? [{ text: '', confidence: 'high' as const }] : resolver.texts(given, scope)
      return texts.map(({ text, confidence }) =>
        toInbound(
          { method: verb, path: joinRoutes(prefix, text), confidence },
          { file: scope.unit.file, line: method.line, handler: `${type.name}.${method.name}` },
        ),
      )
    }),
  )
}

const NEST_EVENTS: Readonly<Record<string, string>> = {
  MessagePattern: 'Messaging-Nest',
  EventPattern: 'Messaging-Nest',
  Cron: 'Scheduled',
  Interval: 'Scheduled',
  GrpcMethod: 'gRPC',
}

const nestEvents = (type: TypeUnit, resolver: TextResolver, scope: TypeScope): readonly Inbound[] =>
  type.methods.flatMap((method) =>
    method.annotations.flatMap((annotation) => {
      const protocol = Object.hasOwn(NEST_EVENTS, annotation.name) ? NEST_EVENTS[annotation.name] : undefined
      if (protocol === undefined) return []
      const pattern = resolver.text(annotation.args.get('value') ?? annotation.args.get('cmd'), scope)
      const handler = `${type.name}.${method.name}`
      return [
        {
          protocol,
          endpoint: pattern?.text ?? handler,
          source_file: scope.unit.file,
          line: method.line,
          handler,
          confidence: pattern?.confidence ?? 'medium',
        },
      ]
    }),
  )

/** The call that created the value of a variable: `express`, `express.Router`. */
const createdBy = (scope: TypeScope, receiver: Expression | undefined): string => {
  if (receiver?.kind !== 'name') return ''
  const values = scope.variables(receiver.name).map(({ value }) => value)
  const call = values.find((value) => value?.kind === 'call')
  if (call?.kind !== 'call') return ''
  const owner = call.call.receiver?.kind === 'name' ? `${call.call.receiver.name}.` : ''
  return `${owner}${call.call.name}`
}

/** Path prefixes of routers mounted with `use` in the same file. */
const mountPrefixes = (
  method: Method,
  resolver: TextResolver,
  scope: TypeScope,
): ReadonlyMap<string, string> =>
  new Map(
    method.calls
      .filter(({ name, args }) => name === 'use' && args.length >= 2)
      .flatMap(({ args }) => {
        const router = args.at(-1)
        return router?.kind === 'name'
          ? [[router.name, resolver.text(args[0], scope)?.text ?? ''] as const]
          : []
      }),
  )

const routeOf = (
  call: CallExpression,
  resolver: TextResolver,
  scope: TypeScope,
  prefix: string,
): readonly EndpointRoute[] => {
  if (call.name === 'route' && call.args[0]?.kind === 'record') {
    const { entries } = call.args[0]
    const verbs = resolver.texts(entries.get('method'), scope)
    const path = resolver.text(entries.get('url') ?? entries.get('path'), scope)
    return path === undefined
      ? []
      : verbs.map(({ text }) => ({
          method: text.toUpperCase(),
          path: joinRoutes(prefix, path.text),
          confidence: path.confidence,
        }))
  }
  if (!SUBCOMMANDS.has(call.name) || call.args.length < 2) return []
  return resolver.texts(call.args[0], scope).map(({ text, confidence }) => ({
    method: verbName(call.name),
    path: joinRoutes(prefix, text),
    confidence,
  }))
}

const expressInbound = (resolver: TextResolver, scope: TypeScope): readonly Inbound[] => {
  const { method, unit } = scope
  const mounts = mountPrefixes(method, resolver, scope)
  return method.calls.flatMap((call) => {
    if (!SUBCOMMANDS.has(call.name) && call.name !== 'route') return []
    const plugin =
      call.receiver?.kind === 'name' && /^(fastify|app|router|server|instance)$/.test(call.receiver.name)
    const factory = createdBy(scope, call.receiver)
    const framework = unit.imports.some((name) =>
      /^(express|fastify|hono|@koa\/router|koa-router)$/.test(name),
    )
    if (!ROUTER_FACTORIES.test(factory) && !(plugin && framework && factory === '')) return []
    const prefix = call.receiver?.kind === 'name' ? (mounts.get(call.receiver.name) ?? '') : ''
    return routeOf(call, resolver, scope, prefix).map((route) =>
      toInbound(route, { file: unit.file, line: call.line, handler: '' }),
    )
  })
}

const isAbsoluteUrl = (text: string): boolean => /^https?:\/\//i.test(text)

/** Calls of `fetch`, axios, got and Nest's HttpService with an absolute address. */
const callOutbound = (
  calls: readonly CallExpression[],
  resolver: TextResolver,
  scope: TypeScope,
): readonly Outbound[] =>
  calls.flatMap((call) => {
    const owner = call.receiver?.kind === 'name' ? call.receiver.name : ''
    const client =
      call.name === 'fetch' && owner === ''
        ? 'fetch'
        : /^(axios|got|http|httpService|request|superagent)$/.test(owner) ||
            scope.typeOf(call.receiver) === 'HttpService'
          ? owner
          : call.name === 'axios'
            ? 'axios'
            : ''
    if (client === '') return []
    const [first] = call.args
    const given =
      first?.kind === 'record' ? (first.entries.get('url') ?? first.entries.get('baseURL')) : first
    const address = resolver.text(given, scope)
    if (address === undefined || !isAbsoluteUrl(address.text)) return []
    return [
      {
        target_service: plainAddress(address.text),
        protocol: 'REST',
        type: client === 'httpService' || client === 'http' ? 'HttpService' : client,
        source_file: scope.unit.file,
        line: call.line,
        caller: scope.type?.name ?? '',
        confidence: address.confidence,
        ...(SUBCOMMANDS.has(call.name) && { http_method: verbName(call.name) }),
      },
    ]
  })

/** The endpoints of a script. */
export const scriptInbound = (resolver: TextResolver, scope: TypeScope): readonly Inbound[] => {
  const { unit } = scope
  const types = unit.types.map((type) => ({ type, inside: scope.at(unit, type, unit.topLevel) }))
  return [
    ...expressInbound(resolver, scope),
    ...types.flatMap(({ type, inside }) => [
      ...nestInbound(type, resolver, inside),
      ...nestEvents(type, resolver, inside),
    ]),
  ]
}

/** The requests that a script sends. */
export const scriptOutbound = (resolver: TextResolver, scope: TypeScope): readonly Outbound[] => {
  const { unit } = scope
  const bodies = unit.types.flatMap((type) =>
    bodiesOf(type).map((method) => ({ method, inside: scope.at(unit, type, method) })),
  )
  return [
    ...callOutbound(unit.topLevel.calls, resolver, scope),
    ...bodies.flatMap(({ method, inside }) => callOutbound(method.calls, resolver, inside)),
  ]
}
