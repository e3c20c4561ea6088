import { attempt } from '../source/attempt.ts'
import type { Configuration } from '../source/configuration.ts'
import { inOrder, type Warning } from '../source/source-files.ts'
import type { SourceIndex } from '../source/source-index.ts'
import { NO_METHOD, type SourceUnit } from '../source/source-unit.ts'
import { TextResolver } from '../source/text-resolver.ts'
import { callsOf, TypeScope } from '../source/type-scope.ts'
import { declaredClient } from './declared-clients.ts'
import type { DetectionContext, Framework, Inbound, Outbound } from './framework.ts'
import { gatewayConnections } from './gateway-routes.ts'
import { eventInbound } from './inbound-events.ts'
import { functionalInbound, webInbound } from './inbound-web.ts'
import { configOutbound } from './outbound-config.ts'
import { dataOutbound, repositoryOutbound } from './outbound-data.ts'
import { GrpcCalls, messageOutbound, streamOutbound } from './outbound-events.ts'
import { HttpCalls } from './outbound-http.ts'
import type { ProtoService } from './proto.ts'
import { channelOutbound } from './reactive-messaging.ts'
import { RouterGraph } from './router-graph.ts'

export interface Connections {
  readonly inbound: readonly Inbound[]
  readonly outbound: readonly Outbound[]
}

/** Runs all detectors on a source file. */
export class ConnectionDetector {
  readonly resolver: TextResolver
  /** About detectors that failed. */
  readonly warnings: Warning[] = []
  /** Files in which a framework has shown something, by its name. */
  readonly recognized = new Map<Framework, Set<string>>()
  readonly #index: SourceIndex
  readonly #protos: ReadonlyMap<string, ProtoService>
  readonly #http: HttpCalls
  readonly #grpc: GrpcCalls
  readonly #frameworks: readonly Framework[]
  readonly #applying = new Map<SourceUnit, readonly Framework[]>()
  readonly #context: DetectionContext

