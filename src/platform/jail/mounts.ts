import { readFileSync, statfsSync } from 'node:fs'
import { cacheFor } from '../../kernel/async/cached.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { RootHandle } from './handles.ts'

/** ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs, ramfs, squashfs: disks of this machine, which answer. */
export const LOCAL = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0x858458f6, 0x73717368,
])
const FRESH_MS = 250

const isLocal = ({ path, descriptor }: RootHandle): boolean => {
  try {
    return descriptor !== undefined && path !== '/' && LOCAL.has(statfsSync(path).type)
  } catch {
    return false
  }
}

// The kernel writes blanks and backslashes of paths in octal.
const asMounted = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)

const hasMounts = (below: string): boolean => {
  try {
    return readFileSync('/proc/self/mountinfo', 'latin1').includes(below)
  } catch {
    return true
  }
}

/**
 * Tells whether everything below the root is on one disk of this machine, so that looking there cannot hang. The
 * table of mounts is asked and not the files: asking a mount that hangs is how one comes to hang.
 */
export const isLocalDisk = (root: RootHandle, clock: Clock): (() => boolean) => {
  if (!isLocal(root)) return () => false
  const below = ` ${Buffer.from(asMounted(root.path)).toString('latin1')}/`
  return cacheFor(clock, FRESH_MS, () => !hasMounts(below))
}
