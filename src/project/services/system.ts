import { pushTo } from '../../kernel/multimap.ts'
import type { Inbound, Outbound } from '../connections/connections.ts'
import { inOrder } from '../source/source-files.ts'
import type { DeclaredContainer } from './deployment-files.ts'
import { type Deployable, serviceOf } from './find-services.ts'
import { grpcName, hostOf, isLocal, nearest, plainName, topFolder } from './names.ts'
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

class SystemBuilder {
  readonly #sources: SystemSources
  readonly #nodes = new Map<string, SystemNode>()
  readonly #relations = new Map<string, { relation: SystemRelation; about: Set<string> }>()
  readonly #byName = new Map<string, Deployable[]>()
  readonly #containers = new Map<string, DeclaredContainer[]>()
  /** The service that implements a gRPC service. */
  readonly #grpc = new Map<string, Deployable>()

  constructor(sources: SystemSources) {
    this.#sources = sources
    for (const one of sources.containers) pushTo(this.#containers, one.name, one)
    for (const service of sources.services) {
      for (const name of service.aliases) pushTo(this.#byName, name.toLowerCase(), service)
      this.#add('service', service.name, service.kind, service.shownBy)
    }
    for (const { protocol, endpoint, source_file } of sources.inbound) {
      const service = serviceOf(source_file, sources.services)
      if (protocol === 'gRPC' && service !== undefined) this.#grpc.set(grpcName(endpoint), service)
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

  /** A service by the name that the file of another one uses for it. */
  #service(name: string, file: string): Deployable | undefined {
    const exact = nearest(this.#byName.get(name.toLowerCase()) ?? [], file, ({ folder }) => folder)
    if (exact !== undefined) return exact
    const plain = plainName(name)
    if (plain.length < 3) return undefined
    const found = this.#sources.services.filter(({ aliases }) =>
      aliases.some((one) => plainName(one) === plain),
    )
    return found.length === 1 ? found[0] : undefined
  }

  /** The node of a host: a service or a container of the project; undefined for any other. */
  #nodeOfHost(host: string, file: string): string | undefined {
    // Names inside of a cluster: `orders.shop.svc.cluster.local`.
    const short = /\.svc(\.|$)|\.cluster\.local$|^[\w-]+\.[\w-]+$/.test(host)
      ? host.replace(/\..*$/, '')
      : host
    for (const name of [host, short]) {
      const container = nearest(this.#containers.get(name) ?? [], file, (one) => one.file)
      const technology = container?.image === undefined ? undefined : technologyOfImage(container.image)
      if (container !== undefined && technology !== undefined) {
        const place = { file: container.file, line: container.line, reason: `container ${name}` }
        return this.#add(technology.kind, this.#containerName(container), technology.name, [place])
      }
      const service = this.#service(name, file)
      if (service !== undefined) return `service:${service.name}`
    }
    return undefined
  }

  /** With its folder where several systems in one repository have a container of this name. */
  #containerName({ name, file }: DeclaredContainer): string {
    const folders = new Set(this.#containers.get(name)?.map((one) => topFolder(one.file)))
    const technologies = this.#containers.get(name)?.map(({ image = '' }) => technologyOfImage(image)?.name)
    return folders.size > 1 && new Set(technologies).size > 1 ? `${topFolder(file)}/${name}` : name
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
      const known = host === undefined || isLocal(host) ? undefined : this.#nodeOfHost(host, one.source_file)
      const kind = technology?.name ?? 'database'
      const to = known ?? this.#add('store', `${from.name} ${kind}`, kind, place)
      return this.#relate(id, to, one.protocol, '', source)
    }
    const method = one.protocol === 'gRPC' ? grpcName(one.target_service) : ''
    const grpc =
      method === '' ? undefined : (this.#grpc.get(method) ?? this.#service(method, one.source_file))
    if (grpc !== undefined)
      return this.#relate(id, `service:${grpc.name}`, 'gRPC', one.target_service, source)
    // The name of a gRPC service looks like a host.
    if (/(^|\.)[A-Z]\w*$/.test(one.target_service)) return
    if (host === undefined || one.confidence === 'low' || isLocal(host)) return
    const protocol = one.protocol === 'Configuration' ? 'HTTP' : one.protocol
    const to =
      this.#nodeOfHost(host, one.source_file) ??
      (host.includes('.') ? this.#add('outside', host, protocol, place) : undefined)
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
    const from = this.#sources.services.find(({ shownBy }) =>
      shownBy.some(({ file, line }) => file === one.file && line === one.line),
    )
    if (from === undefined) return
    const source = { file: one.file, line: one.line }
    const texts = one.values.flatMap((value) => value.replace(/^\w+=/, '').split(','))
    const hosts = texts.flatMap((value) => (/[:/]|^[\w-]+$/.test(value) ? (hostOf(value.trim()) ?? []) : []))
    for (const name of new Set([...one.dependsOn, ...hosts.filter((host) => this.#isNamed(host))])) {
      const to = this.#nodeOfHost(name, one.file)
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
