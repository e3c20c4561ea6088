import type { Outbound } from '../../connections/connections.ts'
import type { ListeningPort } from '../../connections/listening-ports.ts'
import { isVariableFile } from '../../source/discovery-rules.ts'
import type { Container } from '../containers.ts'
import type { ServicesFound } from '../find-services.ts'
import { isInside } from '../names.ts'
import type { Deployable } from '../service-draft.ts'
import { serviceOf } from '../service-files.ts'
import { localPort, publishes } from './deployed-services.ts'

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
    const above = publishing.filter(({ group }) => isInside(file, group))
    const published = (above.length > 0 ? above : publishing).map((one) => this.#serviceIn.get(one))
    const [only, ...others] = new Set([...published, ...(this.#byPort.get(port) ?? [])])
    return others.length === 0 ? only : undefined
  }
}
