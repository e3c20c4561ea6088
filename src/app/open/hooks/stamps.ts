import { readdirSync, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../../../platform/jail/async.ts'

/** Size, time and number of files: an equal stamp means the same content. */

const MAX_TEXT = 128 * 1024

const unlessThrown = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

export const stampOf = (path: string): string => {
  const stats = unlessThrown(() => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return stats === undefined ? '' : `${stats.size}:${stats.ctimeNs}:${stats.ino}:${stats.mode}`
}

/** The permissions of a file, by its stamp. */
export const modeOf = (stamp: string): number => Number(stamp.slice(stamp.lastIndexOf(':') + 1)) & 0o777

/** Stamps of everything below a folder, as far as it is worth to look. */
export const stampTree = (folder: string, left: { count: number }): string =>
  (unlessThrown(() => readdirSync(folder, { withFileTypes: true })) ?? [])
    .map((entry) => {
      left.count -= 1
      const path = join(folder, entry.name)
      if (left.count < 0) return ''
      return entry.isDirectory() ? `${entry.name}/${stampTree(path, left)}` : `${entry.name} ${stampOf(path)}`
    })
    .join('\n')

/** The text of a regular file, also through a link; undefined where there is none. */
export const readGuardText = async (path: string): Promise<string | undefined> => {
  const bytes = await realpath(path)
    .then((real) => readRegularFile(real, MAX_TEXT))
    .catch(() => undefined)
  return bytes?.toString('utf8')
}
