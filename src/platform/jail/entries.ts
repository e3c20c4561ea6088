import { type Dirent, lstatSync, opendirSync, readdirSync, type Stats } from 'node:fs'
import { type CheckDeadline, type DirectoryEntry, type EntryKind, jailFaults } from '../../kernel/jail.ts'
import type { Handle } from './handles.ts'

// Beyond this a folder is not something to list but something to ask a database about.
const MAX_ENTRIES = 200_000
const BATCH = 256

export const entryKind = (stats: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind => {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'link' : 'other'
}

/** Some file systems do not say in their lists what an entry is. */
const kindAt = (at: Handle, entry: Dirent): EntryKind => {
  const kind = entryKind(entry)
  if (kind !== 'other') return kind
  try {
    return entryKind(lstatSync(`${at.procPath}/${entry.name}`))
  } catch {
    return 'other'
  }
}

const entryOf = (at: Handle, entry: Dirent): DirectoryEntry => ({ name: entry.name, kind: kindAt(at, entry) })

const refuseMany = (most: number): never => {
  throw jailFaults.too_many_entries(`a folder with more than ${most} entries`, { detail: { limit: most } })
}

/** Of a folder that may be endless: batch by batch, up to the bound. */
const streamEntries = (at: Handle, watch: CheckDeadline, most: number): DirectoryEntry[] => {
  const folder = opendirSync(at.procPath, { bufferSize: BATCH })
  try {
    const entries: DirectoryEntry[] = []
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length % BATCH === 0) watch()
      if (entries.length === most) refuseMany(most)
      entries.push(entryOf(at, entry))
    }
    return entries
  } finally {
    folder.closeSync()
  }
}

// A list of this size, as the file system counts it, is read at once: it comes sorted, and costs less than the stream.
const SMALL = 256 * 1024

/** The names of a folder come sorted by their bytes: in nearly every folder that is the order we want. */
const isSorted = (entries: readonly DirectoryEntry[]): boolean => {
  for (let at = 1; at < entries.length; at += 1) {
    if ((entries[at - 1] as DirectoryEntry).name > (entries[at] as DirectoryEntry).name) return false
  }
  return true
}

const byName = (one: DirectoryEntry, other: DirectoryEntry): number => (one.name < other.name ? -1 : 1)

const readAtOnce = (at: Handle, most: number): DirectoryEntry[] => {
  const entries = readdirSync(at.procPath, { withFileTypes: true })
  // Some file systems count in other units, or not at all.
  return entries.length > most ? refuseMany(most) : entries.map((entry) => entryOf(at, entry))
}

/** The entries of a folder in code-unit order. */
export const readEntries = (
  at: Handle,
  watch: CheckDeadline,
  most = MAX_ENTRIES,
): readonly DirectoryEntry[] => {
  watch()
  const entries = at.stats.size > SMALL ? streamEntries(at, watch, most) : readAtOnce(at, most)
  return isSorted(entries) ? entries : entries.sort(byName)
}

/** What a folder looked like before it was read, and from the second time on its list as it may be shown. */
interface Kept {
  readonly before: Stats
  readonly entries: readonly DirectoryEntry[] | undefined
}

// Enough for who pages through one large folder, or goes to and fro between a few.
const MAX_KEPT = 8
const MAX_KEPT_ENTRIES = 150_000
const FEW = 64

/** A change in the same tick of the clock as the one before leaves no trace: a folder must have been at rest. */
const AT_REST_MS = 2_000

// Whoever can write there can set the time of modification back, but not that of the change.
const same = (one: Stats, other: Stats): boolean =>
  one.ino === other.ino &&
  one.dev === other.dev &&
  one.ctimeMs === other.ctimeMs &&
  one.mtimeMs === other.mtimeMs &&
  one.size === other.size

/** How a list is made, and what tells whether it must be made again. */
export interface Making {
  readonly make: () => readonly DirectoryEntry[]
  /** What the folder looks like now; undefined where that cannot be trusted. */
  readonly look: () => Stats | undefined
}

/**
 * Keeps the lists of the last folders that were asked for by name, so that the pages of a large one cost one
 * reading. A list is given again only for the very folder, held open, that by the word of a local disk has not
 * changed since; anything else is read anew.
 */
export class EntryCache {
  /** By path from the root; the one used last is the last. */
  readonly #kept = new Map<string, Kept>()
  #entries = 0

  list(path: string, { make, look }: Making): readonly DirectoryEntry[] {
    const now = look()
    if (now === undefined) return make()
    const kept = this.#take(path)
    const again = kept !== undefined && same(kept.before, now)
    if (again && kept.entries !== undefined) return this.#keep(path, now, kept.entries)
    const settled = Date.now() - AT_REST_MS
    const entries = make()
    if (entries.length > FEW && now.ctimeMs < settled && now.mtimeMs < settled) {
      this.#keep(path, now, again ? entries : undefined)
    }
    return entries
  }

  #take(path: string): Kept | undefined {
    const kept = this.#kept.get(path)
    if (kept !== undefined && this.#kept.delete(path)) this.#entries -= kept.entries?.length ?? 0
    return kept
  }

  #keep<E extends Kept['entries']>(path: string, before: Stats, entries: E): E {
    this.#kept.set(path, { before, entries })
    this.#entries += entries?.length ?? 0
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT && this.#entries <= MAX_KEPT_ENTRIES) break
      this.#take(oldest)
    }
    return entries
  }
}
