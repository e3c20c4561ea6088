import type { Inbound, Outbound } from '../../connections/framework.ts'
import { imageName, isStoreConsole, technologyOf } from '../../deployment/technologies.ts'
import type { Container } from '../containers.ts'
import type { ServicesFound } from '../find-services.ts'
import {
  type Deployable,
  grpcName,
  isDeveloperFile,
  isInFolder,
  isLoopbackHost,
  isVendored,
  serviceHost,
  serviceOf,
  servicesOf,
} from '../service-draft.ts'
import { type BuildLibrary, peerCalls, peerService } from './library-peers.ts'
import {
  containerHosts,
  DirectMessages,
  isDirectMessage,
  isOwnAddress,
  LocalServices,
  type LocalSources,
} from './local-services.ts'
import { type SystemModel, type SystemNode, SystemRelations } from './system-model.ts'
import { SystemNodes } from './system-nodes.ts'
import { type UsedNames, UsedStores } from './used-names.ts'

interface SystemSources extends ServicesFound, LocalSources, UsedNames {
  readonly inbound: readonly Inbound[]
  readonly outbound: readonly Outbound[]
  readonly libraries: readonly BuildLibrary[]
}

const STORE_PROTOCOL =
  /^(JDBC|JPA|R2DBC|MongoDB|Redis|Elasticsearch|SQL|Cassandra|Neo4j|S3|DynamoDB|Memcached)/
/** Protocols that say no more than that there is a database. */
const RELATIONAL = /^(JDBC|JPA|R2DBC|SQL)/
const VARIABLE = /^\$\{(\w+)\}/
interface CallTarget {
  readonly text: string
  readonly isKnown: boolean
  /** Whether it comes from a file of variables: values of one machine. */
  readonly isExample: boolean
}

class SystemBuilder {
  readonly #sources: SystemSources
  readonly #model = new SystemRelations()
  readonly #nodes: SystemNodes
  readonly #stores: UsedStores
  readonly #local: LocalServices
  readonly #direct: DirectMessages
  /** The service that implements a gRPC service. */
  readonly #grpc = new Map<string, Deployable>()

  constructor(sources: SystemSources) {
    this.#sources = sources
    this.#nodes = new SystemNodes(sources, this.#model)
    this.#stores = new UsedStores(this.#nodes, this.#model, sources.resources)
    this.#local = new LocalServices(sources, sources)
    this.#direct = new DirectMessages(sources.inbound, sources.services)
    for (const { protocol, endpoint, source_file } of sources.inbound) {
      const service = serviceOf(source_file, sources.services)
      if (protocol === 'gRPC' && service !== undefined) this.#grpc.set(grpcName(endpoint), service)
    }
  }

