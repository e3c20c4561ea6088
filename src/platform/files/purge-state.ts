import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
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
