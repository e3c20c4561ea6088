import { pushTo } from '../../../kernel/multimap.ts'
import type { Container } from '../containers.ts'
import { type Deployable, isInFolder } from '../service-draft.ts'

const RELATIONAL_STORE = /^(PostgreSQL|MySQL|SQL Server|Oracle|database)$/

/** Whether a store or broker can be the one that code uses; `database` says no more than that it is relational. */
export const isOfTechnology = (deployed: string, used: string): boolean =>
  used === 'database' ? RELATIONAL_STORE.test(deployed) : deployed === used

/** Names inside of a cluster: `orders.shop.svc.cluster.local` is `orders`. */
export const shortHost = (host: string): string =>
  /\.svc(\.|$)|\.cluster\.local$|^[\w-]+\.[\w-]+$/.test(host) ? host.replace(/\..*$/, '') : host

/** `localhost:3306`, also within an address. */
const LOCAL_PORT = /(?:^|[/@,])(?:localhost|127\.0\.0\.1|0\.0\.0\.0|host\.docker\.internal):(\d+)(?!\d)/
/** `3306:3306` and `127.0.0.1:3306:3306/tcp` publish a port; `3306` alone gets any. */
const PUBLISHED = /(?:^|:)(\d+):\d+(?:\/\w+)?$/

/** The port of an address of a developer's machine. */
export const localPort = (address: string): string | undefined => LOCAL_PORT.exec(address)?.[1]

export const publishes = (ports: readonly string[], port: string): boolean =>
  ports.some((one) => PUBLISHED.exec(one)?.[1] === port)

/** Services with the containers that run them. */
export class DeployedServices {
  readonly #containers: readonly Container[]
  readonly #byService = new Map<Deployable, Container[]>()

  constructor(containers: readonly Container[], serviceIn: ReadonlyMap<Container, Deployable>) {
    this.#containers = containers
    for (const [one, service] of serviceIn) pushTo(this.#byService, service, one)
  }

  containersOf(service: Deployable): readonly Container[] {
    return this.#byService.get(service) ?? []
  }

  systemsOf(service: Deployable): ReadonlySet<string> {
    return new Set(this.containersOf(service).map(({ system }) => system))
  }

  /** The value of a variable in the containers of a service. */
  variable(service: Deployable, name: string): string | undefined {
    for (const { environment, shared } of this.containersOf(service)) {
      const value = environment.get(name) ?? shared.get(name)
      if (value !== undefined && value !== '') return value
    }
    return undefined
  }

  /** The stores or brokers of a technology in the systems of a service, or in the only system of the project. */
  peersOf(service: Deployable, technology: string): readonly Container[] {
    const own = this.systemsOf(service)
    const systems = own.size > 0 ? own : new Set(this.#containers.map(({ system }) => system))
    if (own.size === 0 && systems.size > 1) return []
    return this.#containers.filter(
      (one) =>
        systems.has(one.system) &&
        one.technology !== undefined &&
        isOfTechnology(one.technology.name, technology),
    )
  }

  /**
   * The store or broker at an address of a developer's machine: the container that publishes the port, of the nearest
   * compose file above, or the only one of the project.
   */
  publisherOf(address: string, file: string): Container | undefined {
    const port = localPort(address)
    if (port === undefined) return undefined
    const all = this.#containers.filter(
      ({ technology, ports }) => technology !== undefined && publishes(ports, port),
    )
    const above = all.filter(({ group }) => isInFolder(file, group))
    const depth = Math.max(...above.map(({ group }) => group.length))
    const nearby = above.length === 0 ? all : above.filter(({ group }) => group.length === depth)
    return nearby.length === 1 ? nearby[0] : undefined
  }
}

/** What carries the tasks of Celery, which is no broker itself; Redis may be there as a cache beside RabbitMQ. */
export const celeryBroker = (beside: readonly { readonly technology: string }[]): string =>
  ['RabbitMQ', 'Redis'].find((name) => beside.some(({ technology }) => technology === name)) ?? 'Celery'
