import type { CommitResult, ReceiptProblem } from '../../receipts/judge-commits.ts'
import type { FindingSource } from '../evaluate.ts'
import type { ReceiptMode } from '../receipt-mode.ts'
import type { FindingDraft } from './drafts.ts'
import { POLICY_SOURCE } from './policy-findings.ts'

const JUDGE =
  'If it was judged elsewhere, fetch its receipt: warrant receipts fetch. Otherwise judge it now: warrant receipts check --judge. If it is pushed already: warrant receipts check --judge BASE..HEAD, then warrant receipts push origin BASE..HEAD'

const REPAIRS: Readonly<Record<ReceiptProblem, string>> = {
  missing: JUDGE,
  foreign:
    'If the key is yours, run `warrant receipts keys show` and send the line that it prints to a developer whose key is listed. Otherwise a developer whose key is listed judges the commits: warrant receipts check --judge',
  failed: 'Repair what the gate reported, and commit again.',
  policy: JUDGE,
  expired: JUDGE,
}

const WHY =
  'Only a receipt by a key of the repository shows that the gate judged a commit: hooks can be avoided, and evidence can be written by hand.'

/** A finding for each commit that no receipt covers. */
const receiptDrafts = (results: readonly CommitResult[], mode: ReceiptMode): FindingDraft[] =>
  results.flatMap((result) => {
    if (!('problem' in result)) return []
    const { problem, commit, why } = result
    return {
      ruleId: `gate.receipt-${problem}`,
      severity: mode === 'require' ? 'ERROR' : 'WARN',
      code: `RECEIPT_${problem.toUpperCase()}`,
      message: `The commit ${commit.id.slice(0, 12)} is not covered by a receipt: ${why}.`,
      file: '.',
      why: WHY,
      fix: REPAIRS[problem],
      matchedBy: 'Policy',
      source: POLICY_SOURCE,
      text: commit.tree,
    }
  })

interface LogPoint {
  readonly size: number
  readonly root: string
}

/** Whether a log continues what a witness saw of it. */
interface CheckedLog {
  readonly origin: string
  readonly outcome: 'consistent' | 'rollback' | 'truncated' | 'forked' | 'gap'
  /** The two checkpoints that contradict each other. */
  readonly older?: LogPoint
  readonly newer?: LogPoint | undefined
}

const CONTRADICTIONS: Readonly<Record<Exclude<CheckedLog['outcome'], 'consistent'>, string>> = {
  rollback: 'was set back',
  truncated: 'has no checkpoint any more',
  forked: 'was rewritten',
  gap: 'has checkpoints that no proof connects',
}

const pointText = (point: LogPoint | undefined): string =>
  point === undefined ? 'none' : `${point.size} entries with root ${point.root}`

/** A finding for each log that contradicts what a witness signed. */
const logDrafts = (logs: readonly CheckedLog[], mode: ReceiptMode): FindingDraft[] =>
  logs.flatMap(({ origin, outcome, older, newer }) => {
    if (outcome === 'consistent') return []
    return {
      ruleId: 'gate.lineage-contradiction',
      severity: mode === 'require' && outcome !== 'gap' ? 'ERROR' : 'WARN',
      code: 'LINEAGE_CONTRADICTION',
      message: `The log ${origin} ${CONTRADICTIONS[outcome]}: a witness saw ${pointText(older)}, and now there is ${pointText(newer)}.`,
      file: '.',
      why: 'Receipts are entries of a log that only grows. A log that was cut or rewritten can hide a verdict.',
      fix: 'Ask the owner of the log to restore it from a backup, and to push again; `warrant log verify --graph gate-decisions` shows its state. If entries are lost for good, move the database away: a new log has another origin.',
      matchedBy: 'Policy',
      source: POLICY_SOURCE,
      text: `${origin} ${outcome}`,
    }
  })

/** Judges the commits of a range by their receipts and the keys of this text, and the logs that these are in. */
export type CheckCommits = (
  range: { readonly base: string | undefined; readonly head: string },
  keys: string,
  signal: AbortSignal,
) => Promise<{ readonly commits: readonly CommitResult[]; readonly logs: readonly CheckedLog[] }>

/** Findings about the receipts of the commits that a push or a build brings, where the base lists keys. */
export const receiptSource =
  (checkCommits: CheckCommits, mode: ReceiptMode = 'require'): FindingSource =>
  async ({ stage, context: { set }, policy }, signal) => {
    const { base, target = base, head } = set
    const keys = policy.versions.targetKeys
    const judgesCommits = stage === 'PRE_PUSH' || stage === 'CI'
    if (!judgesCommits || mode === 'off' || head === undefined || keys === undefined) return { drafts: [] }
    const { commits, logs } = await checkCommits({ base: target, head }, keys, signal)
    return { drafts: [...receiptDrafts(commits, mode), ...logDrafts(logs, mode)] }
  }
