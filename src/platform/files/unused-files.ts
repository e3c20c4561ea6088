import { readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { sweepDrafts } from './atomic-write.ts'

const UNUSED_MS = 30 * 24 * 3_600_000

/** Removes the files of a folder of caches that were not written for a month, and drafts of processes that ended. */
export const removeUnusedFiles = async (folder: string): Promise<void> => {
  await sweepDrafts(folder)
  for (const name of await readdir(folder)) {
    const { mtimeMs } = await stat(join(folder, name))
    if (Date.now() - mtimeMs > UNUSED_MS) await unlink(join(folder, name))
  }
}
