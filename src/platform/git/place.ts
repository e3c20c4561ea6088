import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { findRepositoryRoot } from './find-root.ts'
import { type GitPlace, runGit } from './run.ts'

/** Looked up in the file system: it is what git would answer, without starting it. */
const findRoot = async (folder: string): Promise<string | undefined> => {
  const top = await findRepositoryRoot(folder)
  return top === undefined ? undefined : realpath(top)
}

/** A hook's index counts only when it lies in this repository: a stray variable must not hide what is staged. */
const ownIndex = async (place: GitPlace, root: string, signal: AbortSignal): Promise<string | undefined> => {
  if (place.indexFile === undefined) return undefined
  const file = resolve(root, place.indexFile)
  // The usual one, which is what git takes without being told.
  if (file === join(root, '.git', 'index')) return undefined
  const at = { folder: root, environment: place.environment }
  const folder = (await runGit(at, ['rev-parse', '--absolute-git-dir'], { signal })).replace(/\r?\n$/, '')
  return isPathInside(folder, file) ? file : undefined
}

/** Where git is to be asked about the repository around a folder; undefined outside of one. */
export const findPlace = async (start: GitPlace, signal: AbortSignal): Promise<GitPlace | undefined> => {
  const { folder, environment } = start
  const root = await findRoot(folder)
  if (root === undefined) return undefined
  const indexFile = await ownIndex(start, root, signal)
  return { folder: root, environment, ...(indexFile !== undefined && { indexFile }) }
}
