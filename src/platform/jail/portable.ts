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
import type { Ground, Place } from './handles.ts'

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

const place = (reach: string): Place => ({ reach, stats: lstatSync(reach), leave: () => {} })

export const portableGround = (path: string): Ground => {
  const start = statSync(path)
  const root: Place = { reach: path, stats: start, leave: () => {} }
  return {
    path,
    root,
    find: (at, name) => place(`${at.reach}/${name}`),
    enter: (at, name) => {
      const found = place(`${at.reach}/${name}`)
      if (!found.stats.isDirectory()) throw systemError('ENOTDIR')
      return found
    },
    open: ({ reach, stats }) => {
      const descriptor = openSync(reach, READ)
      if (same(stats, fstatSync(descriptor))) return descriptor
      closeSync(descriptor)
      throw systemError('EINVAL')
    },
    look: () => undefined,
    holds: ({ reach, stats }) =>
      same(stats, lstatSync(reach)) &&
      same(start, statSync(path)) &&
      // Windows spells paths with backslashes; its file names cannot hold a slash.
      realpathSync.native(reach).replaceAll('\\', '/') === reach.replaceAll('\\', '/'),
    pseudo: () => false,
  }
}
