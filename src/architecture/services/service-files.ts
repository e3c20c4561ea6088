import { servedService } from '../source/configuration.ts'
import { isInside } from './names.ts'
import type { Deployable } from './service-draft.ts'

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
    return { users: [], ...(served !== undefined && { around: served }) }
  }
  const around = longest(
    services.filter(({ folder }) => folder !== undefined && isInside(file, folder)),
    ({ folder = '' }) => folder.length,
  )
  const library = longest(
    services.flatMap(({ libraries }) => libraries.filter((folder) => isInside(file, folder))),
    (folder) => folder.length,
  )
  // A library inside of the folder of a service is part of all that use it.
  const isLibrary = library !== undefined && library.length > (around?.folder?.length ?? -1)
  return {
    users: isLibrary ? services.filter(({ libraries }) => libraries.includes(library)) : [],
    ...(around !== undefined && { around }),
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
