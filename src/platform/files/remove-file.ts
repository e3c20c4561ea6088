import { lstat, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { openAsyncJail } from '../jail/async.ts'

/** Removes the folder and its parents as long as they are empty, up to the root. */
const removeEmptyFolders = async (root: string, folder: string): Promise<void> => {
  if (folder === root || !isPathInside(root, folder)) return
  try {
    await rmdir(folder)
  } catch {
    return
  }
  await removeEmptyFolders(root, dirname(folder))
}

/** Removes a regular file of the repository and the folders it leaves empty. False when there is no such file. */
export const removeFile = async (root: string, path: string): Promise<boolean> => {
  const removed = await openAsyncJail(root)
    .within(dirname(path), async (folder) => {
      const file = join(folder, basename(path))
      if (!(await lstat(file)).isFile()) return false
      await unlink(file)
      return true
    })
    .catch(() => false)
  if (removed) await removeEmptyFolders(root, dirname(join(root, path)))
  return removed === true
}
