import { pushTo } from '../../../kernel/multimap.ts'
import { type Container, containerNames } from '../containers.ts'
import type { ServicesFound } from '../find-services.ts'
import { type Deployable, nearest, plainName } from '../service-draft.ts'
import { DeployedServices, shortHost } from './deployed-services.ts'
import type { SystemNode, SystemRelations } from './system-model.ts'

/** Services by the names that others use for them. */
class ServiceNames {
  readonly #exact = new Map<string, Deployable[]>()
  readonly #plain = new Map<string, Set<Deployable>>()

  constructor(services: readonly Deployable[]) {
    for (const service of services)
      for (const name of service.aliases) {
        pushTo(this.#exact, name.toLowerCase(), service)
        const plain = plainName(name)
        this.#plain.set(plain, (this.#plain.get(plain) ?? new Set()).add(service))
      }
  }

  /** The service that the file of another one names; of several, the nearest. */
  find(name: string, file: string): Deployable | undefined {
    const exact = nearest(this.#exact.get(name.toLowerCase()) ?? [], file, ({ folder = '' }) => folder)
    if (exact !== undefined) return exact
    const plain = plainName(name)
    const [only, ...others] = plain.length < 3 ? [] : (this.#plain.get(plain) ?? [])
    return others.length === 0 ? only : undefined
  }
}

/** The boxes of a system, by the containers and the hosts that name them. */
export class SystemNodes {
  readonly #sources: ServicesFound
  readonly #model: SystemRelations
  readonly #serviceNames: ServiceNames
  /** Containers by their names and further hosts. */
  readonly #byHost = new Map<string, Container[]>()
  readonly #names: ReadonlyMap<Container, string>
  readonly running: DeployedServices

  constructor(sources: ServicesFound, model: SystemRelations) {
    this.#sources = sources
    this.#model = model
    this.#names = containerNames(sources.containers)
    this.#serviceNames = new ServiceNames(sources.services)
    this.running = new DeployedServices(sources.containers, sources.serviceIn)
    for (const { name, kind, shownBy } of sources.services) model.add('service', name, kind, shownBy)
    for (const one of sources.containers)
      for (const host of new Set([one.name, ...one.hosts])) pushTo(this.#byHost, host.toLowerCase(), one)
  }

  /** The service that the file of another one names. */
  named(name: string, file: string): Deployable | undefined {
    return this.#serviceNames.find(name, file)
  }

  /** The box of a container: a store, a broker or the service that it runs. */
  ofContainer(container: Container): SystemNode | undefined {
    const { technology } = container
    const service = this.#sources.serviceIn.get(container)
    if (technology === undefined)
      return service === undefined ? undefined : this.#model.node(`service:${service.name}`)
    const name = this.#names.get(container) ?? container.name
    return this.#model.node(this.#model.add(technology.kind, name, technology.name, container.shownBy))
  }

  /** The box of a host: a container of the same system or a service of the project; undefined for any other. */
  ofHost(host: string, file: string, systems: ReadonlySet<string>): SystemNode | undefined {
    // Whole names reach every part of the cluster, whichever folder declares it.
    const isWhole = /\.svc\.cluster\.local$/.test(host)
    for (const name of [host, shortHost(host)]) {
      const named = this.#byHost.get(name.toLowerCase()) ?? []
      const own = named.filter(({ system }) => systems.size === 0 || systems.has(system))
      const container = nearest(own.length === 0 && isWhole ? named : own, file, (one) => one.file)
      const node = container === undefined ? undefined : this.ofContainer(container)
      if (node !== undefined) return node
      const service = this.named(name, file)
      // A container of another system is not meant, though it has the name.
      const deployed = service === undefined ? [] : this.running.containersOf(service)
      const isWithin =
        isWhole ||
        systems.size === 0 ||
        deployed.length === 0 ||
        deployed.some(({ system }) => systems.has(system))
      if (service !== undefined && isWithin) return this.#model.node(`service:${service.name}`)
    }
    return undefined
  }
}
