import type { Evidence } from '../../evidence/schema.ts'
import type { EvidenceReading } from '../../evidence/store.ts'
import { fixOf } from '../../gate/violations.ts'
import type { ClosedReason } from '../../kernel/tool-offer.ts'
import type { HeadState } from '../../platform/git/head-state.ts'

/** What decides whether the server offers tools that write. */
interface GateFacts {
  readonly reading: EvidenceReading
  /** Undefined outside of a repository. Read only where the evidence says BLOCKED. */
  readonly head: HeadState | undefined
  /** Whether the evidence lacks the receipt of a listed key; false where the repository lists none. */
  readonly lacksReceipt: boolean
  /** Whether the repository lists keys. */
  readonly listsKeys: boolean
}

/**
 * Whether the verdict speaks of what is checked out: of the same commit, or of the same branch. A commit that avoids
 * the gate stays on the branch, and a new branch on the commit, so neither alone ends a block.
 */
const isPresentVerdict = (
  { judged_tree: judged, repo_state: state }: Evidence,
  head: HeadState | undefined,
): boolean => {
  if (head === undefined || judged === undefined) return true
  const isSameBranch = head.branch !== 'HEAD' && state?.git.branch === head.branch
  return judged.head === (head.commit ?? null) || isSameBranch
}

/**
 * Why tools that write are closed; undefined when they are open. Missing evidence closes nothing: a repository in
 * which no gate ever ran has no verdict.
 */
export const closedReason = ({
  reading,
  head,
  lacksReceipt,
  listsKeys,
}: GateFacts): ClosedReason | undefined => {
  if (reading.kind === 'missing') return undefined
  if (reading.kind === 'invalid')
    return listsKeys ? { why: `the evidence file is invalid (${reading.reason})` } : undefined
  if (lacksReceipt)
    return { why: 'no listed key signed a receipt of the evidence', fix: fixOf('EVIDENCE_UNSIGNED') }
  const { ai_gate: gate, snapshot } = reading.evidence
  if (gate.status !== 'BLOCKED' || !isPresentVerdict(reading.evidence, head)) return undefined
  const count = gate.violations.length
  const violations = `${count} violation${count === 1 ? '' : 's'}`
  return { why: `the last verdict of the gate is BLOCKED (${snapshot.stage}, ${violations})` }
}
