import { constants } from 'node:fs'
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { type FileReading, MAX_FILE_BYTES, type RepositoryFiles } from '../gate/ports.ts'

// Not to follow a link, and not to wait for the other end of a pipe that poses as a file.
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const lies = async (base: Promise<string>, place: Promise<string>): Promise<boolean> => {
  try {
    const [top, real] = await Promise.all([base, place])
    return real === top || real.startsWith(top.endsWith(sep) ? top : top + sep)
  } catch {
    return false
  }
}

/** Whether a folder of the repository is inside of it, links on the way followed. Asked once a folder. */
const insideOf = (root: string) => {
  const known = new Map<string, Promise<boolean>>()
  const base = realpath(root)
  const judge = (folder: string): Promise<boolean> => lies(base, realpath(folder))
  const folder = (path: string): Promise<boolean> => {
    const verdict = known.get(path) ?? judge(path)
    known.set(path, verdict)
    return verdict
  }
  // Where the system says by itself what was opened, it is asked: its path may lead elsewhere by now.
  const opened = async (file: FileHandle, path: string): Promise<boolean> => {
    const told = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined)
    return told === undefined ? folder(dirname(path)) : lies(base, Promise.resolve(told))
  }
  return { folder, opened }
}

const readAll = async (file: FileHandle, most: number): Promise<Buffer | undefined> => {
  const stat = await file.stat()
  if (!stat.isFile()) return undefined
  const bytes = Buffer.allocUnsafe(Math.min(stat.size, most))
  let length = 0
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return bytes.subarray(0, length)
}

/** What went wrong when there is nothing to be read, and not something that could not be. */
const NOTHING_THERE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']
/** Where git gave bytes that are no text we cannot give them back to the system: the file is there all the same. */
const isGarbled = (path: string): boolean => path.includes('\ufffd')

type Inside = ReturnType<typeof insideOf>
/** `nothing` there that is a file of ours, or a file that is `closed` to us. */
type Look = Buffer | 'nothing' | 'closed'

const readInside = async (root: string, inside: Inside, path: string, most: number): Promise<Look> => {
  if (path.includes('\0')) return 'nothing'
  if (isGarbled(path)) return 'closed'
  const whole = join(root, path)
  let file: FileHandle | undefined
  try {
    // Opened first, because most files that are asked for are not there. Nothing is read until the folder is judged.
    file = await open(whole, FLAGS)
    if (!(await inside.opened(file, whole))) return 'nothing'
    return (await readAll(file, most)) ?? 'nothing'
  } catch (thrown) {
    return NOTHING_THERE.includes((thrown as NodeJS.ErrnoException).code ?? '') ? 'nothing' : 'closed'
  } finally {
    await file?.close()
  }
}

const AT_ONCE = 16

/** Files as they lie on disk: regular ones, inside the repository. Anything else is left out. */
export async function* readWorktree(
  root: string,
  paths: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<FileReading> {
  const inside = insideOf(root)
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    signal.throwIfAborted()
    const page = paths.slice(at, at + AT_ONCE)
    const looks = await Promise.all(page.map((path) => readInside(root, inside, path, MAX_FILE_BYTES)))
    for (const [index, look] of looks.entries()) {
      const path = page[index]
      if (path !== undefined && look !== 'nothing')
        yield { path, bytes: look === 'closed' ? undefined : look }
    }
  }
}

/** The repository's own files, for whoever needs one by its name. */
export const repositoryFiles = (root: string): RepositoryFiles => ({
  exists: async (path) => !path.includes('\0') && insideOf(root).folder(join(root, path)),
  read: async (path, limit) => {
    const look = await readInside(root, insideOf(root), path, limit + 1)
    return typeof look === 'string' || look.length > limit ? undefined : look
  },
})
