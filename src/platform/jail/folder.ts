import {
  type CheckDeadline,
  type DirectoryEntry,
  type Folder,
  jailFaults,
  quotePath,
} from '../../kernel/jail.ts'
import type { Checks } from './checks.ts'
import { readEntries } from './entries.ts'
import type { Handle } from './handles.ts'
import { systemFault } from './walk.ts'

/** A folder to walk through. Nothing on the way down ever follows a link. */
export const holdFolder = (
  checks: Checks,
  place: Handle,
  segments: readonly string[],
  asked = false,
): Folder => {
  const { backend, lists } = checks
  const deniedHere = checks.deniedAt(segments.length + 1)
  const path = segments.join('/')
  const below = (name: string) => [...segments, name]

  /** What a walk meets and may not have is passed over: it was not asked for by name. */
  const attempt = <T>(name: string, way: (at: Handle, name: string) => Handle, use: (found: Handle) => T) => {
    if (deniedHere?.(below(name))) return undefined
    let found: Handle | undefined
    try {
      found = way(place, name)
      return use(found)
    } catch {
      found?.close()
      return undefined
    }
  }

  const allowed = (entries: readonly DirectoryEntry[]): readonly DirectoryEntry[] => {
    if (deniedHere === undefined) return entries
    const names = below('')
    return entries.filter(({ name }) => {
      names[segments.length] = name
      return !deniedHere(names)
    })
  }

  const read = (watch: CheckDeadline) => {
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
        ? lists.list(path, { make: () => read(watch), look: () => backend.look(place) })
        : read(watch)
      if (!backend.holds(place)) throw jailFaults.changed(`changed while it was listed: ${quotePath(path)}`)
      return entries
    },
    enter: (name) =>
      attempt(name, backend.enter, (found) => {
        checks.place(found, name)
        return holdFolder(checks, found, below(name))
      }),
    read: (name, bytes) =>
      attempt(name, backend.find, (found) => {
        const file = checks.read(found, below(name).join('/'), bytes)
        found.close()
        return file
      }),
    close: () => place.close(),
  }
}