  constructor(
    index: SourceIndex,
    configuration: Configuration,
    { protos, frameworks }: Pick<DetectionContext, 'protos'> & { readonly frameworks: readonly Framework[] },
  ) {
    this.resolver = new TextResolver(configuration)
    this.#index = index
    this.#protos = protos
    this.#frameworks = frameworks
    this.#context = {
      resolver: this.resolver,
      modules: index.modules,
      routers: new RouterGraph(),
      protos,
    }
    this.#http = new HttpCalls(this.resolver)
    this.#grpc = new GrpcCalls(this.resolver, protos)
  }

  /** Asked for twice: for routes, and for connections. */
  #frameworksOf(unit: SourceUnit): readonly Framework[] {
    const known =
      this.#applying.get(unit) ??
      this.#frameworks.filter(({ language, applies }) => language === unit.language && applies(unit))
    this.#applying.set(unit, known)
    return known
  }

  #topLevel(unit: SourceUnit): TypeScope {
    return new TypeScope(this.#index, unit, undefined, unit.topLevel)
  }

  /** Declares the routers of a file. All files come before the first `detect`: another file may mount a router. */
  declareRoutes(unit: SourceUnit): void {
    const step = { file: unit.file, warnings: this.warnings, result: 'some endpoints' }
    const { routers } = this.#context
    for (const framework of this.#frameworksOf(unit)) {
      const { routes } = framework
      if (routes === undefined) continue
      const before = routers.declared
      attempt(step, undefined, () => routes(this.#topLevel(unit), this.#context))
      this.#recognize(framework, unit, routers.declared - before)
    }
  }

  #recognize(framework: Framework, { file }: SourceUnit, found: number): void {
    if (found === 0) return
    const files = this.recognized.get(framework) ?? new Set()
    this.recognized.set(framework, files.add(file))
  }

  detect(unit: SourceUnit): Connections {
    const { resolver } = this
    const step = { file: unit.file, warnings: this.warnings }
    const endpoints = (run: () => readonly Inbound[]) =>
      attempt({ ...step, result: 'some endpoints' }, [], run)
    const outgoing = (run: () => readonly Outbound[]) =>
      attempt({ ...step, result: 'some outgoing connections' }, [], run)
    const topLevel = this.#topLevel(unit)
    const frameworks = this.#frameworksOf(unit)
    const inbound: Inbound[] = [...endpoints(() => this.#context.routers.endpoints(unit.file))]
    const outbound: Outbound[] = []
    for (const one of frameworks) {
      const into = endpoints(() => one.inbound?.(topLevel, this.#context) ?? [])
      const out = outgoing(() => one.outbound?.(topLevel, this.#context) ?? [])
      inbound.push(...into)
      outbound.push(...out)
      this.#recognize(one, unit, into.length + out.length)
    }
    if (unit.language !== 'java' && unit.language !== 'kotlin') return dedupe({ inbound, outbound })
    inbound.push(...endpoints(() => functionalInbound(unit.topLevel, resolver, topLevel)))
    outbound.push(
      ...unit.topLevel.calls.flatMap((call) => outgoing(() => this.#callOutbound(call, topLevel))),
    )
    for (const type of unit.types) {
      const scope = new TypeScope(this.#index, unit, type, NO_METHOD)
      inbound.push(
        ...endpoints(() => webInbound(type, resolver, scope)),
        ...endpoints(() => eventInbound(type, this.#protos, resolver, scope)),
      )
      const calls = callsOf(type, scope)
      outbound.push(
        ...outgoing(() => declaredClient(type, resolver, scope)),
        ...outgoing(() => repositoryOutbound(type, resolver.configuration, scope)),
        ...outgoing(() => streamOutbound(type, resolver, scope)),
        ...outgoing(() => channelOutbound(type, resolver, scope)),
        ...outgoing(() => this.#grpc.injected(type, scope)),
        ...calls.flatMap(({ call, scope: inside }) => outgoing(() => this.#callOutbound(call, inside))),
        ...outgoing(() => dataOutbound(calls, resolver.configuration)),
      )
    }
    return dedupe({ inbound, outbound })
  }

  #callOutbound(...[call, scope]: Parameters<HttpCalls['outbound']>): readonly Outbound[] {
    return [
      ...this.#http.outbound(call, scope),
      ...messageOutbound(call, this.resolver, scope),
      ...this.#grpc.outbound(call, scope),
    ]
  }

  /** What configuration files say. */
  configured(): Connections {
    const { configuration } = this.resolver
    const { inbound, outbound } = gatewayConnections(configuration)
    return dedupe({ inbound, outbound: [...outbound, ...configOutbound(configuration)] })
  }
}

const inboundKey = (one: Inbound): string =>
  [one.source_file, String(one.line).padStart(8, '0'), one.protocol, one.endpoint, one.handler].join('\0')

const outboundKey = (one: Outbound): string =>
  [
    one.source_file,
    String(one.line).padStart(8, '0'),
    one.protocol,
    one.type,
    one.target_service,
    one.http_method ?? '',
    one.caller,
  ].join('\0')

const unique = <T>(all: readonly T[], keyOf: (one: T) => string): readonly T[] =>
  [...new Map(all.map((one) => [keyOf(one), one]))].sort(([a], [b]) => inOrder(a, b)).map(([, one]) => one)

/** Removes duplicates and sorts by file and line. */
export const dedupe = ({ inbound, outbound }: Connections): Connections => ({
  inbound: unique(inbound, inboundKey),
  outbound: unique(outbound, outboundKey),
})

/** The answer of discover_service_interconnections, in the shape that sentinel-mcp clients expect. */
export const summarize = ({ inbound, outbound }: Connections) => ({
  discovery_summary: {
    inbound_services: inbound,
    outbound_services: outbound,
    connection_mapping: {
      inbound: [...new Set(inbound.map((one) => `Inbound: ${one.protocol} -> ${one.endpoint}`))],
      outbound: [...new Set(outbound.map((one) => `Outbound: ${one.target_service} via ${one.protocol}`))],
    },
  },
})
