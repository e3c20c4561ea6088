import { mkdir, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { errorCode, Fault } from '../../kernel/fault.ts'
import type { Clock } from '../../kernel/ports.ts'
import { openAsyncJail } from '../jail/async.ts'
import { replaceFile } from './atomic-write.ts'
import { withLock } from './file-lock.ts'
import { makeFolders } from './make-folders.ts'
import { placeFaults, requireNoSymlinks } from './no-symlinks.ts'

const LOCK_MS = 30_000

/** A folder of files for a web server. Paths are relative to it; symlinks that lead out of it are not followed. */
interface PublishedFolder {
  has(path: string): Promise<boolean>
  /** The first bytes of a file, at most `most`. */
  read(path: string, most: number): Promise<Buffer | undefined>
  /** Replaces a file atomically, and creates its folders. */
  write(path: string, content: string | Uint8Array): Promise<void>
  /** Removes a folder with all that is in it. */
  remove(path: string): Promise<void>
}

interface FolderPlace {
  /** The repository: no symlink in it is followed on the way to the folder. */
  readonly root: string
  /** The folder that the operator named. */
  readonly path: string
  readonly clock: Clock
}

/** Opens a folder, and creates it, while `work` runs. One process at a time. */
export const withPublishedFolder = async <T>(
  { root, path, clock }: FolderPlace,
  work: (folder: PublishedFolder) => Promise<T>,
): Promise<T> => {
  const top = requireNoSymlinks(root, resolve(root, path))
  const unwritable = (cause: unknown) =>
    placeFaults.unwritable(`${path} cannot be written (${errorCode(cause)})`, { cause })
  try {
    makeFolders(top)
  } catch (cause) {
    throw unwritable(cause)
  }
  const jail = openAsyncJail(top)
  const within = async (folder: string, use: (open: string) => Promise<void>): Promise<void> => {
    const done = await jail.within(folder, async (open) => {
      await use(open)
      return true
    })
    if (done === undefined) throw placeFaults.folder(`${join(path, folder)} is not a folder inside ${path}`)
  }
  const makeFolder = async (folder: string): Promise<void> => {
    if (folder === '.' || (await jail.has(folder))) return
    await makeFolder(dirname(folder))
    await within(dirname(folder), async (open) => {
      // What is there already, such as a link that leads out, is refused when it is opened.
      await mkdir(join(open, basename(folder))).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== 'EEXIST') throw cause
      })
    })
  }
  return withLock(join(top, '.publish.lock'), { clock, waitMs: LOCK_MS }, () =>
    work({
      has: (file) => jail.has(file),
      read: (file, most) => jail.read(file, most),
      write: async (file, content) => {
        try {
          await makeFolder(dirname(file))
          await within(dirname(file), (open) =>
            replaceFile(join(open, basename(file)), content, { durable: true, mode: 0o644 }),
          )
        } catch (cause) {
          throw cause instanceof Fault ? cause : unwritable(cause)
        }
      },
      remove: async (folder) => {
        if (await jail.has(folder))
          await within(dirname(folder), (open) => rm(join(open, basename(folder)), { recursive: true }))
      },
    }),
  )
}
