import { type Dirent, lstatSync, opendirSync } from 'node:fs'
import { type Entry, type EntryKind, type Folder, jailFaults, quotePath, type Watch } from '../kernel/jail.ts'
import { type Checks, kindOf } from './jail-checks.ts'
import type { Place } from './jail-ground.ts'

// Beyond this a folder is not something to list but something to ask a database about.
const MAX_ENTRIES = 200_000
const BATCH = 256

/** Some file systems do not say in their lists what an entry is. */
const kindAt = (at: Place, entry: Dirent): EntryKind => {
  const kind = kindOf(entry)
  if (kind !== 'other') return kind
  try {
    return kindOf(lstatSync(`${at.reach}/${entry.name}`))
  } catch {
    return 'other'
  }
}

const readEntries = (at: Place, watch: Watch): Entry[] => {
  const folder = opendirSync(at.reach, { bufferSize: BATCH })
  try {
    const entries: Entry[] = []
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length % BATCH === 0) watch()
      if (entries.length === MAX_ENTRIES) {
        throw jailFaults.too_many_entries(`a folder with more than ${MAX_ENTRIES} entries`, {
          detail: { limit: MAX_ENTRIES },
        })
      }
      entries.push({ name: entry.name, kind: kindAt(at, entry) })
    }
    return entries
  } finally {
    folder.closeSync()
  }
}

const byName = (one: Entry, other: Entry): number => (one.name < other.name ? -1 : 1)

/** A folder to walk through. Nothing on the way down ever follows a link. */
export const holdFolder = (checks: Checks, place: Place, segments: readonly string[]): Folder => {
  const { ground } = checks
  const path = segments.join('/')
  const below = (name: string) => [...segments, name]

  /** What a walk meets and may not have is passed over: it was not asked for by name. */
  const attempt = <T>(name: string, way: (at: Place, name: string) => Place, use: (found: Place) => T) => {
    if (checks.denies(below(name))) return undefined
    let found: Place | undefined
    try {
      found = way(place, name)
      return use(found)
    } catch {
      found?.leave()
      return undefined
    }
  }

  return {
    path,
    entries(watch) {
      const entries = readEntries(place, watch)
      if (!ground.holds(place)) throw jailFaults.changed(`changed while it was listed: ${quotePath(path)}`)
      return entries.filter(({ name }) => !checks.denies(below(name))).sort(byName)
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
