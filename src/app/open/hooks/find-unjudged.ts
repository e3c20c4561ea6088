import { EMPTY_TREE } from '../../../gate/ports.ts'
import type { GuardChange } from '../../../hooks/guard.ts'
import type { JudgedFiles } from '../../../hooks/ports.ts'
import { askGit, type GitPlace } from '../../../platform/git/run.ts'
import type { CheckedCommit } from '../../../receipts/judge-commits.ts'
import { ReceiptFinder, type ReceiptPlace, readTrustedKeys } from '../receipts/find-receipts.ts'
import { readOwnKey } from '../receipts/signing-key.ts'

interface Tips {
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly judge: (range: { readonly from: string; readonly to: string }) => Promise<JudgedFiles>
}

/** More commits are counted and not judged: the answer has to come in time. */
const MAX_JUDGED = 20
const MAX_LOOKED_AT = 500
const JUDGE_MS = 400

/** What git does without the hook of a commit, as its log of a branch names it. */
const WITHOUT_HOOK =
  /^(?:rebase|cherry-pick|revert|merge|pull|am|clone|fetch|checkout|reset|branch|worktree)\b/

/** The commits that git made by a command which runs no hook of a commit. The push judges them. */
const listHookless = async (place: GitPlace, signal: AbortSignal): Promise<ReadonlySet<string>> => {
  const args = ['log', '--walk-reflogs', '--all', `--max-count=${MAX_LOOKED_AT}`, '--format=%H %gs']
  const { text } = await askGit(place, args, { signal })
  const lines = text
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)])
  return new Set(lines.flatMap(([id = '', action = '']) => (WITHOUT_HOOK.test(action) ? [id] : [])))
}

/** The commits among these that are in this clone. A branch that was removed may have been collected since. */
const listPresent = async (
  place: GitPlace,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<string[]> => {
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)']
  const { text } = await askGit(place, args, { signal, input: ids.map((id) => `${id}\n`).join('') })
  return text
    .split('\n')
    .flatMap((line) => (line.endsWith(' commit') ? [line.slice(0, -' commit'.length)] : []))
}

const judgeInTime = async (commits: readonly CheckedCommit[], { judge }: Tips) => {
  const [oldest, newest] = [commits[0], commits.at(-1)]
  if (oldest === undefined || newest === undefined || commits.length > MAX_JUDGED) return undefined
  const late = new Promise<undefined>((done) => setTimeout(() => done(undefined), JUDGE_MS).unref())
  const judged = judge({ from: oldest.parents[0] ?? EMPTY_TREE, to: newest.id })
  return (await Promise.race([judged.catch(() => undefined), late]))?.blocking
}

/** The new commits that no receipt covers, and what blocks in them. */
export const findUnjudged = async (
  receipts: ReceiptPlace,
  place: GitPlace,
  tips: Tips,
): Promise<Pick<GuardChange, 'commits' | 'blocking'>> => {
  const { git, signal } = receipts
  const from = await listPresent(place, tips.before, signal)
  const range = { from, to: tips.after, newest: MAX_LOOKED_AT }
  const commits = await git.commits(range, signal)
  const listed = await readTrustedKeys(receipts)
  const own = listed.length > 0 ? undefined : await readOwnKey().catch(() => undefined)
  const finder = new ReceiptFinder(receipts, own ? [{ key: own, owner: '', role: 'developer' }] : listed)
  await finder.load(commits.map(({ tree }) => tree))
  const judge = finder.judge(commits)
  const results = await Promise.all(commits.map((commit) => judge.judge(commit)))
  const open = results.flatMap((result) => ('problem' in result ? [result.commit] : []))
  const hookless = open.length === 0 ? new Set() : await listHookless(place, signal)
  const unjudged = open.filter(({ id }) => !hookless.has(id))
  return {
    commits: unjudged.map(({ id, subject = '' }) => ({ id, subject })),
    blocking: await judgeInTime(unjudged, tips),
  }
}
