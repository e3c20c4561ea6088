import { imageName } from '../../deployment/technologies.ts'
import type { ServicesFound } from '../find-services.ts'
import type { Deployable } from '../service-draft.ts'

/** A library in the build of the code in a folder. */
export interface BuildLibrary {
  readonly folder: string
  readonly artifactId: string
  /** The build file. */
  readonly file: string
}

interface LibraryPeer {
  readonly protocol: string
  /** Libraries of those that call. */
  readonly client: RegExp
  /** The library of the service that is called, or the image of the container. */
  readonly server?: RegExp
  readonly image?: RegExp
}

/** Clients that find their server by the configuration of the machine or of another repository. */
const PEERS: readonly LibraryPeer[] = [
  {
    protocol: 'Eureka',
    client: /^spring-cloud-starter-(netflix-)?eureka-client$/,
    server: /^spring-cloud-starter-(netflix-)?eureka-server$/,
  },
  {
    protocol: 'Zipkin',
    client:
      /^(spring-boot-starter-zipkin|zipkin-reporter-brave|opentelemetry-exporter-zipkin|spring-cloud-(starter|sleuth)-zipkin)$/,
    image: /^zipkin/,
  },
  {
    protocol: 'Jaeger',
    client:
      /^(jaeger-(client|core|thrift)|opentelemetry-exporter-jaeger(-thrift)?|opentracing-spring-jaeger-\w*-?starter)$/,
    image: /^(jaeger|all-in-one$)/,
  },
]

/** The only container that a client without an address in the code can mean. */
export const peerService = (
  protocol: string,
  { containers, serviceIn }: ServicesFound,
): Deployable | undefined => {
  const image = PEERS.find((one) => one.protocol === protocol)?.image
  const running = containers.filter((one) => image?.test(imageName(one.image ?? '')) === true)
  const [only, ...others] = new Set(running.flatMap((one) => serviceIn.get(one) ?? []))
  return others.length === 0 ? only : undefined
}

interface PeerCall {
  readonly from: Deployable
  readonly to: Deployable
  readonly protocol: string
  readonly library: BuildLibrary
}

/** Calls that the libraries of services show, where the project has one server of the kind. */
export const peerCalls = (
  { services, containers, serviceIn }: ServicesFound,
  libraries: readonly BuildLibrary[],
): readonly PeerCall[] => {
  const byFolder = new Map(services.map((one) => [one.folder, one]))
  const users = (library: RegExp) =>
    libraries.flatMap((one) => {
      const service = library.test(one.artifactId) ? byFolder.get(one.folder) : undefined
      return service === undefined ? [] : [{ service, library: one }]
    })
  return PEERS.flatMap(({ protocol, client, server, image }) => {
    const running = containers.filter((one) => image?.test(imageName(one.image ?? '')) === true)
    const [to, ...others] = new Set([
      ...(server === undefined ? [] : users(server).map(({ service }) => service)),
      ...running.flatMap((one) => serviceIn.get(one) ?? []),
    ])
    if (to === undefined || others.length > 0) return []
    return users(client).map(({ service, library }) => ({ from: service, to, protocol, library }))
  })
}
