import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isPathInside } from '../../kernel/text/path-inside.ts'

/**
 * Asynchronous jail: opens the file first and checks the descriptor before reading, so a later swap of the path has no
 * effect. System calls run in libuv's threads and do not block the event loop.
 */

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0, O_DIRECTORY = 0 } = constants
// O_NOFOLLOW: no symlink under the name. O_NONBLOCK: opening a pipe must not wait for its writer.
const FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
// A folder may be reached by a symlink: the check is where it really is.
const FOLDER = O_RDONLY | O_DIRECTORY | O_NONBLOCK

// Windows cannot open folders: there the path is checked, and a swap after the check is not noticed.
const CAN_OPEN_FOLDERS = process.platform !== 'win32'

/** There is no file of that name, or it is not a regular file. */
const ABSENT_CODES = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENXIO', 'ENAMETOOLONG'])

const undefinedIfAbsent = (cause: NodeJS.ErrnoException): undefined => {
  if (ABSENT_CODES.has(cause.code ?? '')) return undefined
  throw cause
}

/** At most `most` bytes from the start; fewer when the file is shorter. */
export const readBytes = async (file: FileHandle, most: number): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafe(most)
  let length = 0
  while (length < most) {
    const { bytesRead } = await file.read(bytes, length, most - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return bytes.subarray(0, length)
}

export interface OpenedFile {
  readonly file: FileHandle
  readonly size: number
}

/**
 * Opens a regular file of ours. Undefined for a folder, pipe or device; a symlink fails with ELOOP. It neither follows
 * links nor blocks, because others may be able to write into the folder.
 */
export const openRegularFile = async (path: string): Promise<OpenedFile | undefined> => {
  const file = await open(path, FILE)
  const stats = await file.stat().catch(async (cause: unknown) => {
    await file.close()
    throw cause
  })
  if (stats.isFile()) return { file, size: stats.size }
  await file.close()
  return undefined
}

/** The bytes of a regular file; undefined when it is larger than `most`. */
export const readRegularFile = async (path: string, most: number): Promise<Buffer | undefined> => {
  const opened = await openRegularFile(path)
  if (opened === undefined) return undefined
  const { file, size } = opened
  try {
    return size <= most ? await readBytes(file, size) : undefined
  } finally {
    await file.close()
  }
}

/** Files below an untrusted folder. Paths are absolute or relative to it. */
export interface AsyncJail {
  /** A regular file inside; a symlink under its name is not followed. Undefined when there is none. */
  open(path: string): Promise<OpenedFile | undefined>
  /** Its first bytes, at most `most`. */
  read(path: string, most: number): Promise<Buffer | undefined>
  /** Runs `use` with a path of the open folder, which stays valid when the folder is renamed or replaced. */
  within<T>(path: string, use: (folder: string) => Promise<T>): Promise<T | undefined>
  /** Whether the path exists and resolves to a place inside. */
  has(path: string): Promise<boolean>
}

export const openAsyncJail = (root: string): AsyncJail => {
  let realRoot: Promise<string> | undefined
  const checkedFolders = new Map<string, Promise<boolean>>()
  const isInside = async (realPath: string | Promise<string>): Promise<boolean> => {
    realRoot ??= realpath(root)
    try {
      return isPathInside(...(await Promise.all([realRoot, realPath])))
    } catch {
      return false
    }
  }
  /** Without /proc a descriptor has no path: the folder is checked instead, once. */
  const isFolderInside = (path: string): Promise<boolean> => {
    const verdict = checkedFolders.get(path) ?? isInside(realpath(path))
    checkedFolders.set(path, verdict)
    return verdict
  }
  const descriptorPath = (file: FileHandle) => readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined)

  const check = async (file: FileHandle, path: string): Promise<OpenedFile | undefined> => {
    const realPath = await descriptorPath(file)
    if (!(await (realPath === undefined ? isFolderInside(dirname(path)) : isInside(realPath))))
      return undefined
    const stats = await file.stat()
    return stats.isFile() ? { file, size: stats.size } : undefined
  }

  const openFile = async (path: string): Promise<OpenedFile | undefined> => {
    if (path.includes('\0')) return undefined
    const absolute = resolve(root, path)
    // Opened before anything is checked: most of the requested files do not exist.
    const file = await open(absolute, FILE).catch(undefinedIfAbsent)
    if (file === undefined) return undefined
    let opened: OpenedFile | undefined
    try {
      opened = await check(file, absolute)
      return opened
    } finally {
      if (opened === undefined) await file.close()
    }
  }

  return {
    open: openFile,
    read: async (path, most) => {
      const opened = await openFile(path)
      if (opened === undefined) return undefined
      const { file, size } = opened
      return readBytes(file, Math.min(size, most)).finally(() => file.close())
    },
    within: async (path, use) => {
      const absolute = resolve(root, path)
      if (path.includes('\0')) return undefined
      if (!CAN_OPEN_FOLDERS) return (await isInside(realpath(absolute))) ? use(absolute) : undefined
      const folder = await open(absolute, FOLDER).catch(undefinedIfAbsent)
      if (folder === undefined) return undefined
      try {
        const realPath = await descriptorPath(folder)
        if (!(await isInside(realPath ?? realpath(absolute)))) return undefined
        return await use(realPath === undefined ? absolute : `/proc/self/fd/${folder.fd}`)
      } finally {
        await folder.close()
      }
    },
    has: async (path) => !path.includes('\0') && isInside(realpath(resolve(root, path))),
  }
}
