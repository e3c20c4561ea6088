import * as z from 'zod'
import { SEVERITIES } from '../../evidence/compare.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { Fault } from '../../kernel/fault.ts'
import type { CheckedCommit } from '../../receipts/judge-commits.ts'
import { type ChangePorts, evaluateChange } from '../evaluate.ts'
import { isAtLeast, isBlocking } from '../policy.ts'
import { EMPTY_TREE, type GitReader } from '../ports.ts'

const PAST_FINDING = z.object({
  rule: z.string(),
  severity: z.enum(SEVERITIES),
  /** Otherwise it warns. */
  blocks: z.boolean(),
  path: z.string(),
  /** Absent for a finding about a whole file or about the change. */
  line: z.number().optional(),
  column: z.number().optional(),
  message: z.string(),
})
type Found = Readonly<z.infer<typeof PAST_FINDING>>

/** What was found between commits, from the file of an earlier replay; a damaged one is empty. */
export const readRecorded = (file: unknown): Map<string, readonly Found[]> =>
  new Map(Object.entries(z.record(z.string(), z.array(PAST_FINDING)).safeParse(file).data ?? {}))

interface NamedCommit {
  readonly commit: string
  readonly subject: string
}

/** A finding that stops a past commit, or that warns. */
export type PastFinding = NamedCommit & Found & { readonly fixedWithin30Days: boolean }

export interface Replay {
  readonly stage: GateStage
  /** Ids of the judged commits, newest first. */
  readonly commits: readonly string[]
  readonly findings: readonly PastFinding[]
  readonly notJudged: readonly (NamedCommit & { readonly reason: string })[]
}

export interface ReplayPorts {
  readonly change: ChangePorts
  /** What an earlier replay found between two commits, or else what `find` finds. */
  readonly recall: (commits: string, find: () => Promise<readonly Found[]>) => Promise<readonly Found[]>
  /** Whether a fault lies in what is tried out, so that no commit can be judged. */
  readonly isOfTrial: (fault: Fault) => boolean
}

interface ReplayRequest {
  readonly stage: GateStage
  /** How many of the newest commits. */
  readonly last: number
  /** Since when, in milliseconds since the epoch. */
  readonly since: number
  readonly progress: (done: number, total: number) => void
}

/** Commits beyond are not looked at. */
const NEWEST_COMMITS = 10_000
const FIX_MS = 30 * 24 * 3_600_000

/** The newest commit of the first-parent line that contains a commit, 30 days after it at most; not the commit itself. */
const findLater = (commits: readonly CheckedCommit[]) => {
  const byId = new Map(commits.map((one) => [one.id, one]))
  const line: CheckedCommit[] = []
  for (let one = commits.at(-1); one !== undefined; one = byId.get(one.parents[0] ?? '')) line.unshift(one)
  const entered = new Map<string, number>()
  for (const [at, { id }] of line.entries()) {
    const waiting = [id]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (entered.has(next)) continue
      entered.set(next, at)
      waiting.push(...(byId.get(next)?.parents ?? []))
    }
  }
  return ({ id, committed }: CheckedCommit): string | undefined => {
    const from = entered.get(id) ?? line.length
    const later = line.findLast((one, at) => at >= from && one.committed <= committed + FIX_MS)
    return later?.id === id ? undefined : later?.id
  }
}

const findBetween = (
  ports: ReplayPorts,
  stage: GateStage,
  [from, to]: [string, string],
  signal: AbortSignal,
) =>
  ports.recall(`${from} ${to}`, async () => {
    const request = { stage, policyFrom: 'base', scope: { kind: 'range', from, to } } as const
    const { policy, findings } = await evaluateChange(ports.change, request, [], signal)
    const open = findings.filter(
      (one) =>
        one.state === 'new' && (isBlocking(one, policy) || isAtLeast(one.severity, policy.warn_on_or_above)),
    )
    return open.map((one) => ({
      rule: one.ruleId,
      severity: one.severity,
      blocks: isBlocking(one, policy),
      path: one.file,
      line: one.region?.line,
      column: one.region?.column,
      message: one.message,
    }))
  })

/** Some files of the way back to a commit, by the policy that judged it: that of its parent counts as the one of `from`. */
const wayBack = (
  git: GitReader,
  [from, parent]: [string, string],
  files: ReadonlySet<string>,
): GitReader => ({
  ...git,
  filesAt: async (commit, ...rest) =>
    commit === from && parent === EMPTY_TREE
      ? undefined
      : git.filesAt(commit === from ? parent : commit, ...rest),
  changes: async (...args) => {
    const set = await git.changes(...args)
    const changes = set.changes.filter(({ path }) => files.has(path))
    return { ...set, changes, links: [], submodules: [] }
  },
})

const keyOfPlace = ({ rule, path, line, column }: Found): string => JSON.stringify([rule, path, line, column])

/** Judges past commits by the rules, newest first. Checks, receipts and the branch are no part of a commit. */
export const judgePast = async (
  ports: ReplayPorts,
  { stage, last, since, progress }: ReplayRequest,
  signal: AbortSignal,
): Promise<Replay> => {
  const { git } = ports.change
  const head = await git.resolve(['HEAD'], signal)
  const all = head ? await git.commits({ from: [], to: [head.hash], newest: NEWEST_COMMITS }, signal) : []
  const chosen = all
    .filter(({ parents, committed }) => parents.length < 2 && committed >= since)
    .reverse()
    .sort((a, b) => b.committed - a.committed)
    .slice(0, last)
  const laterThan = findLater(all)
  const judge = async (commit: CheckedCommit) => {
    const { id, parents, subject = '' } = commit
    const [parent = EMPTY_TREE] = parents
    const found = await findBetween(ports, stage, [parent, id], signal)
    const later = laterThan(commit)
    const placed = found.filter(({ line }) => line !== undefined)
    const fixed = new Set<string>()
    if (later !== undefined && placed.length > 0) {
      // What the later commit has no longer is new on the way back from it.
      const files = wayBack(git, [later, parent], new Set(placed.map(({ path }) => path)))
      const back = { ...ports, change: { ...ports.change, git: files } }
      for (const one of await findBetween(back, stage, [later, id], signal)) fixed.add(keyOfPlace(one))
    }
    const isFixed = (one: Found) => one.line !== undefined && fixed.has(keyOfPlace(one))
    return found.map((one) => ({ commit: id, subject, ...one, fixedWithin30Days: isFixed(one) }))
  }
  const commits: string[] = []
  const findings: PastFinding[] = []
  const notJudged: Replay['notJudged'][number][] = []
  for (const [at, commit] of chosen.entries()) {
    try {
      findings.push(...(await judge(commit)))
      commits.push(commit.id)
    } catch (thrown) {
      if (!(thrown instanceof Fault) || ports.isOfTrial(thrown)) throw thrown
      notJudged.push({ commit: commit.id, subject: commit.subject ?? '', reason: thrown.message })
    }
    progress(at + 1, chosen.length)
  }
  return { stage, commits, findings, notJudged }
}
