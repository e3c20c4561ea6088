import { closeSync, readSync, type Stats } from 'node:fs'
import type { Fault } from '../../kernel/fault.ts'
import { type FileBytes, type FileInfo, jailFaults, quotePath } from '../../kernel/jail.ts'
import { optional } from '../../kernel/optional.ts'
import { EntryCache, entryKind } from './entries.ts'
import type { Handle, JailBackend } from './handles.ts'

export interface JailOptions {
  /** Refuse files with more than one hard link. */
  readonly denyHardlinks?: boolean
  /** Refuse files on another file system than the root. */
  readonly oneFileSystem?: boolean
  /** Returns the test for denied paths of so many segments; undefined when no path of that depth is denied. */
  readonly deniedAt?: (depth: number) => ((segments: readonly string[]) => boolean) | undefined
}

/** Checks for every file, whether it was requested by path or found in a walk. */
export interface Checks {
  readonly backend: JailBackend
  readonly entryCache: EntryCache
  /** Whether the operator denies the path or a folder above it. */
  denies(segments: readonly string[]): boolean
  /** As in the options; enough for an entry of a folder that is not denied itself. */
  readonly deniedAt: NonNullable<JailOptions['deniedAt']>
  /** Throws for pseudo file systems and, with `oneFileSystem`, for any other than the root's. */
  checkFileSystem(handle: Handle, path: string): void
  read(handle: Handle, path: string, bytes: number): FileBytes
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
    detail: { limit, ...optional({ actual }) },
  })

/** Reads to the end: the file may have grown since `stat`, and some file systems report size 0. */
const readAll = (descriptor: number, expected: number, limit: number, path: string): Uint8Array => {
  let buffer = Buffer.allocUnsafe(Math.min(expected, limit) + 1)
  let size = 0
  for (;;) {
    const count = readSync(descriptor, buffer, size, buffer.length - size, null)
    size += count
    if (size > limit) throw tooLarge(path, limit)
    // The buffer has room for one byte more than expected: a short read is the end of the file.
    if (count === 0 || (size === expected && size < buffer.length)) return buffer.subarray(0, size)
    if (size === buffer.length) buffer = Buffer.concat([buffer], Math.min(2 * size + 4_096, limit + 1))
  }
}

export const createChecks = (backend: JailBackend, options: JailOptions): Checks => {
  const { deniedAt = () => undefined, denyHardlinks, oneFileSystem } = options
  const checkFileSystem = (handle: Handle, path: string) => {
    if (handle.stats.dev === backend.root.stats.dev) return
    if (oneFileSystem) throw jailFaults.other_file_system(`on another file system: ${quotePath(path)}`)
    if (backend.isPseudo(handle))
      throw jailFaults.special_file(`on a pseudo file system such as /proc: ${quotePath(path)}`)
  }
  return {
    backend,
    entryCache: new EntryCache(),
    denies: (segments) => segments.some((_, at) => deniedAt(at + 1)?.(segments.slice(0, at + 1)) === true),
    deniedAt,
    checkFileSystem,
    read(handle, path, limit) {
      const { stats } = handle
      if (stats.isDirectory()) throw jailFaults.not_a_file(`a folder, not a file: ${quotePath(path)}`)
      // Checked before it is opened: opening a pipe or a device has side effects.
      if (!stats.isFile()) throw jailFaults.special_file(`not a regular file: ${quotePath(path)}`)
      checkFileSystem(handle, path)
      if (denyHardlinks && stats.nlink > 1)
        throw jailFaults.hard_link(`has several hard links: ${quotePath(path)}`)
      if (stats.size > limit) throw tooLarge(path, limit, stats.size)
      const descriptor = backend.open(handle)
      try {
        const bytes = readAll(descriptor, stats.size, limit, path)
        if (!backend.isInside(handle)) {
          throw jailFaults.changed(`changed while it was read: ${quotePath(path)}`)
        }
        return { ...fileInfo(stats, path), bytes }
      } finally {
        closeSync(descriptor)
      }
    },
  }
}
