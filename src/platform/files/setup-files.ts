import { lstat, mkdir, readlink, realpath, rmdir, unlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { errorCode } from '../../kernel/fault.ts'
import { UneditableFile } from '../../setup/editors/insertion.ts'
import type { SetupFiles } from '../../setup/ports.ts'
import { openAsyncJail, readRegularFile } from '../jail/async.ts'
import { replaceFile } from './atomic-write.ts'

const MAX_HOME_FILE_BYTES = 4 * 1024 * 1024

/** The text of a file in the home folder of the user; undefined when it cannot be read. */
export const readHomeFile = async (path: string): Promise<string | undefined> =>
  (await readRegularFile(join(homedir(), path), MAX_HOME_FILE_BYTES).catch(() => undefined))?.toString('utf8')

const MAX_LINKS = 16

/** Where a write to a path ends up: links are followed, also one whose target does not exist yet. */
export const findWriteTarget = async (path: string, left = MAX_LINKS): Promise<string> => {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined || left === 0) return real ?? path
  const target = await readlink(path).catch(() => undefined)
  if (target !== undefined) return findWriteTarget(resolve(dirname(path), target), left - 1)
  const parent = dirname(path)
  return parent === path ? path : join(await findWriteTarget(parent, left - 1), basename(path))
}

/** More than any settings file holds. */
const MAX_BYTES = 1024 * 1024
const OWNER_WRITES = 0o200

const isAbsent = (cause: unknown): boolean => errorCode(cause) === 'ENOENT'

const unlessAbsent = (cause: unknown): undefined => {
  if (isAbsent(cause)) return undefined
  throw cause
}

/** Files below a folder, which `warrant init` changes. No symlink below the folder is followed. */
export const setupFiles = (root: string): SetupFiles => {
  const jail = openAsyncJail(root)

  /** What a path names; undefined when nothing. */
  const find = async (path: string) => {
    const names = path.split('/')
    for (const at of names.keys()) {
      const part = names.slice(0, at + 1).join('/')
      const stats = await lstat(join(root, part)).catch(unlessAbsent)
      if (stats === undefined) return undefined
      if (stats.isSymbolicLink())
        throw new UneditableFile(at === names.length - 1 ? 'it is a symlink' : `${part} is a symlink`)
      if (at === names.length - 1) return stats
      if (!stats.isDirectory()) throw new UneditableFile(`${part} is not a folder`)
    }
    return undefined
  }

  const within = async (path: string, use: (file: string) => Promise<void>): Promise<void> => {
    const done = await jail.within(dirname(path), async (folder) => {
      await use(join(folder, basename(path)))
      return true
    })
    if (done === undefined) throw new UneditableFile('its folder lies outside of the repository')
  }

  const makeFolders = async (path: string): Promise<string[]> => {
    const created: string[] = []
    const names = path.split('/').slice(0, -1)
    for (const at of names.keys()) {
      const folder = names.slice(0, at + 1).join('/')
      if ((await find(folder)) !== undefined) continue
      await within(folder, (place) => mkdir(place))
      created.push(folder)
    }
    return created
  }

  return {
    async read(path) {
      const stats = await find(path)
      if (stats === undefined) return undefined
      if (!stats.isFile()) throw new UneditableFile('it is not a regular file')
      if (stats.size > MAX_BYTES) throw new UneditableFile(`it is longer than ${MAX_BYTES} bytes`)
      const mode = stats.mode & 0o7777
      if ((mode & OWNER_WRITES) === 0) throw new UneditableFile('it is write-protected')
      const bytes = await jail.read(path, MAX_BYTES).catch(() => undefined)
      if (bytes === undefined) throw new UneditableFile('it cannot be read')
      return { bytes, mode }
    },
    async create(path, bytes, mode) {
      const folders = await makeFolders(path)
      // Exclusive: a file that is there now was put there since the plan was made.
      await within(path, (file) =>
        replaceFile(file, bytes, { durable: true, mode, exclusive: true }).catch((cause) => {
          throw errorCode(cause) === 'EEXIST' ? new UneditableFile('it was created meanwhile') : cause
        }),
      )
      return folders
    },
    async replace(path, bytes) {
      const stats = await find(path)
      if (stats === undefined) throw new UneditableFile('it is gone')
      const options = { durable: true, mode: stats.mode & 0o7777, ignoreUmask: true }
      await within(path, (file) => replaceFile(file, bytes, options))
    },
    remove: (path) => within(path, (file) => unlink(file).catch(unlessAbsent)),
    removeFolder: (path) =>
      within(path, (folder) =>
        rmdir(folder).catch((cause: NodeJS.ErrnoException) => {
          if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(cause.code ?? '')) throw cause
        }),
      ).catch(() => {}),
  }
}
