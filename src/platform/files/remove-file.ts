import { lstat, readdir, rm, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { openAsyncJail } from '../jail/async.ts'
import { requireNoSymlinks } from './no-symlinks.ts'

/** Removes what is in the state folder except the names to keep, and the folder when it is empty. Links are not followed. */
export const purgeState = async (
  root: string,
  folder: string,
  keep: ReadonlySet<string>,
): Promise<readonly string[]> => {
  const path = requireNoSymlinks(root, folder)
  const names = (await readdir(path).catch(() => [])).filter((name) => !keep.has(name))
  // What others meanwhile put there is not listed, and stays.
  for (const name of names) await rm(join(path, name), { recursive: true, force: true })
  await rmdir(path).catch(() => {})
  return names.map((name) => `${folder}/${name}`)
}

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
