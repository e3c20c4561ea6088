import { findPlace, type GitStart } from './place.ts'
import { askGit } from './run.ts'

/** More working trees than this are not looked at. */
const MAX_WORKTREES = 100
const LABEL = 'worktree '

/** The folders of all working trees of a repository; none where git cannot tell. */
export const listWorktreeRoots = async (start: GitStart, signal: AbortSignal): Promise<readonly string[]> => {
  const place = await findPlace(start, signal)
  if (place === undefined) return []
  const { code, text } = await askGit(place, ['worktree', 'list', '--porcelain'], { signal })
  const lines = code === 0 ? text.split('\n') : []
  return lines
    .filter((line) => line.startsWith(LABEL))
    .map((line) => line.slice(LABEL.length))
    .slice(0, MAX_WORKTREES)
}
