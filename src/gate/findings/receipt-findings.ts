import type { CommitResult, ReceiptProblem } from '../../receipts/judge-commits.ts'
import type { ChangeSet } from '../ports.ts'
import type { GateStage } from '../stage.ts'
import type { FindingDraft } from './collect.ts'
import { POLICY_SOURCE } from './policy-findings.ts'

/** Whether commits without a receipt block, are only shown, or are not looked for. */
export const RECEIPT_MODES = ['require', 'report', 'off'] as const
export type ReceiptMode = (typeof RECEIPT_MODES)[number]

const JUDGE = 'Judge the commits now: warrant receipts check --judge'

const REPAIRS: Readonly<Record<ReceiptProblem, string>> = {
  missing: JUDGE,
  foreign:
    'A person adds the key with `warrant keys add KEY --owner NAME`, or someone whose key is listed judges the commits: warrant receipts check --judge',
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

export interface CommitPorts {
  /** Judges the commits of a range by their receipts and the keys of this text. */
  readonly checkCommits: (
    range: { readonly base: string | undefined; readonly head: string },
    keys: string,
    signal: AbortSignal,
  ) => Promise<readonly CommitResult[]>
}

/** Findings about the receipts of the commits that a push or a build brings, where the base lists keys. */
export const commitDrafts = async (
  ports: CommitPorts,
  { stage, receipts = 'require' }: { readonly stage: GateStage; readonly receipts?: ReceiptMode | undefined },
  { base, head, keys }: Pick<ChangeSet, 'base' | 'head'> & { readonly keys: string | undefined },
  signal: AbortSignal,
): Promise<FindingDraft[]> => {
  const judgesCommits = stage === 'PRE_PUSH' || stage === 'CI'
  if (!judgesCommits || receipts === 'off' || head === undefined || keys === undefined) return []
  return receiptDrafts(await ports.checkCommits({ base, head }, keys, signal), receipts)
}
