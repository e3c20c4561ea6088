import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { withoutFilters } from './filters.ts'
import { findRepositoryRoot } from './find-root.ts'
import { inspectGitFolder } from './git-folder.ts'
import { askGit, type GitFolders, type GitPlace } from './run.ts'

export interface GitStart extends GitPlace {
  /** Folders outside the repository that git may use: separate git folders and alternates. */
  readonly gitFolders?: readonly string[]
  /** The place, where the caller has found it. */
  readonly found?: GitPlace
}

/** The real path of the root, as git reports it, without starting git. */
const findRoot = async (folder: string): Promise<string | undefined> => {
  const top = await findRepositoryRoot(folder)
  return top === undefined ? undefined : realpath(top)
}

/** The indexes that git itself passes to a hook: the usual one, and those of `git commit -a` and `git commit FILE`. */
const HOOK_INDEX = /^(index(\.lock)?|next-index-\d+\.lock)$/

/** The index of a hook. Any other GIT_INDEX_FILE is ignored: it would hide staged changes. */
const hookIndex = (place: GitPlace, root: string, { own }: GitFolders): string | undefined => {
  if (place.indexFile === undefined) return undefined
  const file = resolve(root, place.indexFile)
  const isOfHook = dirname(file) === own && HOOK_INDEX.test(basename(file))
  return isOfHook && basename(file) !== 'index' ? file : undefined
}

/** The repository that contains a folder, as a place to run git in; undefined outside of a repository. */
export const findPlace = async (start: GitStart, signal: AbortSignal): Promise<GitPlace | undefined> => {
  const { environment, gitFolders = [], found } = start
  if (found !== undefined) return found
  const folder = await findRoot(start.folder)
  if (folder === undefined) return undefined
  const place = { folder, environment }
  const worktreeSetting = async (gitFolder: string) => {
    const question = ['config', '--file', join(gitFolder, 'config'), '--get', 'core.worktree']
    // Asked outside the repository: its configuration is not read before it is known whose it is.
    const { code, text } = await askGit({ ...place, folder: dirname(folder) }, question, { signal })
    return code === 0 ? text.replace(/\n$/, '') : undefined
  }
  const folders = await inspectGitFolder(folder, { allowed: gitFolders, worktreeSetting })
  const indexFile = hookIndex(start, folder, folders)
  return withoutFilters({ ...place, folders, ...(indexFile !== undefined && { indexFile }) }, signal)
}
