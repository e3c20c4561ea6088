import { pushTo } from '../../kernel/multimap.ts'
import type { Inbound, Outbound } from '../connections/connections.ts'
import { imageName, technologyOf } from '../deployment/technologies.ts'
import { containerHosts } from './container-addresses.ts'
import { type Container, containerNames } from './containers.ts'
import { celeryBroker, DeployedServices, isOfTechnology } from './deployed-services.ts'
import type { ServicesFound } from './find-services.ts'
import { grpcName, hostOf, isDeveloperFile, isInside, isLocal, isVendored, nearest } from './names.ts'
import type { Deployable } from './service-draft.ts'
import { serviceOf, servicesOf } from './service-files.ts'
import { ServiceNames } from './service-names.ts'
import { type SystemModel, type SystemNode, SystemRelations } from './system-model.ts'

interface SystemSources extends ServicesFound {
  readonly inbound: readonly Inbound[]
  readonly outbound: readonly Outbound[]
  /** Whether the code of a service names a variable. */
  readonly reads: (service: Deployable, variable: string) => boolean
}

const STORE_PROTOCOL =
  /^(JDBC|JPA|R2DBC|MongoDB|Redis|Elasticsearch|SQL|Cassandra|Neo4j|S3|DynamoDB|Memcached)/
/** Protocols that say no more than that there is a database. */
const RELATIONAL = /^(JDBC|JPA|R2DBC|SQL)/
const VARIABLE = /^\$\{(\w+)\}/

class SystemBuilder {
  readonly #sources: SystemSources
  readonly #model = new SystemRelations()
  readonly #serviceNames: ServiceNames
  /** Containers by their names and further hosts. */
  readonly #byHost = new Map<string, Container[]>()
  readonly #running: DeployedServices
  readonly #names: ReadonlyMap<Container, string>
  /** The service that implements a gRPC service. */
  readonly #grpc = new Map<string, Deployable>()
  /** Stores and brokers that files about deployment connect a service to. */
  readonly #deployed = new Map<string, SystemNode[]>()
  /** Stores and brokers whose published ports the settings of a service name. */
  readonly #published = new Map<string, SystemNode[]>()
  /** Stores and brokers that Terraform creates, by technology. */
  readonly #created = new Map<string, Set<string>>()

