import { optional } from '../../kernel/optional.ts'
import { originOf } from '../connections/addresses.ts'
import { servedService } from '../source/configuration.ts'
import { folderOf, nameOf } from '../source/source-files.ts'

/** Names and hosts by which services are found. */

/** `Order-Service`, `order_service` and `orders` name one service. */
export const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[-_.]/g, '')
    .replace(/(service|svc|server|api|app|application)$/, '')
    .replace(/s$/, '')

/** The host of an address such as `lb://orders`, `http://orders:8080/x` or `orders:9090`. */
export const serviceHost = (target: string): string | undefined => {
  const origin = originOf(target)
  const host = (origin ?? target)
    .replace(/^(?:[a-z][a-z0-9+.-]*:)+\/\/(?:\*\*\*@)?/i, '')
    .replace(/:\d+.*$/, '')
  return /^[a-z0-9][a-z0-9._-]*$/i.test(host) ? host : undefined
}

/** The item whose place shares most folders with a file: a repository may hold several systems. */
export const nearest = <T>(
  items: readonly T[],
  file: string,
  placeOf: (item: T) => string,
): T | undefined => {
  const steps = file.split('/')
  const shared = (place: string) => {
    const others = place.split('/')
    let at = 0
    while (at < steps.length && steps[at] === others[at]) at += 1
    return at
  }
  return items.reduce<{ readonly item: T; readonly rank: number } | undefined>((best, item) => {
    const rank = shared(placeOf(item))
    return best === undefined || rank > best.rank ? { item, rank } : best
  }, undefined)?.item
}

export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127\.|0\.0\.0\.0|\[?::1|host\.docker\.internal)/.test(host)

/** `shop.v1.Cart/Add` is a method of the service `Cart`. */
export const grpcName = (endpoint: string): string => endpoint.replace(/\/.*$/, '').replace(/^.*\./, '')

export const isInFolder = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)

/** Top folders of a deployable with programs for its developers. */
const DEVELOPER_FOLDER = /^(dev|docs?|scripts?|hack|tools?|examples?|contrib|ci|bench(marks?)?|samples?)\//

/** Packages of others that Go copies into a project: `vendor/github.com/…`. */
export const isVendored = (file: string): boolean => /(^|\/)vendor\/[\w-]+\.[a-z]{2,}\//.test(file)

/** Whether a file is not part of what runs: a script or a document beside the code of a deployable. */
export const isDeveloperFile = (file: string, folder: string): boolean =>
  isInFolder(file, folder) && DEVELOPER_FOLDER.test(file.slice(folder === '' ? 0 : folder.length + 1))

/** Containers in these folders show how to use or test a project; a repository of examples has others beside. */
const EXAMPLE_FOLDER = /^(examples?|samples?|docs?|e2e|website)\//

export const isExample = (file: string): boolean => EXAMPLE_FOLDER.test(file)

/** Folders named for what they hold; the service has the name of the folder above. */
const GENERIC_FOLDER = /^(src|app|main|source|docker|build|cmd)$/

export const folderName = (folder: string): string =>
  GENERIC_FOLDER.test(nameOf(folder)) && folderOf(folder) !== '' ? nameOf(folderOf(folder)) : nameOf(folder)

/** The name of a service among those of its containers: the one that says the folder, when there are several. */
export const chooseName = (names: readonly string[], own: string): string | undefined => {
  const distinct = [...new Set(names)]
  return distinct.length < 2 || own === ''
    ? distinct[0]
    : (distinct.find((name) => name === own) ?? distinct.find((name) => name.endsWith(`-${own}`)) ?? own)
}

const longest = <T>(items: readonly T[], lengthOf: (item: T) => number): T | undefined =>
  items.reduce<T | undefined>(
    (best, one) => (best === undefined || lengthOf(one) > lengthOf(best) ? one : best),
    undefined,
  )

interface FileOwners {
  /** The service whose folder is around the file. */
  readonly around?: Deployable
  /** The services that use the library of the file, when it is inside of one. */
  readonly users: readonly Deployable[]
  readonly library?: string
}

const ownersOf = (file: string, services: readonly Deployable[]): FileOwners => {
  const configured = servedService(file)
  if (configured !== undefined) {
    const served = services.find(({ aliases }) => aliases.includes(configured))
    return { users: [], ...optional({ around: served }) }
  }
  const around = longest(
    services.filter(({ folder }) => folder !== undefined && isInFolder(file, folder)),
    ({ folder = '' }) => folder.length,
  )
  const library = longest(
    services.flatMap(({ libraries }) => libraries.filter((folder) => isInFolder(file, folder))),
    (folder) => folder.length,
  )
  // A library inside of the folder of a service is part of all that use it.
  const isLibrary = library !== undefined && library.length > (around?.folder?.length ?? -1)
  return {
    users: isLibrary ? services.filter(({ libraries }) => libraries.includes(library)) : [],
    ...optional({ around }),
    ...(isLibrary && { library }),
  }
}

/** The services that a file is part of: the one with the longest folder around it, or all that use its library. */
export const servicesOf = (file: string, services: readonly Deployable[]): readonly Deployable[] => {
  const { around, users } = ownersOf(file, services)
  return users.length > 0 || around === undefined ? users : [around]
}

/** The one service that a file belongs to. Of the users of a library, the only one that serves or uses it directly. */
export const serviceOf = (file: string, services: readonly Deployable[]): Deployable | undefined => {
  const { around, users, library = '' } = ownersOf(file, services)
  const serving = users.filter(({ kind }) => kind !== 'command')
  const direct = serving.filter((one) => one.direct?.includes(library) === true)
  return [users, serving, direct].find((all) => all.length === 1)?.[0] ?? around
}

export type ServiceKind =
  | 'service'
  | 'web application'
  | 'mobile application'
  | 'desktop application'
  | 'command'

/** A fact that shows a deployable, with its place. */
export interface ServiceEvidence {
  readonly file: string
  readonly line: number
  readonly reason: string
}

/** A deployable before the facts about one folder are joined. */
export interface ServiceDraft {
  readonly folder: string
  readonly name?: string
  readonly kind: ServiceKind
  readonly evidence: ServiceEvidence
  readonly aliases?: readonly string[]
  /** Folders of the project that it uses, beside its own. */
  readonly libraries?: readonly string[]
}

/** A part of the project that is deployed on its own. */
export interface Deployable {
  readonly name: string
  /** Relative to the root; empty for the root itself. Undefined when it runs an image that is built elsewhere. */
  readonly folder?: string
  readonly kind: ServiceKind
  readonly shownBy: readonly ServiceEvidence[]
  /** Further names by which other services reach it. */
  readonly aliases: readonly string[]
  /** Folders of library modules that are part of it. */
  readonly libraries: readonly string[]
  /** It runs the code of the service in this folder, with another command. */
  readonly process?: { readonly kind: 'worker' | 'scheduler'; readonly folder: string }
  /** Those of them that it uses itself, not through others, where the build says so. */
  readonly direct?: readonly string[]
}
