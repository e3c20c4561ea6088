import { lstat, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { openAsyncJail } from '../jail/async.ts'

/** Takes away folders that became empty, up to the root. */
const prune = async (root: string, folder: string): Promise<void> => {
  if (folder === root || !isPathInside(root, folder)) return
  try {
    await rmdir(folder)
  } catch {
    return
  }
  await prune(root, dirname(folder))
}

/** Removes a plain file of the repository, by relative path. False when there is none. */
export const removeFile = async (root: string, path: string): Promise<boolean> => {
  const removed = await openAsyncJail(root)
    .within(dirname(path), async (reach) => {
      const place = join(reach, basename(path))
      if (!(await lstat(place)).isFile()) return false
      await unlink(place)
      return true
    })
    .catch(() => false)
  if (removed) await prune(root, dirname(join(root, path)))
  return removed === true
}
