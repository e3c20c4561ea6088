import { type Entry, type Folder, jailFaults, quotePath, type Watch } from '../../kernel/jail.ts'
import type { Checks } from './checks.ts'
import { readEntries } from './entries.ts'
import type { Place } from './handles.ts'
import { systemFault } from './walk.ts'

/** A folder to walk through. Nothing on the way down ever follows a link. */
export const holdFolder = (
  checks: Checks,
  place: Place,
  segments: readonly string[],
  asked = false,
): Folder => {
  const { ground, lists } = checks
  const deniedHere = checks.deniedAt(segments.length + 1)
  const path = segments.join('/')
  const below = (name: string) => [...segments, name]

  /** What a walk meets and may not have is passed over: it was not asked for by name. */
  const attempt = <T>(name: string, way: (at: Place, name: string) => Place, use: (found: Place) => T) => {
    if (deniedHere?.(below(name))) return undefined
    let found: Place | undefined
    try {
      found = way(place, name)
      return use(found)
    } catch {
      found?.leave()
      return undefined
    }
  }

  const allowed = (entries: readonly Entry[]): readonly Entry[] => {
    if (deniedHere === undefined) return entries
    const names = below('')
    return entries.filter(({ name }) => {
      names[segments.length] = name
      return !deniedHere(names)
    })
  }

  const read = (watch: Watch) => {
    try {
      return allowed(readEntries(place, watch))
    } catch (thrown) {
      throw systemFault(thrown, path)
    }
  }

  return {
    path,
    entries(watch) {
      // A walk comes by once; who asks for a folder by its name often asks again.
      const entries = asked
        ? lists.list(path, { make: () => read(watch), look: () => ground.look(place) })
        : read(watch)
      if (!ground.holds(place)) throw jailFaults.changed(`changed while it was listed: ${quotePath(path)}`)
      return entries
    },
    enter: (name) =>
      attempt(name, ground.enter, (found) => {
        checks.place(found, name)
        return holdFolder(checks, found, below(name))
      }),
    read: (name, bytes) =>
      attempt(name, ground.find, (found) => {
        const file = checks.read(found, below(name).join('/'), bytes)
        found.leave()
        return file
      }),
    close: () => place.leave(),
  }
}
