import { originOf } from '../connections/addresses.ts'
import type { Inbound, Outbound } from '../connections/connections.ts'
import { inOrder } from '../source/source-files.ts'
import type { DeclaredContainer } from './deployment-files.ts'
import { type Deployable, serviceOf } from './find-services.ts'
import type { ServiceEvidence } from './service-draft.ts'
import { technologyOf, technologyOfImage } from './technologies.ts'

/** A box of the system diagram: a service of the project, a store, a broker, or a system outside of the project. */
export interface SystemNode {
  /** Stable: kind and name. */
  readonly id: string
  readonly kind: 'service' | 'store' | 'broker' | 'outside'
  readonly name: string
  readonly technology: string
  readonly sources: readonly ServiceEvidence[]
}

interface SystemRelation {
  readonly from: string
  readonly to: string
  readonly protocol: string
  /** Topics, queues or paths, sorted. */
  readonly about: readonly string[]
  readonly sources: readonly { readonly file: string; readonly line: number }[]
}

export interface SystemModel {
  readonly services: readonly Deployable[]
  readonly nodes: readonly SystemNode[]
  readonly relations: readonly SystemRelation[]
}

interface SystemSources {
  readonly services: readonly Deployable[]
  readonly containers: readonly DeclaredContainer[]
  readonly inbound: readonly Inbound[]
  readonly outbound: readonly Outbound[]
}

const MAX_ABOUT = 12
const STORE_PROTOCOL =
  /^(JDBC|JPA|R2DBC|MongoDB|Redis|Elasticsearch|SQL|Cassandra|Neo4j|S3|DynamoDB|Memcached)/

/** `Order-Service`, `order_service` and `orders` name one service. */
const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[-_.]/g, '')
    .replace(/(service|svc|server|api|app|application)$/, '')
    .replace(/s$/, '')

/** The host of an address such as `lb://orders`, `http://orders:8080/x` or `orders:9090`. */
const hostOf = (target: string): string | undefined => {
  const origin = originOf(target)
  const host = (origin ?? target)
    .replace(/^(?:[a-z][a-z0-9+.-]*:)+\/\/(?:\*\*\*@)?/i, '')
    .replace(/:\d+.*$/, '')
  return /^[a-z0-9][a-z0-9._-]*$/i.test(host) ? host : undefined
}

