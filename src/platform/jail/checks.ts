import { closeSync, readSync, type Stats } from 'node:fs'
import type { Fault } from '../../kernel/fault.ts'
import { type FileBytes, type FileInfo, jailFaults, quotePath } from '../../kernel/jail.ts'
import { EntryCache, entryKind } from './entries.ts'
import type { Handle, JailBackend } from './handles.ts'

export interface JailOptions {
  /** Refuse files that have more than one name. */
  readonly denyHardlinks?: boolean
  /** Stay on the file system of the root. */
  readonly oneFileSystem?: boolean
  /**
   * What the operator keeps out of sight: a test for the names that lead there from the root, by how many they
   * are. Undefined where nothing is.
   */
  readonly deniedAt?: (depth: number) => ((segments: readonly string[]) => boolean) | undefined
}

/** What every way to a file has to pass, whether it was named or met on a walk. */
export interface Checks {
  readonly backend: JailBackend
  readonly lists: EntryCache
  /** The operator's word on a path and on every folder above it. */
  denies(segments: readonly string[]): boolean
  /** The same on an entry of a folder that is not denied, by how deep it lies. */
  readonly deniedAt: NonNullable<JailOptions['deniedAt']>
  /** Throws when a place is not one to look at. */
  place(place: Handle, path: string): void
  read(place: Handle, path: string, bytes: number): FileBytes
}

export const fileInfo = (stats: Stats, path: string): FileInfo => ({
  path,
  kind: entryKind(stats),
  size: stats.size,
  modified: Math.trunc(stats.mtimeMs),
  linkCount: stats.nlink,
})

const tooLarge = (path: string, limit: number, actual?: number): Fault =>
  jailFaults.file_too_large(`larger than ${limit} bytes: ${quotePath(path)}`, {
    detail: { limit, ...(actual !== undefined && { actual }) },
  })

/** Reads to the end, whatever size was promised: a file may grow, and those of some file systems say 0. */
const readAll = (descriptor: number, promised: number, limit: number, path: string): Uint8Array => {
  let buffer = Buffer.allocUnsafe(Math.min(promised, limit) + 1)
  let size = 0
  for (;;) {
    const count = readSync(descriptor, buffer, size, buffer.length - size, null)
    size += count
    if (size > limit) throw tooLarge(path, limit)
    // All that was promised, and then nothing where one byte more was asked for: that was the end.
    if (count === 0 || (size === promised && size < buffer.length)) return buffer.subarray(0, size)
    if (size === buffer.length) buffer = Buffer.concat([buffer], Math.min(2 * size + 4_096, limit + 1))
  }
}

export const createChecks = (backend: JailBackend, options: JailOptions): Checks => {
  const { deniedAt = () => undefined, denyHardlinks, oneFileSystem } = options
  const checkPlace = (place: Handle, path: string) => {
    if (place.stats.dev === backend.root.stats.dev) return
    if (oneFileSystem) throw jailFaults.other_file_system(`on another file system: ${quotePath(path)}`)
    if (backend.pseudo(place)) throw jailFaults.special_file(`not on a real disk: ${quotePath(path)}`)
  }
  return {
    backend,
    lists: new EntryCache(),
    denies: (segments) => segments.some((_, at) => deniedAt(at + 1)?.(segments.slice(0, at + 1)) === true),
    deniedAt,
    place: checkPlace,
    read(place, path, limit) {
      const { stats } = place
      if (stats.isDirectory()) throw jailFaults.not_a_file(`a folder, not a file: ${quotePath(path)}`)
      // Judged before it is opened: opening a pipe or a device is already doing something with it.
      if (!stats.isFile()) throw jailFaults.special_file(`not a plain file: ${quotePath(path)}`)
      checkPlace(place, path)
      if (denyHardlinks && stats.nlink > 1) throw jailFaults.hard_link(`has other names: ${quotePath(path)}`)
      if (stats.size > limit) throw tooLarge(path, limit, stats.size)
      const descriptor = backend.open(place)
      try {
        const bytes = readAll(descriptor, stats.size, limit, path)
        if (!backend.holds(place)) {
          throw jailFaults.changed(`changed while it was read: ${quotePath(path)}`)
        }
        return { ...fileInfo(stats, path), bytes }
      } finally {
        closeSync(descriptor)
      }
    },
  }
}
