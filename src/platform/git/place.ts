import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { findRepositoryRoot } from './find-root.ts'
import { type GitPlace, runGit } from './run.ts'

/** The real path of the root, as git reports it, without starting git. */
const findRoot = async (folder: string): Promise<string | undefined> => {
  const top = await findRepositoryRoot(folder)
  return top === undefined ? undefined : realpath(top)
}

/** The index of a hook, only if it is in this repository: a stray GIT_INDEX_FILE must not hide staged changes. */
const hookIndex = async (place: GitPlace, root: string, signal: AbortSignal): Promise<string | undefined> => {
  if (place.indexFile === undefined) return undefined
  const file = resolve(root, place.indexFile)
  // The default index, which git uses anyway.
  if (file === join(root, '.git', 'index')) return undefined
  const repository = { folder: root, environment: place.environment }
  const gitFolder = (await runGit(repository, ['rev-parse', '--absolute-git-dir'], { signal })).replace(
    /\r?\n$/,
    '',
  )
  return isPathInside(gitFolder, file) ? file : undefined
}

/** The repository that contains a folder, as a place to run git in; undefined outside of a repository. */
export const findPlace = async (start: GitPlace, signal: AbortSignal): Promise<GitPlace | undefined> => {
  const { folder, environment } = start
  const root = await findRoot(folder)
  if (root === undefined) return undefined
  const indexFile = await hookIndex(start, root, signal)
  return { folder: root, environment, ...(indexFile !== undefined && { indexFile }) }
}
