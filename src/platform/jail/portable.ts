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
 * Where there is no `/proc`: every step is looked at, and after the open everything is looked at again. A swap
 * that is undone between two looks is not seen, except on macOS, whose `O_NOFOLLOW_ANY` refuses a link anywhere
 * in the path that is opened. Listing has no such help.
 */

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants
const O_NOFOLLOW_ANY = process.platform === 'darwin' ? 0x2000_0000 : 0
const READ = O_RDONLY | O_NONBLOCK | O_NOCTTY | (O_NOFOLLOW_ANY === 0 ? O_NOFOLLOW : O_NOFOLLOW_ANY)

const systemError = (code: string): Error => Object.assign(new Error(code), { code })

const same = (one: Stats, other: Stats): boolean => one.ino === other.ino && one.dev === other.dev

const place = (procPath: string): Handle => ({ procPath, stats: lstatSync(procPath), close: () => {} })

export const portableBackend = (path: string): JailBackend => {
  const start = statSync(path)
  const root: Handle = { procPath: path, stats: start, close: () => {} }
  return {
    path,
    root,
    find: (at, name) => place(`${at.procPath}/${name}`),
    enter: (at, name) => {
      const found = place(`${at.procPath}/${name}`)
      if (!found.stats.isDirectory()) throw systemError('ENOTDIR')
      return found
    },
    open: ({ procPath, stats }) => {
      const descriptor = openSync(procPath, READ)
      if (same(stats, fstatSync(descriptor))) return descriptor
      closeSync(descriptor)
      throw systemError('EINVAL')
    },
    look: () => undefined,
    holds: ({ procPath, stats }) =>
      same(stats, lstatSync(procPath)) &&
      same(start, statSync(path)) &&
      // Windows spells paths with backslashes; its file names cannot hold a slash.
      realpathSync.native(procPath).replaceAll('\\', '/') === procPath.replaceAll('\\', '/'),
    pseudo: () => false,
  }
}
