import { lstat, realpath, rmdir, unlink } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'

const isInside = async (root: string, folder: string): Promise<boolean> => {
  const [top, real] = await Promise.all([realpath(root), realpath(folder)])
  return real === top || real.startsWith(`${top}${sep}`)
}

/** Takes away folders that became empty, up to the root. */
const prune = async (root: string, folder: string): Promise<void> => {
  if (folder === root || !folder.startsWith(`${root}${sep}`)) return
  try {
    await rmdir(folder)
  } catch {
    return
  }
  await prune(root, dirname(folder))
}

/** Removes a plain file of the repository, by relative path. False when there is none. */
export const removeFile = async (root: string, path: string): Promise<boolean> => {
  const whole = join(root, path)
  try {
    if (!(await lstat(whole)).isFile() || !(await isInside(root, dirname(whole)))) return false
    await unlink(whole)
  } catch {
    return false
  }
  await prune(root, dirname(whole))
  return true
}
