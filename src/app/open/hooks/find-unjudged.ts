import { EMPTY_TREE } from '../../../gate/ports.ts'
import type { GuardChange } from '../../../hooks/guard.ts'
import type { JudgedFiles } from '../../../hooks/ports.ts'
import { askGit, type GitPlace } from '../../../platform/git/run.ts'
import type { CheckedCommit } from '../../../receipts/judge-commits.ts'
import { ReceiptFinder, type ReceiptPlace, readTrustedKeys } from '../receipts/find-receipts.ts'
import { readOwnKey } from '../receipts/signing-key.ts'

/** Branches, tags and heads that point elsewhere than at the event before. */
export interface MovedTips {
  readonly moved: readonly (readonly [ref: string, id: string])[]
  /** What the event before knew, and what came from another repository. */
  readonly known: readonly string[]
  /** How long an answer may take, in milliseconds. */
  readonly budget: number
}

export type UnjudgedCommits = Pick<GuardChange, 'commits' | 'blocking' | 'counted'>

type Findings = GuardChange['blocking']

export type JudgeRange = (range: { readonly from: string; readonly to: string }) => Promise<JudgedFiles>

/** More commits are named and not judged: the answer has to come in time. */
const MAX_JUDGED = 20
const MAX_LOOKED_AT = 500
/** Of the time for an answer. */
const JUDGE_SHARE = 0.4

/** What git does without the hook of a commit, as its log of a branch names it. Any program can write such a line. */
const WITHOUT_HOOK = /^(?:rebase|cherry-pick|revert|merge|pull)\b(?!.*: Fast-forward)/
/** What brings a branch of a remote. After a push it has what was made here. */
const FETCHED = /^(?:fetch|pull|clone|remote)\b(?!.* \.(?: |$))/

interface RefAction {
  readonly id: string
  readonly ref: string
  readonly action: string
}

/** The logs of all refs, newest first. */
const listActions = async (place: GitPlace, signal: AbortSignal): Promise<readonly RefAction[]> => {
  const format = '--format=%H%x00%gD%x00%gs'
  const args = ['log', '--walk-reflogs', '--all', `--max-count=${MAX_LOOKED_AT}`, format]
  const { text } = await askGit(place, args, { signal })
  return text.split('\n').map((line) => {
    const [id = '', entry = '', action = ''] = line.split('\0')
    return { id, ref: entry.slice(0, entry.lastIndexOf('@{')), action }
  })
}

/** The commits that these name and that are in this clone. A branch that was removed may have been collected since. */
const listPresent = async (
  place: GitPlace,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<string[]> => {
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)']
  const input = ids.map((id) => `${id}^{commit}\n`).join('')
  const { text } = await askGit(place, args, { signal, input })
  return text
    .split('\n')
    .flatMap((line) => (line.endsWith(' commit') ? [line.slice(0, -' commit'.length)] : []))
}

/** Whether a merge has nothing but what its parents have. */
const isPlainMerge = async (place: GitPlace, { parents, tree }: CheckedCommit, signal: AbortSignal) => {
  const [first = '', second = '', ...others] = parents
  if (second === '' || others.length > 0) return false
  const { mergeIntoTarget } = await import('../../../platform/git/merge-tree.ts')
  const { merged, close } = await mergeIntoTarget(place, [first, second], signal)
  await close?.()
  return merged === tree
}

const describeBlocking = ({ ruleId, file, line }: Findings[number]): string => [ruleId, file, line].join('\0')

/** What blocks in a commit. In a merge a finding is new where no parent has it. */
const judgeOne = async ({ id, parents }: CheckedCommit, judge: JudgeRange) => {
  const [first = [], ...others] = await Promise.all(
    (parents.length === 0 ? [EMPTY_TREE] : parents).map(
      async (from) => (await judge({ from, to: id })).blocking,
    ),
  )
  const found = others.map((one) => new Set(one.map(describeBlocking)))
  return first.filter((one) => found.every((other) => other.has(describeBlocking(one))))
}

/** What blocks in each commit, as far as the time allows. */
const judgeInTime = async (commits: readonly CheckedCommit[], judge: JudgeRange, budget: number) => {
  const late = new Promise<undefined>((done) =>
    setTimeout(() => done(undefined), budget * JUDGE_SHARE).unref(),
  )
  const judged = new Map<string, Findings>()
  for (const commit of commits.slice(0, MAX_JUDGED)) {
    const blocking = await Promise.race([judgeOne(commit, judge).catch(() => undefined), late])
    if (blocking === undefined) break
    judged.set(commit.id, blocking)
  }
  return judged
}

/** The new commits that were made here and that no receipt covers, and what blocks in them. */
export const findUnjudged = async (
  receipts: ReceiptPlace,
  place: GitPlace,
  { moved, known, budget }: MovedTips,
  judge: JudgeRange,
): Promise<UnjudgedCommits> => {
  const { git, signal } = receipts
  let actions: Promise<readonly RefAction[]> | undefined
  const readActions = () => (actions ??= listActions(place, signal))
  const isFetched = async (ref: string, id: string) =>
    ref.startsWith('refs/remotes/') &&
    FETCHED.test((await readActions()).find((one) => one.ref === ref && one.id === id)?.action ?? '')
  const fetched = new Set<string>()
  for (const [ref, id] of moved) if (await isFetched(ref, id)) fetched.add(id)
  const from = await listPresent(place, [...known, ...fetched], signal)
  const made = moved.flatMap(([, id]) => (fetched.has(id) ? [] : [id]))
  const to = await listPresent(place, made, signal)
  const commits = to.length === 0 ? [] : await git.commits({ from, to, newest: MAX_LOOKED_AT }, signal)
  const listed = await readTrustedKeys(receipts)
  const own = listed.length > 0 ? undefined : await readOwnKey().catch(() => undefined)
  const finder = new ReceiptFinder(receipts, own ? [{ key: own, owner: '', role: 'developer' }] : listed)
  await finder.load(commits.map(({ tree }) => tree))
  const covered = finder.judge(commits)
  const open: CheckedCommit[] = []
  for (const commit of commits) {
    const result = await covered.judge(commit)
    if ('problem' in result && !(await isPlainMerge(place, commit, signal))) open.push(commit)
  }
  if (open.length === 0) return { commits: [], blocking: [], counted: 0 }
  const judged = await judgeInTime(open, judge, budget)
  // The oldest action of each commit, which made it.
  const madeBy = new Map((await readActions()).map(({ id, action }) => [id, action]))
  const isHookless = ({ id }: CheckedCommit) => WITHOUT_HOOK.test(madeBy.get(id) ?? '')
  // Such a commit is named for what is in it, because its log may be forged.
  const named = open.filter((one) => !isHookless(one) || (judged.get(one.id)?.length ?? 0) > 0)
  return {
    commits: named.map(({ id, subject = '' }) => ({ id, subject })),
    blocking: [...judged.values()].flat(),
    counted: open.filter((one) => isHookless(one) && !judged.has(one.id)).length,
  }
}
