import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statfsSync,
  statSync,
} from 'node:fs'
import { jailFaults } from '../../kernel/jail.ts'
import { LOCAL_FILE_SYSTEMS } from './mounts.ts'
import { pathBelow } from './path.ts'
import { portableBackend } from './portable.ts'

/** An open file or folder. */
export interface Handle {
  /** A path for system calls. On Linux it is `/proc/self/fd/N`, which no rename can redirect. */
  readonly procPath: string
  readonly stats: Stats
  close(): void
}

/** Opens one name at a time without following symlinks. Every method throws system errors with their `code`. */
export interface JailBackend {
  /** The root with symlinks resolved, as it was when the jail was opened. */
  readonly path: string
  readonly root: Handle
  /** A handle for any kind of file, without opening its content and without following a symlink. */
  find(at: Handle, name: string): Handle
  /** A folder of this name. Fails with ENOTDIR for anything else, symlinks included. */
  enter(at: Handle, name: string): Handle
  /** A descriptor to read the file of the handle. */
  open(found: Handle): number
  /** The present stats; undefined on file systems whose ctime cannot be relied on. */
  currentStats(found: Handle): Stats | undefined
  /** Whether the handle is still inside the root, and the root where it was. */
  isInside(found: Handle): boolean
  /** Whether it is on a pseudo file system such as /proc, whose files are interfaces of the kernel. */
  isPseudo(found: Handle): boolean
}

const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK, O_NOCTTY } = constants
/** Refers to a file without opening it: has no effect on devices and does not block on pipes. */
const O_PATH = 0o10000000
const FIND = O_PATH | O_NOFOLLOW
const ENTER = O_PATH | O_NOFOLLOW | O_DIRECTORY
const READ = O_RDONLY | O_NONBLOCK | O_NOCTTY

/** proc, sysfs, devpts, cgroup 1 and 2, debugfs, tracefs, securityfs, bpf, efivarfs, binfmt, mqueue, nsfs. */
const PSEUDO_FILE_SYSTEMS = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11,
  0xde5e81e4, 0x42494e4d, 0x19800202, 0x6e736673,
])

const descriptorHandle = (descriptor: number): Handle => {
  let known: Stats | undefined
  return {
    procPath: `/proc/self/fd/${descriptor}`,
    // Lazy: most folders are only passed through.
    get stats() {
      known ??= fstatSync(descriptor)
      return known
    },
    close: () => closeSync(descriptor),
  }
}

/** What Linux adds to the path of a descriptor whose name is gone. */
const DELETED_SUFFIX = ' (deleted)'

/**
 * Whether the file still has the name that its descriptor tells. A file may really be called `x (deleted)`; and a file
 * whose name was removed may have others, outside the root.
 */
const hasName = (realPath: string, procPath: string): boolean => {
  if (!realPath.endsWith(DELETED_SUFFIX)) return true
  const named = lstatSync(realPath, { throwIfNoEntry: false })
  const held = statSync(procPath)
  return named !== undefined && named.ino === held.ino && named.dev === held.dev
}

/**
 * `openat` without native code: `/proc/self/fd/N/name` starts at the folder that N holds, wherever its path leads
 * by now. A file is opened for reading through its O_PATH descriptor, so the file that was checked is the one read.
 */
const linuxBackend = (path: string, descriptor: number): JailBackend => ({
  path,
  root: { ...descriptorHandle(descriptor), stats: fstatSync(descriptor), close: () => {} },
  find: (at, name) => descriptorHandle(openSync(`${at.procPath}/${name}`, FIND)),
  enter: (at, name) => descriptorHandle(openSync(`${at.procPath}/${name}`, ENTER)),
  open: (found) => openSync(found.procPath, READ),
  currentStats: ({ procPath }) =>
    LOCAL_FILE_SYSTEMS.has(statfsSync(procPath).type) ? statSync(procPath) : undefined,
  isInside: ({ procPath }) => {
    const realPath = readlinkSync(procPath)
    return pathBelow(path, realPath) !== undefined && hasName(realPath, procPath)
  },
  isPseudo: ({ procPath }) => PSEUDO_FILE_SYSTEMS.has(statfsSync(procPath).type),
})

/** An open root as plain data: threads of this process can share the descriptor. */
export interface RootHandle {
  readonly path: string
  /** The path as the operator wrote it. */
  readonly given: string
  /** Absent without `/proc/self/fd`. */
  readonly descriptor?: number
}

const procWorks = (descriptor: number, path: string): boolean => {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`) === path
  } catch {
    return false
  }
}

/** Resolves and opens the root once: changing a symlink in its path later must not move the jail. */
export const holdRoot = (given: string): RootHandle => {
  const path = realpathSync.native(given)
  if (!statSync(path).isDirectory()) throw new Error('not a directory')
  if (process.platform !== 'linux') return { path, given }
  const descriptor = openSync(path, ENTER)
  if (procWorks(descriptor, path)) return { path, given, descriptor }
  closeSync(descriptor)
  return { path, given }
}

export const openBackend = ({ path, descriptor }: RootHandle): JailBackend =>
  descriptor === undefined ? portableBackend(path) : linuxBackend(path, descriptor)

/** Opens the root. The descriptor keeps serving this folder when its path is renamed or replaced. */
export const openRoot = (given: string): RootHandle => {
  try {
    return holdRoot(given)
  } catch (cause) {
    throw jailFaults.root('the root is not a folder that can be opened', { cause })
  }
}
