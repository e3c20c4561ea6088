import type { Evidence, GateStatus } from '../evidence/schema.ts'
import type { GateVerdict } from './judge-evidence.ts'
import type { ViolationCode } from './violations.ts'
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

type Violation = GateVerdict['violations'][number]

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
 * the gate judges the files, and nothing is written.
 */
export const judgePresent = async (
  { violations, policy }: Pick<GateVerdict, 'violations' | 'policy'>,
  stored: Evidence | undefined,
  policies: string,
  run: () => Promise<{ readonly status: GateStatus; readonly evidence: Evidence }>,
): Promise<PresentVerdict> => {
  const others = violations.filter(({ code }) => code !== 'EVIDENCE_GATE_BLOCKED')
  const isStored =
    stored !== undefined &&
    others.every(({ code }) => ABOUT_AGENTS.has(code)) &&
    stored.snapshot.policies === policies &&
    stored.rulesets.some(({ hash }) => hash === policy.trace.hash)
  const { status, evidence } = isStored ? { status: stored.ai_gate.status, evidence: stored } : await run()
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