  constructor(sources: SystemSources) {
    this.#sources = sources
    this.#names = containerNames(sources.containers)
    this.#serviceNames = new ServiceNames(sources.services)
    for (const { name, kind, shownBy } of sources.services) this.#model.add('service', name, kind, shownBy)
    for (const { kind, name, technology, source } of sources.resources)
      if (kind !== 'service') {
        const id = this.#model.add(kind, name, technology, [source])
        this.#created.set(technology, (this.#created.get(technology) ?? new Set()).add(id))
      }
    this.#running = new DeployedServices(sources.containers, sources.serviceIn)
    for (const one of sources.containers)
      for (const host of new Set([one.name, ...one.hosts])) pushTo(this.#byHost, host.toLowerCase(), one)
    for (const { protocol, endpoint, source_file } of sources.inbound) {
      const service = serviceOf(source_file, sources.services)
      if (protocol === 'gRPC' && service !== undefined) this.#grpc.set(grpcName(endpoint), service)
    }
  }

  /** The box of a container: a store, a broker or the service that it runs. */
  #nodeOf(container: Container): string | undefined {
    const { technology } = container
    if (technology !== undefined)
      return this.#model.add(
        technology.kind,
        this.#names.get(container) ?? container.name,
        technology.name,
        container.shownBy,
      )
    const service = this.#sources.serviceIn.get(container)
    return service === undefined ? undefined : `service:${service.name}`
  }

  /** The node of a host: a container of the same system or a service of the project; undefined for any other. */
  #nodeOfHost(host: string, file: string, systems: ReadonlySet<string>): string | undefined {
    // Names inside of a cluster: `orders.shop.svc.cluster.local`.
    const short = /\.svc(\.|$)|\.cluster\.local$|^[\w-]+\.[\w-]+$/.test(host)
      ? host.replace(/\..*$/, '')
      : host
    for (const name of [host, short]) {
      const named = this.#byHost.get(name.toLowerCase()) ?? []
      const own = named.filter(({ system }) => systems.size === 0 || systems.has(system))
      const container = nearest(own, file, (one) => one.file)
      const node = container === undefined ? undefined : this.#nodeOf(container)
      if (node !== undefined) return node
      const service = this.#serviceNames.find(name, file)
      // A container of another system is not meant, though it has the name.
      const deployed = service === undefined ? [] : this.#running.containersOf(service)
      const isWithin =
        systems.size === 0 || deployed.length === 0 || deployed.some(({ system }) => systems.has(system))
      if (service !== undefined && isWithin) return `service:${service.name}`
    }
    return undefined
  }

  /** The address of a call, with the variable filled in that a container sets. */
  #target(one: Outbound, from: Deployable): { readonly text: string; readonly isKnown: boolean } {
    const text = one.target_service
    for (const candidate of [text, text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, ''), one.origin ?? '']) {
      const [whole = '', name] = VARIABLE.exec(candidate) ?? []
      const value = name === undefined ? undefined : this.#running.variable(from, name)
      if (value !== undefined) return { text: candidate.replace(whole, () => value), isKnown: true }
    }
    return { text, isKnown: one.confidence !== 'low' }
  }

  /** The services that a row is of; configuration may be mounted into a container. */
  #ownersOf({ source_file: file, caller }: Outbound): readonly Deployable[] {
    const container =
      caller === ''
        ? this.#sources.containers.find(({ mounts }) =>
            mounts.some((mount) => mount !== '' && isInside(file, mount)),
          )
        : undefined
    const mounted = container === undefined ? undefined : this.#sources.serviceIn.get(container)
    if (mounted !== undefined) return [mounted]
    if (isVendored(file)) return []
    return servicesOf(file, this.#sources.services).filter(
      ({ folder, libraries }) => ![folder ?? '', ...libraries].some((one) => isDeveloperFile(file, one)),
    )
  }

  published(one: Outbound): void {
    const container = this.#running.publisherOf(one.target_service, one.source_file)
    const node = container === undefined ? undefined : this.#model.node(this.#nodeOf(container) ?? '')
    if (node !== undefined) for (const from of this.#ownersOf(one)) pushTo(this.#published, from.name, node)
  }

  outbound(one: Outbound): void {
    for (const from of this.#ownersOf(one)) this.#relate(one, from)
  }

  #relate(one: Outbound, from: Deployable): void {
    const source = { file: one.source_file, line: one.line }
    const id = `service:${from.name}`
    const target = this.#target(one, from)
    const host = hostOf(target.text)
    const technology = technologyOf(one.protocol, target.text)
    const node =
      host === undefined || isLocal(host)
        ? undefined
        : this.#nodeOfHost(host, one.source_file, this.#running.systemsOf(from))
    if (one.protocol.startsWith('Messaging')) {
      const name = technology?.name ?? one.protocol.replace('Messaging-', '')
      // Topics may look like hosts.
      const broker = one.type === 'Broker' ? node : undefined
      const to = this.#store(from, 'broker', name, broker, { ...source, reason: one.type })
      return this.#model.relate(id, to, name, one.type === 'Broker' ? '' : one.target_service, source)
    }
    if (STORE_PROTOCOL.test(one.protocol) || technology?.kind === 'store') {
      const kind = technology?.name ?? (RELATIONAL.test(one.protocol) ? 'database' : one.protocol)
      const to = this.#store(from, 'store', kind, node, { ...source, reason: one.type })
      return this.#model.relate(id, to, one.protocol, '', source)
    }
    const method = one.protocol === 'gRPC' ? grpcName(one.target_service) : ''
    const grpc =
      method === '' ? undefined : (this.#grpc.get(method) ?? this.#serviceNames.find(method, one.source_file))
    if (grpc !== undefined)
      return this.#model.relate(id, `service:${grpc.name}`, 'gRPC', one.target_service, source)
    // The name of a gRPC service looks like a host.
    if (/(^|\.)[A-Z]\w*$/.test(target.text)) return
    if (host === undefined || !target.isKnown || isLocal(host)) return
    const protocol = one.protocol === 'Configuration' ? 'HTTP' : one.protocol
    const to = node ?? this.#outside(host, protocol, { ...source, reason: one.type })
    if (to !== undefined) this.#model.relate(id, to, protocol, one.path ?? '', source)
  }

  #outside(host: string, protocol: string, place: SystemNode['sources'][number]): string | undefined {
    if (!/\.[a-z]{2,}$/i.test(host) || /\.(svc|local|internal)$|\.svc\./.test(host)) return undefined
    return this.#model.add('outside', host, protocol, [place])
  }

  /** The store or broker of a service: the one at the address, or the one of its kind that it is deployed with. */
  #store(
    from: Deployable,
    kind: 'store' | 'broker',
    technology: string,
    node: string | undefined,
    place: SystemNode['sources'][number],
  ): string {
    if (node !== undefined) return node
    const beside = this.#deployed.get(from.name) ?? []
    const wanted = technology === 'Celery' ? celeryBroker(beside) : technology
    const [deployed = [], published = []] = [this.#deployed, this.#published].map((nodes) =>
      (nodes.get(from.name) ?? []).flatMap((one) => (isOfTechnology(one.technology, wanted) ? [one.id] : [])),
    )
    // Without a relation of containers, the only one of the kind in the system, or the only one of Terraform.
    const peers = this.#running.peersOf(from, technology).flatMap((one) => this.#nodeOf(one) ?? [])
    const created = this.#created.get(technology) ?? []
    const ids = [deployed, published, peers, [...created]].find((one) => one.length > 0)
    const [only, ...others] = new Set(ids)
    if (only !== undefined && others.length === 0) return only
    const name = kind === 'broker' ? technology : `${from.name} ${technology}`
    return this.#model.add(kind, name, technology, [place])
  }

  inbound(one: Inbound): void {
    const to = serviceOf(one.served_by ?? one.source_file, this.#sources.services)
    if (to === undefined || !one.protocol.startsWith('Messaging')) return
    const name = technologyOf(one.protocol)?.name ?? one.protocol.replace('Messaging-', '')
    const source = { file: one.source_file, line: one.line }
    const from = this.#store(to, 'broker', name, undefined, { ...source, reason: 'listener' })
    this.#model.relate(from, `service:${to.name}`, name, one.endpoint, source)
  }

  /** What compose files and manifests say: containers that wait for each other, and addresses in their environment. */
  container(one: Container): void {
    const own = this.#nodeOf(one)
    const from = this.#sources.serviceIn.get(one)
    if (from === undefined || own === undefined) return
    const source = { file: one.file, line: one.line }
    const systems = new Set([one.system])
    const hosts = containerHosts(one, (variable) => this.#sources.reads(from, variable))
    const isRouter = imageName(one.image ?? '') === 'traefik'
    const routed = isRouter
      ? this.#sources.containers.filter((other) => other.isRouted && systems.has(other.system))
      : []
    for (const { host, about } of [
      ...routed.map(({ name }) => ({ host: name, about: '' })),
      ...one.dependsOn.map((name) => ({ host: name, about: '' })),
      ...hosts.map(({ host, variable }) => ({ host, about: variable })),
    ]) {
      if (isLocal(host)) continue
      const to = this.#nodeOfHost(host, one.file, systems)
      if (to === undefined) continue
      const node = this.#model.node(to)
      if (node === undefined) continue
      if (node.kind !== 'service') pushTo(this.#deployed, from.name, node)
      this.#model.declare(own, node, about, source)
    }
  }

  build(): SystemModel {
    return { services: this.#sources.services, ...this.#model.build() }
  }
}

/** Services, stores, brokers and outside systems, and how they are related (the container level of C4). */
export const buildSystem = (sources: SystemSources): SystemModel => {
  const builder = new SystemBuilder(sources)
  for (const one of sources.containers) builder.container(one)
  for (const one of sources.outbound) builder.published(one)
  for (const one of sources.outbound) builder.outbound(one)
  for (const one of sources.inbound) builder.inbound(one)
  return builder.build()
}
