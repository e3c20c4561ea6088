import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statfsSync,
  statSync,
} from 'node:fs'
import { LOCAL } from './mounts.ts'
import { pathBelow } from './path.ts'
import { portableBackend } from './portable.ts'

/** A file or folder that was found and is held on to. */
export interface Handle {
  /** What system calls reach it by. On Linux a descriptor's own name, which no rename can redirect. */
  readonly procPath: string
  readonly stats: Stats
  /** Lets go of it. */
  close(): void
}

/**
 * How a system lets us go down one name at a time without following links. Every method throws the system's own
 * errors, with their `code`.
 */
export interface JailBackend {
  /** The root, links resolved, as it was when the jail was opened. */
  readonly path: string
  readonly root: Handle
  /** What has this name, without opening it and without following it. */
  find(at: Handle, name: string): Handle
  /** A folder of this name. Fails with ENOTDIR for anything else, links above all. */
  enter(at: Handle, name: string): Handle
  /** A descriptor to read the very file that was found. */
  open(found: Handle): number
  /** What a place looks like at this moment; undefined where the times of its changes cannot be relied on. */
  look(found: Handle): Stats | undefined
  /** Whether what was found still lies inside the root, where the root was. */
  holds(found: Handle): boolean
  /** Kind of file system that only looks like one: its files are doors into the kernel. */
  pseudo(found: Handle): boolean
}

const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY, O_NONBLOCK, O_NOCTTY } = constants
/** Names a file without opening it: no device wakes, no pipe blocks, no reader is announced. */
const O_PATH = 0o10000000
const FIND = O_PATH | O_NOFOLLOW
const ENTER = O_PATH | O_NOFOLLOW | O_DIRECTORY
const READ = O_RDONLY | O_NONBLOCK | O_NOCTTY

/** proc, sysfs, devpts, cgroup 1 and 2, debugfs, tracefs, securityfs, bpf, efivarfs, binfmt, mqueue, nsfs. */
const PSEUDO = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11,
  0xde5e81e4, 0x42494e4d, 0x19800202, 0x6e736673,
])

const place = (descriptor: number): Handle => {
  let known: Stats | undefined
  return {
    procPath: `/proc/self/fd/${descriptor}`,
    // Most folders are only passed through; nobody asks for their facts.
    get stats() {
      known ??= fstatSync(descriptor)
      return known
    },
    close: () => closeSync(descriptor),
  }
}

const DELETED = ' (deleted)'

/**
 * `openat` without native code: `/proc/self/fd/N/name` starts at the folder that N holds, wherever its path leads
 * by now. A found file is opened through its own descriptor, so what was judged is what is read.
 */
const linuxGround = (path: string, descriptor: number): JailBackend => ({
  path,
  root: { ...place(descriptor), stats: fstatSync(descriptor), close: () => {} },
  find: (at, name) => place(openSync(`${at.procPath}/${name}`, FIND)),
  enter: (at, name) => place(openSync(`${at.procPath}/${name}`, ENTER)),
  open: (found) => openSync(found.procPath, READ),
  look: ({ procPath }) => (LOCAL.has(statfsSync(procPath).type) ? statSync(procPath) : undefined),
  holds: ({ procPath }) => {
    const where = readlinkSync(procPath)
    const gone = where.endsWith(DELETED) && statSync(procPath).nlink === 0
    return !gone && pathBelow(path, where) !== undefined
  },
  pseudo: ({ procPath }) => PSEUDO.has(statfsSync(procPath).type),
})

/** What threads of this process need to share one root: descriptors belong to the process. */
export interface RootHandle {
  readonly path: string
  /** How the operator spelt it. */
  readonly given: string
  /** Absent where descriptors cannot be gone through. */
  readonly descriptor?: number
}

const procWorks = (descriptor: number, path: string): boolean => {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`) === path
  } catch {
    return false
  }
}

/** Resolves the root once. Re-pointed later, its path must not widen or move the jail. */
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
  descriptor === undefined ? portableBackend(path) : linuxGround(path, descriptor)