  /** The address of a call, with the variable filled in that a container or a file of variables sets. */
  #target(one: Outbound, from: Deployable): CallTarget {
    const text = one.target_service
    for (const candidate of [text, text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, ''), one.origin ?? '']) {
      const [whole = '', name] = VARIABLE.exec(candidate) ?? []
      if (name === undefined) continue
      const filled = (value: string) => candidate.replace(whole, () => value)
      const deployed = this.#nodes.running.variable(from, name)
      if (deployed !== undefined) return { text: filled(deployed), isKnown: true, isExample: false }
      const example = from.folder === undefined ? undefined : this.#sources.variable(name, from.folder)
      if (example !== undefined && /^https?:\/\//.test(example))
        return { text: filled(example), isKnown: true, isExample: true }
    }
    return { text, isKnown: one.confidence !== 'low', isExample: false }
  }

  /** The service at an address of a developer's machine. */
  #localService(one: Outbound, address: string): string | undefined {
    const service = isOwnAddress(one, address) ? undefined : this.#local.at(address, one.source_file)
    return service === undefined ? undefined : `service:${service.name}`
  }

  /** The services that a row is of; configuration may be mounted into a container. */
  #ownersOf({ source_file: file, caller }: Outbound): readonly Deployable[] {
    const container =
      caller === ''
        ? this.#sources.containers.find(({ mounts }) =>
            mounts.some((mount) => mount !== '' && isInFolder(file, mount)),
          )
        : undefined
    const mounted = container === undefined ? undefined : this.#sources.serviceIn.get(container)
    if (mounted !== undefined) return [mounted]
    if (isVendored(file)) return []
    const owners = servicesOf(file, this.#sources.services).filter(
      ({ folder, libraries }) => ![folder ?? '', ...libraries].some((one) => isDeveloperFile(file, one)),
    )
    return this.#sources.callersOf(owners, file, caller)
  }

  published(one: Outbound): void {
    const container = this.#nodes.running.publisherOf(one.target_service, one.source_file)
    const node = container === undefined ? undefined : this.#nodes.ofContainer(container)
    if (node !== undefined) for (const from of this.#ownersOf(one)) this.#stores.publishedFor(from, node)
  }

  outbound(one: Outbound): void {
    for (const from of this.#ownersOf(one)) this.#relate(one, from)
  }

  #relate(one: Outbound, from: Deployable): void {
    const source = { file: one.source_file, line: one.line }
    const place = { ...source, reason: one.type }
    const id = `service:${from.name}`
    const target = this.#target(one, from)
    const host = serviceHost(target.text)
    const technology = technologyOf(one.protocol, target.text)
    const node =
      host === undefined || isLoopbackHost(host)
        ? undefined
        : this.#nodes.ofHost(host, one.source_file, this.#nodes.running.systemsOf(from))?.id
    const receiver = this.#direct.receiverOf(one)
    if (receiver !== undefined)
      return this.#model.relate(id, `service:${receiver.name}`, 'TCP', one.target_service, source)
    if (isDirectMessage(one)) return
    if (one.protocol.startsWith('Messaging')) {
      const name = technology?.name ?? one.protocol.replace('Messaging-', '')
      // Topics may look like hosts.
      const broker = one.type === 'Broker' ? node : undefined
      const to = broker ?? this.#stores.find(from, 'broker', name, place)
      if (one.type === 'Broker') return this.#use(from, to, name, source)
      return this.#model.relate(id, to, name, one.target_service, source)
    }
    if (STORE_PROTOCOL.test(one.protocol) || technology?.kind === 'store') {
      const kind = technology?.name ?? (RELATIONAL.test(one.protocol) ? 'database' : one.protocol)
      return this.#use(from, node ?? this.#stores.find(from, 'store', kind, place), one.protocol, source)
    }
    const method = one.protocol === 'gRPC' ? grpcName(one.target_service) : ''
    const grpc =
      method === '' ? undefined : (this.#grpc.get(method) ?? this.#nodes.named(method, one.source_file))
    if (grpc !== undefined)
      return this.#model.relate(id, `service:${grpc.name}`, 'gRPC', one.target_service, source)
    const peer = peerService(one.protocol, this.#sources)
    if (peer !== undefined) return this.#model.relate(id, `service:${peer.name}`, one.protocol, '', source)
    // The name of a gRPC service looks like a host.
    if (/(^|\.)[A-Z]\w*$/.test(target.text)) return
    if (host === undefined || !target.isKnown) return
    const isSetting = one.protocol === 'Configuration'
    const protocol = isSetting ? 'HTTP' : one.protocol
    const to = isLoopbackHost(host)
      ? this.#localService(one, target.text)
      : (node ?? (target.isExample ? undefined : this.#outside(host, protocol, place)))
    if (to === undefined) return
    if (isSetting) this.#model.set(id, to, protocol, one.path ?? '', source)
    else this.#model.relate(id, to, protocol, one.path ?? '', source)
  }

  /** A store or broker of a service, and of the processes that run its code and are deployed with it. */
  #use(from: Deployable, to: string, protocol: string, source: { file: string; line: number }): void {
    this.#model.relate(`service:${from.name}`, to, protocol, '', source)
    for (const one of this.#processesOf(from))
      if (this.#stores.isDeployedWith(one, to))
        this.#model.relate(`service:${one.name}`, to, protocol, '', source)
  }

  #processesOf({ folder }: Deployable): readonly Deployable[] {
    return this.#sources.services.filter(({ process }) => process !== undefined && process.folder === folder)
  }

  #outside(host: string, protocol: string, place: SystemNode['sources'][number]): string | undefined {
    if (!/\.[a-z]{2,}$/i.test(host) || /\.(svc|local|internal)$|\.svc\./.test(host)) return undefined
    return this.#model.add('outside', host, protocol, [place])
  }

  inbound(one: Inbound): void {
    const to = serviceOf(one.served_by ?? one.source_file, this.#sources.services)
    if (to === undefined || !one.protocol.startsWith('Messaging') || isDirectMessage(one)) return
    const name = technologyOf(one.protocol)?.name ?? one.protocol.replace('Messaging-', '')
    const source = { file: one.source_file, line: one.line }
    const from = this.#stores.find(to, 'broker', name, { ...source, reason: 'listener' })
    // Tasks run in the worker, where there is one.
    const workers = this.#processesOf(to).filter(({ process }) => process?.kind === 'worker')
    const running = name === 'Celery' && workers.length > 0 ? workers : [to]
    for (const { name: service } of running)
      this.#model.relate(from, `service:${service}`, name, one.endpoint, source)
  }

  /** What compose files and manifests say: addresses in the environment of containers, and which wait for others. */
  container(one: Container): void {
    const own = this.#nodes.ofContainer(one)
    if (own === undefined) return
    const from = this.#sources.serviceIn.get(one)
    const source = { file: one.file, line: one.line }
    const systems = new Set([one.system])
    const nodeAt = (host: string) => {
      const node = isLoopbackHost(host) ? undefined : this.#nodes.ofHost(host, one.file, systems)
      if (node !== undefined && node.kind !== 'service' && from !== undefined)
        this.#stores.deployedWith(from, node)
      return node
    }
    for (const name of from === undefined ? [] : one.dependsOn) {
      const node = nodeAt(name)
      // A console of a store is there for nothing else.
      if (node?.kind === 'store' && isStoreConsole(one.image ?? ''))
        this.#model.declare(own.id, node, '', source)
      else if (node !== undefined) this.#model.startsAfter(own.id, node.id, source)
    }
    const isRouter = imageName(one.image ?? '') === 'traefik'
    for (const { name } of isRouter ? this.#sources.containers.filter(({ isRouted }) => isRouted) : []) {
      const node = nodeAt(name)
      if (node !== undefined) this.#model.declare(own.id, node, '', source)
    }
    const reads = (variable: string) => from !== undefined && this.#sources.reads(from, variable)
    const isOthers = (variable: string) =>
      from === undefined
        ? this.#sources.containers.some((other) => other !== one && other.environment.has(variable))
        : this.#sources.isOthers(from, variable)
    for (const { host, variable } of containerHosts(one, { reads, isOthers })) {
      const node = nodeAt(host)
      // A store may have the variables of the service that it belongs to.
      const isMeant = from !== undefined || node?.kind !== 'service'
      if (node !== undefined && isMeant) this.#model.declare(own.id, node, variable, source)
    }
  }

  /** Calls that libraries make without an address in the project. */
  libraries(): void {
    for (const { from, to, protocol, library } of peerCalls(this.#sources, this.#sources.libraries))
      this.#model.set(`service:${from.name}`, `service:${to.name}`, protocol, library.artifactId, {
        file: library.file,
        line: 1,
      })
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
  builder.libraries()
  return builder.build()
}
