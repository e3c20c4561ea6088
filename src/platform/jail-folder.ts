import { type Dirent, lstatSync, opendirSync, readdirSync } from 'node:fs'
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

const entryOf = (at: Place, entry: Dirent): Entry => ({ name: entry.name, kind: kindAt(at, entry) })

/** Of a folder that may be endless: batch by batch, up to the bound. */
const streamEntries = (at: Place, watch: Watch): Entry[] => {
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
      entries.push(entryOf(at, entry))
    }
    return entries
  } finally {
    folder.closeSync()
  }
}

// A list of this size, as the file system counts it, is read at once: the stream costs more than it saves.
const SMALL = 256 * 1024

const readEntries = (at: Place, watch: Watch): Entry[] => {
  watch()
  if (at.stats.size > SMALL) return streamEntries(at, watch)
  return readdirSync(at.reach, { withFileTypes: true }).map((entry) => entryOf(at, entry))
}

const byName = (one: Entry, other: Entry): number => (one.name < other.name ? -1 : 1)

/** A folder to walk through. Nothing on the way down ever follows a link. */
export const holdFolder = (checks: Checks, place: Place, segments: readonly string[]): Folder => {
  const { ground } = checks
  const path = segments.join('/')
  const below = (name: string) => [...segments, name]

  /** What a walk meets and may not have is passed over: it was not asked for by name. */
  const attempt = <T>(name: string, way: (at: Place, name: string) => Place, use: (found: Place) => T) => {
    if (checks.denied?.(below(name))) return undefined
    let found: Place | undefined
    try {
      found = way(place, name)
      return use(found)
    } catch {
      found?.leave()
      return undefined
    }
  }

  const allowed = (entries: Entry[]): Entry[] => {
    const { denied } = checks
    if (denied === undefined) return entries
    const names = below('')
    return entries.filter(({ name }) => {
      names[segments.length] = name
      return !denied(names)
    })
  }

  return {
    path,
    entries(watch) {
      const entries = readEntries(place, watch)
      if (!ground.holds(place)) throw jailFaults.changed(`changed while it was listed: ${quotePath(path)}`)
      return allowed(entries).sort(byName)
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
