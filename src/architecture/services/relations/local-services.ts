import type { Inbound, Outbound } from '../../connections/framework.ts'
import type { ListeningPort } from '../../connections/listening-ports.ts'
import { isVariableFile } from '../../source/discovery-rules.ts'
import type { Container } from '../containers.ts'
import type { ServicesFound } from '../find-services.ts'
import { type Deployable, isInFolder, serviceHost, serviceOf } from '../service-draft.ts'
import { localPort, publishes } from './deployed-services.ts'

/** Names of variables whose value is a host, without scheme and port. */
const HOST_NAME =
  /(^|[_.-]|[a-z])(HOST(NAME)?|ADDR(ESS)?|UR[IL]|SERVERS?|ENDPOINT|BROKERS?|SERVICE|UPSTREAM|BACKEND|TARGET|NODES?|hosts?)S?$/i

/** Hosts that a value names: URLs, `host:port`, `Host=db;…`, `user@tcp(db:3306)/x`, and a host alone if the name says so. */
const hostsIn = (name: string, value: string): readonly string[] => {
  const text = value.replace(/^--?[\w.-]+[= ]/, '')
  const [, socket] = /@tcp\(([\w.-]+)(?::\d+)?\)/.exec(text) ?? []
  const [, keyed] = /(?:^|[;\s])(?:Host|Server|Data Source)\s*=\s*(?:tcp:)?([\w.-]+)/i.exec(text) ?? []
  const found = [socket, keyed].flatMap((one) => one ?? [])
  if (found.length > 0) return found
  return text.split(/[,\s]+/).flatMap((one) => {
    const isAddress = /^[a-z][a-z0-9+.:-]*:\/\/|^[\w.-]+:\d{2,5}(\/|$)/i.test(one)
    const isHost = HOST_NAME.test(name) && /^[a-z][\w.-]*$/i.test(one)
    const host = isAddress || isHost ? serviceHost(one) : undefined
    return host === undefined ? [] : [host]
  })
}

interface NamedHost {
  readonly host: string
  /** The variable that holds it; empty for an argument. */
  readonly variable: string
  readonly value: string
}

interface VariableUse {
  readonly reads: (variable: string) => boolean
  readonly isOthers: (variable: string) => boolean
}

/**
 * Hosts in the environment and the arguments of a container: of a shared environment, what its code names; of files
 * with variables, not what only other code names.
 */
export const containerHosts = (
  { environment, shared, values, fromFiles }: Container,
  { reads, isOthers }: VariableUse,
): readonly NamedHost[] => {
  const variables = [...environment, ...[...shared].filter(([name]) => !environment.has(name) && reads(name))]
  // Code is read last: it may be that of the whole project.
  const isMeant = ({ variable }: NamedHost) => fromFiles?.has(variable) !== true || !isOthers(variable)
  return [
    ...variables.flatMap(([variable, value]) =>
      hostsIn(variable, value)
        .map((host) => ({ host, variable, value }))
        .filter(isMeant),
    ),
    ...values.flatMap((value) => hostsIn('', value).map((host) => ({ host, variable: '', value }))),
  ]
}

/** Messages that go from one service to the other without a broker: the TCP transport of Nest. */
const DIRECT = 'Messaging-TCP'

export const isDirectMessage = ({ protocol }: Pick<Inbound, 'protocol'>): boolean => protocol === DIRECT

/** Finds the receiver of a direct message by its pattern. */
export class DirectMessages {
  /** Undefined for a pattern that several services handle. */
  readonly #receivers = new Map<string, Deployable | undefined>()

  constructor(inbound: readonly Inbound[], services: readonly Deployable[]) {
    for (const one of inbound) {
      const service = isDirectMessage(one) ? serviceOf(one.source_file, services) : undefined
      if (service === undefined) continue
      const isOnly = !this.#receivers.has(one.endpoint) || this.#receivers.get(one.endpoint) === service
      this.#receivers.set(one.endpoint, isOnly ? service : undefined)
    }
  }

  /** The transport of a sender may be unknown; that of the receiver decides. */
  receiverOf(one: Outbound): Deployable | undefined {
    return isDirectMessage(one) || one.protocol === 'Messaging-Nest'
      ? this.#receivers.get(one.target_service)
      : undefined
  }
}

/** Settings with the address of the program itself, of its pages, or of those that may call it. */
const OWN_ADDRESS =
  /cors|origin|redirect|callback|allowed|public|front-?end|client[._-]?ur[il]|site|self|(^|[._-])(app|base|web|own|home|instance)[._-]?ur[il]|nextauth|swagger|openapi/i

/** Whether an address of a developer's machine is that of the program which names it. */
export const isOwnAddress = (one: Outbound, address: string): boolean =>
  one.protocol === 'Configuration'
    ? isVariableFile(one.source_file) || OWN_ADDRESS.test(one.path ?? '')
    : // A proxy runs in a container, whose `localhost` is no other.
      one.caller === '' &&
      /^(nginx|Caddy|Envoy|Prometheus)$/.test(one.type) &&
      !/host\.docker\./.test(address)

export interface LocalSources {
  /** Ports that the code listens on. */
  readonly listening: readonly ListeningPort[]
  /** The value of a setting such as `server.port` for the code in a folder. */
  readonly setting: (key: string, folder: string) => string | undefined
  /** The value of a variable in the `.env` files of a folder. */
  readonly variable: (name: string, folder: string) => string | undefined
}

/** Without a setting, Spring listens there. */
const SPRING_PORT = '8080'
const CONFIG_IMPORT = ['spring.config', 'import'].join('.')

/** Services by the ports at which a developer's machine has them. */
export class LocalServices {
  readonly #containers: readonly Container[]
  readonly #serviceIn: ServicesFound['serviceIn']
  readonly #byPort = new Map<string, Set<Deployable>>()

  constructor(found: ServicesFound, { listening, setting, variable }: LocalSources) {
    this.#containers = found.containers
    this.#serviceIn = found.serviceIn
    for (const { port, file, variable: name } of listening) {
      const service = serviceOf(file, found.services)
      if (service?.folder === undefined) continue
      const given = name === undefined ? undefined : variable(name, service.folder)
      this.#add(given ?? port, service)
    }
    for (const service of found.services) {
      if (service.folder === undefined) continue
      const given = setting('server.port', service.folder)
      const isSpring = service.shownBy.some(({ reason }) => reason.startsWith('main class '))
      // A configuration server may give another port.
      const isServed = setting(CONFIG_IMPORT, service.folder)?.includes('configserver') === true
      if (given !== undefined) this.#add(given, service)
      else if (isSpring && !isServed) this.#add(SPRING_PORT, service)
    }
  }

  #add(port: string, service: Deployable): void {
    if (/^\d{2,5}$/.test(port)) this.#byPort.set(port, (this.#byPort.get(port) ?? new Set()).add(service))
  }

  /** The service at an address such as `localhost:3000`, when only one listens there. */
  at(address: string, file: string): Deployable | undefined {
    const port = localPort(address)
    if (port === undefined) return undefined
    const publishing = this.#containers.filter(({ ports }) => publishes(ports, port))
    const above = publishing.filter(({ group }) => isInFolder(file, group))
    const published = (above.length > 0 ? above : publishing).map((one) => this.#serviceIn.get(one))
    const [only, ...others] = new Set([...published, ...(this.#byPort.get(port) ?? [])])
    return others.length === 0 ? only : undefined
  }
}
