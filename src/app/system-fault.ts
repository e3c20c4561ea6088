import { basename, dirname, relative } from 'node:path'
import { isRecord } from '../kernel/encoding/json.ts'
import { defineFaults, type Fault } from '../kernel/fault.ts'
import { isPathInside } from '../kernel/text/path-inside.ts'

export const systemFaults = defineFaults('system', {
  denied: {
    kind: 'refused',
    fix: 'Change the owner or the permissions of the file or its folder, and try again.',
  },
  full: { kind: 'exhausted', fix: 'Free some space on this disk, or raise the quota, and try again.' },
  disk: {
    kind: 'unavailable',
    fix: 'Mount the disk for writing, or work in a copy of the repository on another disk.',
  },
  occupied: { kind: 'conflict', fix: 'Move the file or folder that is in the way, and try again.' },
  files: { kind: 'exhausted', fix: 'Close other programs, or raise the limit of open files (`ulimit -n`).' },
})

/** Errors of the operating system that the user can act on, by code. Any other error is a bug. */
const REASONS: Readonly<Record<string, readonly [keyof typeof systemFaults, string]>> = {
  EROFS: ['disk', 'the disk is mounted read-only'],
  EIO: ['disk', 'the disk reports an error'],
  EACCES: ['denied', 'permission denied'],
  EPERM: ['denied', 'the operation is not permitted'],
  ENOSPC: ['full', 'no space is left on the disk'],
  EDQUOT: ['full', 'the quota is used up'],
  EFBIG: ['full', 'the file would be too large'],
  EMFILE: ['files', 'too many files are open in this process'],
  ENFILE: ['files', 'too many files are open on this machine'],
  ENOTDIR: ['occupied', 'a part of the path is a file and not a folder'],
  EEXIST: ['occupied', 'there is a file of this name already'],
  EISDIR: ['occupied', 'there is a folder of this name'],
  ENOTEMPTY: ['occupied', 'the folder is not empty'],
}

/** The path as the user knows it: never one of this program's own build. */
const shownPath = (path: string): string => {
  const cwd = process.cwd()
  // Files are written under a temporary name first.
  const shown = basename(path).startsWith('.draft-') ? dirname(path) : path
  return isPathInside(cwd, shown) ? relative(cwd, shown) || '.' : basename(shown)
}

/** The fault for an error of the operating system; undefined for any other error. */
export const toSystemFault = (thrown: unknown): Fault | undefined => {
  const { code, path, syscall } = isRecord(thrown) ? thrown : {}
  const reason = typeof code === 'string' && Object.hasOwn(REASONS, code) ? REASONS[code] : undefined
  if (reason === undefined || syscall === undefined) return undefined
  const [kind, why] = reason
  const what = typeof path === 'string' ? JSON.stringify(shownPath(path)) : 'a file'
  return systemFaults[kind](`cannot use ${what} (${syscall}): ${why}`, { cause: thrown })
}
