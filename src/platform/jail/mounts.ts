import { readFileSync, statfsSync } from 'node:fs'
import { cacheFor } from '../../kernel/async/cached.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { RootHandle } from './handles.ts'

/** ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs, ramfs, squashfs: local file systems, which do not hang. */
export const LOCAL_FILE_SYSTEMS = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0x858458f6, 0x73717368,
])
const CACHE_MS = 250

const isLocal = ({ path, descriptor }: RootHandle): boolean => {
  try {
    return descriptor !== undefined && path !== '/' && LOCAL_FILE_SYSTEMS.has(statfsSync(path).type)
  } catch {
    return false
  }
}

// The kernel escapes blanks and backslashes in octal.
const escapeMountPath = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)

const hasMounts = (below: string): boolean => {
  try {
    return readFileSync('/proc/self/mountinfo', 'latin1').includes(below)
  } catch {
    return true
  }
}

/**
 * Whether everything below the root is on one local file system, so that a system call there cannot hang. Reads
 * `/proc/self/mountinfo` instead of calling `stat`, which blocks on a hung network mount.
 */
export const isLocalDisk = (root: RootHandle, clock: Clock): (() => boolean) => {
  if (!isLocal(root)) return () => false
  const below = ` ${Buffer.from(escapeMountPath(root.path)).toString('latin1')}/`
  return cacheFor(clock, CACHE_MS, () => !hasMounts(below))
}