const isLocal = (host: string): boolean => /^(localhost|127\.|0\.0\.0\.0|\[?::1)/.test(host)

class SystemBuilder {
  readonly #sources: SystemSources
  readonly #nodes = new Map<string, SystemNode>()
  readonly #relations = new Map<string, { relation: SystemRelation; about: Set<string> }>()
  readonly #byName = new Map<string, Deployable>()
  readonly #containers: ReadonlyMap<string, DeclaredContainer>
  /** The service that implements a gRPC service. */
  readonly #grpc = new Map<string, Deployable>()

  constructor(sources: SystemSources) {
    this.#sources = sources
    this.#containers = new Map(sources.containers.map((one) => [one.name, one]))
    for (const service of sources.services) {
      for (const name of service.aliases) this.#byName.set(name.toLowerCase(), service)
      this.#add('service', service.name, service.kind, service.shownBy)
    }
    for (const { protocol, endpoint, source_file } of sources.inbound) {
      const service = serviceOf(source_file, sources.services)
      if (protocol === 'gRPC' && service !== undefined)
        this.#grpc.set(endpoint.replace(/[/.].*$/, ''), service)
    }
  }

  #add(
    kind: SystemNode['kind'],
    name: string,
    technology: string,
    sources: readonly ServiceEvidence[],
  ): string {
    const id = `${kind}:${name}`
    const known = this.#nodes.get(id)
    if (known === undefined) this.#nodes.set(id, { id, kind, name, technology, sources })
    return id
  }

  #relate(
    from: string,
    to: string,
    protocol: string,
    about: string,
    source: { file: string; line: number },
  ): void {
    if (from === to) return
    const key = `${from}\0${to}\0${protocol}`
    const known = this.#relations.get(key)
    const entry = known ?? {
      relation: { from, to, protocol, about: [], sources: [] },
      about: new Set<string>(),
    }
    if (about !== '') entry.about.add(about)
    const sources =
      entry.relation.sources.length < MAX_ABOUT ? [...entry.relation.sources, source] : entry.relation.sources
    this.#relations.set(key, { ...entry, relation: { ...entry.relation, sources } })
  }

  /** A service by the name that another one uses for it. */
  #service(name: string): Deployable | undefined {
    const exact = this.#byName.get(name.toLowerCase())
    if (exact !== undefined) return exact
    const plain = plainName(name)
    if (plain.length < 3) return undefined
    const found = this.#sources.services.filter(({ aliases }) =>
      aliases.some((one) => plainName(one) === plain),
    )
    return found.length === 1 ? found[0] : undefined
  }

  /** The node of a host: a service or a container of the project; undefined for any other. */
  #nodeOfHost(host: string): string | undefined {
    // Names inside of a cluster: `orders.shop.svc.cluster.local`.
    const short = /\.svc(\.|$)|\.cluster\.local$|^[\w-]+\.[\w-]+$/.test(host)
      ? host.replace(/\..*$/, '')
      : host
    for (const name of [host, short]) {
      const container = this.#containers.get(name)
      const technology = container?.image === undefined ? undefined : technologyOfImage(container.image)
      if (container !== undefined && technology !== undefined)
        return this.#add(technology.kind, name, technology.name, [
          { file: container.file, line: container.line, reason: `container ${name}` },
        ])
      const service = this.#service(name)
      if (service !== undefined) return `service:${service.name}`
    }
    return undefined
  }

  outbound(one: Outbound): void {
    const from = serviceOf(one.source_file, this.#sources.services)
    if (from === undefined) return
    const source = { file: one.source_file, line: one.line }
    const place = [{ ...source, reason: one.type }]
    const id = `service:${from.name}`
    const host = hostOf(one.target_service)
    const technology = technologyOf(one.protocol, one.target_service)
    if (one.protocol.startsWith('Messaging')) {
      const name = technology?.name ?? one.protocol.replace('Messaging-', '')
      return this.#relate(
        id,
        this.#add('broker', name, name, place),
        name,
        one.type === 'Broker' ? '' : one.target_service,
        source,
      )
    }
    if (STORE_PROTOCOL.test(one.protocol) || technology?.kind === 'store') {
      const known = host === undefined || isLocal(host) ? undefined : this.#nodeOfHost(host)
      const kind = technology?.name ?? 'database'
      const to = known ?? this.#add('store', `${from.name} ${kind}`, kind, place)
      return this.#relate(id, to, one.protocol, '', source)
    }
    const grpc =
      one.protocol === 'gRPC' ? this.#grpc.get(one.target_service.replace(/[/.].*$/, '')) : undefined
    if (grpc !== undefined)
      return this.#relate(id, `service:${grpc.name}`, 'gRPC', one.target_service, source)
    if (host === undefined || one.confidence === 'low' || isLocal(host)) return
    const protocol = one.protocol === 'Configuration' ? 'HTTP' : one.protocol
    const to =
      this.#nodeOfHost(host) ?? (host.includes('.') ? this.#add('outside', host, protocol, place) : undefined)
    if (to !== undefined) this.#relate(id, to, protocol, one.path ?? '', source)
  }

  inbound(one: Inbound): void {
    const to = serviceOf(one.source_file, this.#sources.services)
    if (to === undefined || !one.protocol.startsWith('Messaging')) return
    const name = technologyOf(one.protocol)?.name ?? one.protocol.replace('Messaging-', '')
    const source = { file: one.source_file, line: one.line }
    const from = this.#add('broker', name, name, [{ ...source, reason: 'listener' }])
    this.#relate(from, `service:${to.name}`, name, one.endpoint, source)
  }

  /** What compose files and manifests say: containers that wait for each other, and addresses in their environment. */
  container(one: DeclaredContainer): void {
    const from = this.#service(one.name)
    if (from === undefined) return
    const source = { file: one.file, line: one.line }
    const texts = one.values.flatMap((value) => value.replace(/^\w+=/, '').split(','))
    const hosts = texts.flatMap((value) => (/[:/]|^[\w-]+$/.test(value) ? (hostOf(value.trim()) ?? []) : []))
    for (const name of new Set([...one.dependsOn, ...hosts.filter((host) => this.#isNamed(host))])) {
      const to = this.#nodeOfHost(name)
      if (to === undefined) continue
      const node = this.#nodes.get(to)
      this.#relate(
        `service:${from.name}`,
        to,
        node?.kind === 'service' ? 'configured' : (node?.technology ?? ''),
        '',
        source,
      )
    }
  }

  #isNamed(host: string): boolean {
    return this.#containers.has(host) || this.#byName.has(host.toLowerCase())
  }

  build(): SystemModel {
    const detailed = new Set(
      [...this.#relations.values()]
        .filter(({ relation }) => relation.protocol !== 'configured')
        .map(({ relation }) => `${relation.from}\0${relation.to}`),
    )
    const relations = [...this.#relations.values()]
      .map(({ relation, about }) => ({ ...relation, about: [...about].sort().slice(0, MAX_ABOUT) }))
      // A call that the code shows says more than a host name in a manifest.
      .filter(({ from, to, protocol }) => protocol !== 'configured' || !detailed.has(`${from}\0${to}`))
      .sort((a, b) => inOrder(a.from, b.from) || inOrder(a.to, b.to) || inOrder(a.protocol, b.protocol))
    return {
      services: this.#sources.services,
      nodes: [...this.#nodes.values()].sort((a, b) => inOrder(a.id, b.id)),
      relations,
    }
  }
}

/** Services, stores, brokers and outside systems, and how they are related (the container level of C4). */
export const buildSystem = (sources: SystemSources): SystemModel => {
  const builder = new SystemBuilder(sources)
  for (const one of sources.outbound) builder.outbound(one)
  for (const one of sources.inbound) builder.inbound(one)
  for (const one of sources.containers) builder.container(one)
  return builder.build()
}
