import type { Evidence, GateStatus } from '../evidence/schema.ts'
import type { GateVerdict } from './judge-evidence.ts'
import { type Violation, type ViolationCode, violation } from './violations.ts'
import type { Reason } from './why/explanation.ts'

/** What a verdict on the same change does not depend on: a person may commit it all the same. */
const ABOUT_AGENTS: ReadonlySet<ViolationCode> = new Set(['GITFLOW_PROTECTED_BRANCH', 'EVIDENCE_STALE'])

/** That there is no verdict about the present files yet. A run gives one. */
const UNJUDGED: ReadonlySet<ViolationCode> = new Set([
  'EVIDENCE_MISSING',
  'EVIDENCE_BRANCH_MISMATCH',
  'EVIDENCE_STAGE_MISMATCH',
  'EVIDENCE_TREE_MISMATCH',
  'EVIDENCE_SCOPE_EMPTY',
])

const UNBOUND = violation(
  'EVIDENCE_UNBOUND',
  'No run of the gate that is on record here wrote the evidence, so it may be written by hand.',
)

/** Whether an agent may go on: beside the change, its branch and the state of its evidence count. */
export type AgentVerdict = {
  readonly allowed: boolean
  readonly reasons: readonly Violation[]
}

/** The verdict on the present change. */
export interface PresentVerdict {
  readonly status: GateStatus
  readonly agents: AgentVerdict
  /** The evidence that the verdict rests on: the stored one, or that of a run which left none. */
  readonly evidence: Evidence
  readonly isStored: boolean
}

/**
 * The verdict on the present change, which is the one that the gate gives. Stored evidence tells it where it speaks of
 * the present files, is as the gate wrote it, and was made by the present policy; `policies` is its digest. Otherwise
 * the gate judges the files, and nothing is written. Evidence that no recorded run wrote blocks until one replaces it.
 */
export const judgePresent = async (
  { violations, policy }: Pick<GateVerdict, 'violations' | 'policy'>,
  { evidence: stored, isRecorded }: { readonly evidence: Evidence | undefined; readonly isRecorded: boolean },
  policies: string,
  run: () => Promise<{ readonly status: GateStatus; readonly evidence: Evidence }>,
): Promise<PresentVerdict> => {
  const isUnbound = stored !== undefined && (!isRecorded || stored.judged_tree === undefined)
  const own = violations.filter(({ code }) => !['EVIDENCE_GATE_BLOCKED', UNBOUND.code].includes(code))
  const others = isUnbound ? [...own, UNBOUND] : own
  const isStored =
    stored !== undefined &&
    others.every(({ code }) => ABOUT_AGENTS.has(code)) &&
    stored.snapshot.policies === policies &&
    stored.rulesets.some(({ hash }) => hash === policy.trace.hash)
  const judged = isStored ? { status: stored.ai_gate.status, evidence: stored } : await run()
  const { evidence } = judged
  const status = isUnbound ? 'BLOCKED' : judged.status
  const reasons = others.filter(({ code }) => !UNJUDGED.has(code))
  const allowed = status === 'ALLOWED' && reasons.length === 0
  return { status, agents: { allowed, reasons }, evidence, isStored }
}

/** What a client of the tool gets: the verdict on the change, and beside it whether an agent may go on. */
export interface CheckAnswer extends Omit<GateVerdict, 'allowed' | 'violations'> {
  readonly agents: AgentVerdict
  /** The findings that block, worst first. */
  readonly reasons: readonly Reason[]
}
