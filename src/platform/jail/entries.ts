import { type Dirent, lstatSync, opendirSync, readdirSync, type Stats } from 'node:fs'
import { type CheckDeadline, type DirectoryEntry, jailFaults } from '../../kernel/jail.ts'
import type { Handle } from './handles.ts'

const MAX_ENTRIES = 200_000
const BATCH = 256

export const entryKind = (
  stats: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>,
): DirectoryEntry['kind'] => {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'link' : 'other'
}

/** Some file systems report no type in `readdir`; those entries need `lstat`. */
const kindAt = (at: Handle, entry: Dirent): DirectoryEntry['kind'] => {
  const kind = entryKind(entry)
  if (kind !== 'other') return kind
  try {
    return entryKind(lstatSync(`${at.procPath}/${entry.name}`))
  } catch {
    return 'other'
  }
}

const toEntry = (at: Handle, entry: Dirent): DirectoryEntry => ({ name: entry.name, kind: kindAt(at, entry) })

const rejectTooMany = (most: number): never => {
  throw jailFaults.too_many_entries(`the folder has more than ${most} entries`, { detail: { limit: most } })
}

/** Reads a large folder in batches, and stops at the limit. */
const streamEntries = (at: Handle, checkDeadline: CheckDeadline, most: number): DirectoryEntry[] => {
  const folder = opendirSync(at.procPath, { bufferSize: BATCH })
  try {
    const entries: DirectoryEntry[] = []
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length % BATCH === 0) checkDeadline()
      if (entries.length === most) rejectTooMany(most)
      entries.push(toEntry(at, entry))
    }
    return entries
  } finally {
    folder.closeSync()
  }
}

// `st_size` up to which a folder is read with one call, which is faster than batches and returns sorted names.
const SMALL_FOLDER_BYTES = 256 * 1024

/** `readdir` sorts by bytes, which is code-unit order in nearly every folder. */
const isSorted = (entries: readonly DirectoryEntry[]): boolean => {
  let last = ''
  for (const { name } of entries) {
    if (last > name) return false
    last = name
  }
  return true
}

const byName = (one: DirectoryEntry, other: DirectoryEntry): number => (one.name < other.name ? -1 : 1)

const readAtOnce = (at: Handle, most: number): DirectoryEntry[] => {
  const entries = readdirSync(at.procPath, { withFileTypes: true })
  // On some file systems `st_size` says nothing about the number of entries.
  return entries.length > most ? rejectTooMany(most) : entries.map((entry) => toEntry(at, entry))
}

/** The entries of a folder in code-unit order. */
export const readEntries = (
  at: Handle,
  checkDeadline: CheckDeadline,
  most = MAX_ENTRIES,
): readonly DirectoryEntry[] => {
  checkDeadline()
  const entries =
    at.stats.size > SMALL_FOLDER_BYTES ? streamEntries(at, checkDeadline, most) : readAtOnce(at, most)
  return isSorted(entries) ? entries : entries.sort(byName)
}

/** The stats from before the folder was read and, from the second read on, its entries. */
interface CachedEntries {
  readonly before: Stats
  readonly entries: readonly DirectoryEntry[] | undefined
}

// Enough to page through one large folder, or to alternate between a few.
const MAX_FOLDERS = 8
const MAX_CACHED_ENTRIES = 150_000
const MIN_CACHED = 64

/** Two changes within one clock tick leave the same ctime, so recently changed folders are not cached. */
const SETTLED_MS = 2_000

// ctime too: mtime can be set back with `utimes`.
const isUnchanged = (one: Stats, other: Stats): boolean =>
  one.ino === other.ino &&
  one.dev === other.dev &&
  one.ctimeMs === other.ctimeMs &&
  one.mtimeMs === other.mtimeMs &&
  one.size === other.size

interface EntrySource {
  readonly read: () => readonly DirectoryEntry[]
  /** The present stats; undefined on file systems whose ctime cannot be relied on. */
  readonly currentStats: () => Stats | undefined
}

/**
 * LRU cache of folder listings, so that the pages of a large folder cost one read. A listing is reused only for the
 * same inode with unchanged ctime, mtime and size on a local file system. It is kept from the second read on:
 * most folders are read once.
 */
export class EntryCache {
  /** By path from the root, least recently used first. */
  readonly #folders = new Map<string, CachedEntries>()
  #entries = 0

  list(path: string, { read, currentStats }: EntrySource): readonly DirectoryEntry[] {
    const now = currentStats()
    if (now === undefined) return read()
    const kept = this.#remove(path)
    const again = kept !== undefined && isUnchanged(kept.before, now)
    if (again && kept.entries !== undefined) return this.#keep(path, now, kept.entries)
    const settled = Date.now() - SETTLED_MS
    const entries = read()
    if (entries.length > MIN_CACHED && now.ctimeMs < settled && now.mtimeMs < settled) {
      this.#keep(path, now, again ? entries : undefined)
    }
    return entries
  }

  #remove(path: string): CachedEntries | undefined {
    const kept = this.#folders.get(path)
    if (kept !== undefined && this.#folders.delete(path)) this.#entries -= kept.entries?.length ?? 0
    return kept
  }

  #keep<E extends CachedEntries['entries']>(path: string, before: Stats, entries: E): E {
    this.#folders.set(path, { before, entries })
    this.#entries += entries?.length ?? 0
    for (const oldest of this.#folders.keys()) {
      if (this.#folders.size <= MAX_FOLDERS && this.#entries <= MAX_CACHED_ENTRIES) break
      this.#remove(oldest)
    }
    return entries
  }
}
