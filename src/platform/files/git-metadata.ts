import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../../kernel/fault.ts'
import type { GitMetadataFiles } from '../../setup/git-hooks/ports.ts'
import { readRegularFile } from '../jail/async.ts'

const MAX_BYTES = 64 * 1024 * 1024
/** Placeholder for hooks that are not readable regular files; treated as a foreign binary and left alone. */
const UNREADABLE = '\0'

export const isAbsent = (cause: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(errorCode(cause) ?? '')

/** The path with the symlinks of its existing part resolved. */
export const followLinks = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await followLinks(parent), basename(path))
  }
}

export const gitMetadataFiles: GitMetadataFiles = {
  real: followLinks,
  executable: async (path) => {
    const mode = await stat(path).then(
      (stats) => stats.mode,
      () => 0,
    )
    return process.platform === 'win32' || (mode & 0o111) !== 0
  },
  read: async (path) => {
    try {
      // The path was resolved before: a symlink or a pipe that is there now was put there since.
      return (await readRegularFile(path, MAX_BYTES)) ?? Buffer.from(UNREADABLE)
    } catch (cause) {
      return isAbsent(cause) ? undefined : Buffer.from(UNREADABLE)
    }
  },
}
