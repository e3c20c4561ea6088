import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import type { Handle, JailBackend } from './handles.ts'

/**
 * Back end for systems without `/proc`: checks every step with `lstat` and checks everything again after the open. A
 * swap that is undone between the two checks is not noticed (TOCTOU), except when a file is opened on macOS, whose
 * `O_NOFOLLOW_ANY` refuses a symlink anywhere in the path.
 */

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants
const O_NOFOLLOW_ANY = process.platform === 'darwin' ? 0x2000_0000 : 0
const READ = O_RDONLY | O_NONBLOCK | O_NOCTTY | (O_NOFOLLOW_ANY === 0 ? O_NOFOLLOW : O_NOFOLLOW_ANY)

const systemError = (code: string): Error => Object.assign(new Error(code), { code })

const isSameFile = (one: Stats, other: Stats): boolean => one.ino === other.ino && one.dev === other.dev

const pathHandle = (procPath: string): Handle => ({ procPath, stats: lstatSync(procPath), close: () => {} })

export const portableBackend = (path: string): JailBackend => {
  const start = statSync(path)
  const root: Handle = { procPath: path, stats: start, close: () => {} }
  return {
    path,
    root,
    find: (at, name) => pathHandle(`${at.procPath}/${name}`),
    enter: (at, name) => {
      const found = pathHandle(`${at.procPath}/${name}`)
      if (!found.stats.isDirectory()) throw systemError('ENOTDIR')
      return found
    },
    open: ({ procPath, stats }) => {
      const descriptor = openSync(procPath, READ)
      if (isSameFile(stats, fstatSync(descriptor))) return descriptor
      closeSync(descriptor)
      throw systemError('EINVAL')
    },
    currentStats: () => undefined,
    isInside: ({ procPath, stats }) =>
      isSameFile(stats, lstatSync(procPath)) &&
      isSameFile(start, statSync(path)) &&
      // Windows paths hold backslashes; its file names cannot hold a slash.
      realpathSync.native(procPath).replaceAll('\\', '/') === procPath.replaceAll('\\', '/'),
    isPseudo: () => false,
  }
}
