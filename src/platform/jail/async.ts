import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isPathInside } from '../../kernel/text/path-inside.ts'

/**
 * The jail for who must not wait in a system call: files are opened first and judged by their descriptor, before
 * a byte of them is read. What its path leads to by then does not matter.
 */

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0, O_DIRECTORY = 0 } = constants
// Not to follow a link, and not to wait for the other end of a pipe that poses as a file.
const FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
// A folder may be reached by a link: it is judged by where it is.
const FOLDER = O_RDONLY | O_DIRECTORY | O_NONBLOCK

// Windows opens no folders: there a folder is judged by its path, and a swap after that is not seen.
const HOLDS_FOLDERS = process.platform !== 'win32'

/** No file of that name, or something else in its place. */
const NOTHING_THERE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENXIO', 'ENAMETOOLONG'])

const orNothing = (cause: NodeJS.ErrnoException): undefined => {
  if (NOTHING_THERE.has(cause.code ?? '')) return undefined
  throw cause
}

/** Up to `most` bytes, however many there are by now. */
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
 * A plain file; undefined for anything else that has the name, links above all. For files of our own, in folders of
 * our own: whoever else can write there gets nothing read, and nobody waits.
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

/** The bytes of a plain file, at most so many. */
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

/** The files below a folder that somebody else may have filled. Paths are its own, or absolute. */
export interface AsyncJail {
  /**
   * A plain file inside, never by a link of its own name. Undefined when there is none; what else the system
   * complains about is thrown.
   */
  open(path: string): Promise<OpenedFile | undefined>
  /** The same, as its first bytes. */
  read(path: string, most: number): Promise<Buffer | undefined>
  /** Runs `use` with a way to a folder that is held: it leads there whatever becomes of its path. */
  within<T>(path: string, use: (reach: string) => Promise<T>): Promise<T | undefined>
  /** Whether something is there, and inside. */
  has(path: string): Promise<boolean>
}

export const openAsyncJail = (root: string): AsyncJail => {
  let base: Promise<string> | undefined
  const known = new Map<string, Promise<boolean>>()
  const lies = async (place: string | Promise<string>): Promise<boolean> => {
    base ??= realpath(root)
    try {
      const [top, real] = await Promise.all([base, place])
      return isPathInside(top, real)
    } catch {
      return false
    }
  }
  /** Asked once a folder: only where descriptors do not say by themselves what they hold. */
  const folderLies = (path: string): Promise<boolean> => {
    const verdict = known.get(path) ?? lies(realpath(path))
    known.set(path, verdict)
    return verdict
  }
  const place = (path: string) => resolve(root, path)
  const whereIs = (file: FileHandle) => readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined)

  const judge = async (file: FileHandle, path: string): Promise<OpenedFile | undefined> => {
    const told = await whereIs(file)
    if (!(await (told === undefined ? folderLies(dirname(path)) : lies(told)))) return undefined
    const stats = await file.stat()
    return stats.isFile() ? { file, size: stats.size } : undefined
  }

  const openFile = async (path: string): Promise<OpenedFile | undefined> => {
    if (path.includes('\0')) return undefined
    const whole = place(path)
    // Opened first, because most files that are asked for are not there.
    const file = await open(whole, FILE).catch(orNothing)
    if (file === undefined) return undefined
    let opened: OpenedFile | undefined
    try {
      opened = await judge(file, whole)
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
      const whole = place(path)
      if (path.includes('\0')) return undefined
      if (!HOLDS_FOLDERS) return (await lies(realpath(whole))) ? use(whole) : undefined
      const folder = await open(whole, FOLDER).catch(orNothing)
      if (folder === undefined) return undefined
      try {
        const told = await whereIs(folder)
        if (!(await lies(told ?? realpath(whole)))) return undefined
        return await use(told === undefined ? whole : `/proc/self/fd/${folder.fd}`)
      } finally {
        await folder.close()
      }
    },
    has: async (path) => !path.includes('\0') && lies(realpath(place(path))),
  }
}
