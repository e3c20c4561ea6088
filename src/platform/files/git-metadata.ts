import { randomBytes } from 'node:crypto'
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { GitMetadataFiles } from '../../gate/ports.ts'
import { readRegularFile } from '../jail/async.ts'

const MAX_BYTES = 64 * 1024 * 1024
/**
 * What a pipe, a device, something endless, a link to nowhere or a file that is closed to us reads as: a program, which
 * is not ours to change.
 */
const UNREADABLE = '\0'

const isAbsent = (cause: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')

/** The path with its links followed as far as it exists. */
export const followLinks = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(await followLinks(above), basename(path))
  }
}

export const gitMetadataFiles: GitMetadataFiles = {
  real: followLinks,
  read: async (path) => {
    try {
      // Links were followed already: what is one by now, or a pipe, is no file of ours.
      return (await readRegularFile(path, MAX_BYTES)) ?? Buffer.from(UNREADABLE)
    } catch (cause) {
      return isAbsent(cause) ? undefined : Buffer.from(UNREADABLE)
    }
  },
  async write(path, bytes, mode) {
    await mkdir(dirname(path), { recursive: true })
    const draft = join(dirname(path), `.warrant-${randomBytes(6).toString('hex')}.tmp`)
    try {
      const file = await open(draft, 'wx', mode)
      try {
        await file.writeFile(bytes)
        // The mask of whoever runs us must not take the right to execute away.
        await file.chmod(mode)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
    } catch (cause) {
      await rm(draft, { force: true })
      throw cause
    }
  },
  remove: (path) => rm(path, { force: true }),
}
