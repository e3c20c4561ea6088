import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '../../kernel/fault.ts'
import { readRegularFile } from '../jail/async.ts'
import { makeFolders } from './make-folders.ts'
import { placeFaults } from './no-symlinks.ts'

/** Receipts of this machine, one file for each tree: `receipts/ab/abcd….jsonl` in the state folder. */

const MAX_BYTES = 16 * 1024 * 1024
const OBJECT_ID = /^([0-9a-f]{40}|[0-9a-f]{64})$/

const fileOf = (folder: string, tree: string): string => {
  if (!OBJECT_ID.test(tree)) throw placeFaults.occupied('a receipt names no tree')
  return join(folder, 'receipts', tree.slice(0, 2), `${tree}.jsonl`)
}

/** Adds a line. It is on disk when this returns. Lines of processes that write at once stay whole. */
export const addReceipt = async (folder: string, tree: string, line: string): Promise<void> => {
  const path = fileOf(folder, tree)
  makeFolders(dirname(path), 0o700)
  const file = await open(path, 'a', 0o600)
  try {
    await file.write(`${line}\n`)
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** The lines of a tree, oldest first; none where there is no file. */
export const readReceipts = async (folder: string, tree: string): Promise<readonly string[]> => {
  try {
    const bytes = await readRegularFile(fileOf(folder, tree), MAX_BYTES)
    return (bytes?.toString('utf8') ?? '').split('\n').filter((line) => line !== '')
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(cause) ?? '')) return []
    throw cause
  }
}
