import { mkdir, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { GitMetadataFiles } from '../../gate/ports.ts'
import { readRegularFile } from '../jail/async.ts'
import { replaceFile } from './atomic-write.ts'

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
    // A hook that a crash takes away switches the gate off without notice; the umask must not make it non-executable.
    await replaceFile(path, bytes, { durable: true, mode, ignoreUmask: true })
  },
  remove: (path) => rm(path, { force: true }),
}
