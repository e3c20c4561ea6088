import { compareText } from '../../evidence/compare.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import type { FindingDraft } from '../findings/drafts.ts'
import { listNames } from '../findings/file-tally.ts'
import { differingPaths, readChangeState, readWorkingTree } from '../judged-tree.ts'
import type { ChangeSet, GitReader, TreeEntry } from '../ports.ts'
import { CHECK_SOURCE, CHECKS_FILE, type Check, concernsPath } from './check.ts'
import { checkRegion } from './check-problems.ts'

/** How the working tree, in which checks run, differs from what is judged. */
interface TreeDifference {
  /** Files that hold something else. */
  readonly paths: readonly string[]
  /** The last commit, when another one is judged. */
  readonly otherCommit?: { readonly head: string | null; readonly containsJudged: boolean }
}

/** Undefined when the working tree itself is judged. */
export const readTreeDifference = async (
  git: GitReader,
  set: ChangeSet,
  signal: AbortSignal,
): Promise<TreeDifference | undefined> => {
  if (set.source === 'git:worktree' || set.source === 'git:repository') return undefined
  const worktree = (await readWorkingTree(git, signal)).entries
  if (set.head === undefined) return { paths: differingPaths(await readChangeState(set, signal), worktree) }
  const head = await git.head(signal)
  const paths = worktree.map(({ path }) => path)
  if (head === set.head) return { paths }
  const containsJudged = head !== null && (await git.isAncestor(set.head, head, signal))
  return { paths, otherCommit: { head, containsJudged } }
}

const FIX = {
  files:
    'Stage, commit or stash these files and run the gate again, so that the check speaks of what is judged.',
  commit: 'Check out the judged commit and run the gate again.',
}

/**
 * The finding about a check that ran on other files than those that are judged. Unfinished work beside a commit is
 * usual, so it warns; a build server has no unfinished work, and another commit is another program. The merge commit
 * that a build server makes of a pull request contains the judged one.
 */
export const differenceDraft = (
  check: Check,
  difference: TreeDifference | undefined,
  stage: GateStage,
): FindingDraft[] => {
  if (difference === undefined) return []
  const paths = difference.paths.filter(concernsPath(check))
  const { otherCommit } = difference
  const isMerge = stage === 'CI' && otherCommit?.containsJudged === true
  if (paths.length === 0 && otherCommit === undefined) return []
  const severe = (otherCommit !== undefined && !isMerge) || (paths.length > 0 && stage === 'CI')
  const where =
    otherCommit === undefined || (isMerge && paths.length > 0)
      ? `The working tree, in which it ran, differs from what is judged: ${listNames(paths)}`
      : `It ran on the commit ${otherCommit.head ?? '(none)'}, and another one is judged`
  return [
    {
      ruleId: 'gate.check-tree-differs',
      severity: severe ? 'ERROR' : isMerge && paths.length === 0 ? 'INFO' : 'WARN',
      code: 'CHECK_TREE_DIFFERS',
      message: `The check ${check.name} does not speak of the judged files. ${where}.`,
      file: CHECKS_FILE,
      region: checkRegion(check),
      fix: paths.length > 0 ? FIX.files : FIX.commit,
      matchedBy: 'Check',
      source: CHECK_SOURCE,
      text: check.name,
    },
  ]
}

/** The files of the working tree, by content: those of the last commit, overlaid with what changed since. */
export const readWorktreeFiles = async (
  git: GitReader,
  signal: AbortSignal,
): Promise<readonly TreeEntry[]> => {
  const [head, { entries }] = await Promise.all([git.head(signal), readWorkingTree(git, signal)])
  const files = new Map<string, string>()
  if (head !== null)
    for (const { path, id } of (await git.tracked(head, signal)).entries()) files.set(path, id)
  for (const { path, id } of entries) files.set(path, id)
  return [...files]
    .filter(([, id]) => id !== 'deleted')
    .map(([path, id]) => ({ path, id }))
    .sort((a, b) => compareText(a.path, b.path))
}

/** The digest of the files that matter to a check. */
export const digestInputs = (check: Check, files: readonly TreeEntry[]): string => {
  const concerns = concernsPath(check)
  return digestJson(files.filter(({ path }) => concerns(path)).map(({ path, id }) => [path, id]))
}
