import { SEVERITIES } from '../evidence/compare.ts'
import type { Evidence, GateStatus, RepoState } from '../evidence/schema.ts'
import type { GateStage } from '../evidence/stage.ts'
import type { EvidenceReading } from '../evidence/store.ts'
import type { ReceiptTrust } from '../receipts/verify-receipt.ts'
import {
  checkOwnEvidence,
  checkRecorded,
  checkStage,
  type PresentTree,
  type RecordedRun,
} from './check-binding.ts'
import type { GatePolicy } from './policy.ts'
import { DEFAULT_PROTECTED_BRANCHES, findProtected } from './protected-branches.ts'
import { type Violation, violation, violationIf } from './violations.ts'

const MAX_AGE_SECONDS: Readonly<Record<GateStage, number>> = {
  PRE_WRITE: 300,
  PRE_COMMIT: 900,
  PRE_PUSH: 1_800,
  CI: 7_200,
}

/** Clock skew between machines that is tolerated. */
export const FUTURE_TOLERANCE_SECONDS = 60

export interface GateVerdict {
  readonly status: GateStatus
  readonly allowed: boolean
  readonly stage: GateStage
  readonly policy: GatePolicy
  readonly violations: readonly Violation[]
  readonly evidence: {
    readonly kind: EvidenceReading['kind']
    readonly max_age_seconds: number
    /** Null when the evidence has no valid timestamp. */
    readonly age_seconds: number | null
    /**
     * `signed`: a key of the repository signed the receipt of the run that wrote it. `unsigned`: it names the tree it
     * judged, and that was compared, but no receipt was asked for. `unbound`: it names no tree, as files of other
     * writers, so only its age was checked. Absent when the evidence is not valid.
     */
    readonly trust?: 'signed' | 'unsigned' | 'unbound'
  }
  readonly repo_state: RepoState
  /** What a reader has to know besides the violations; absent when there is nothing. */
  readonly notes?: readonly string[]
}

/** Everything the verdict depends on: the same input gives the same verdict. */
export interface GateInput {
  readonly reading: EvidenceReading
  readonly state: RepoState
  readonly stage: GateStage
  readonly policy: GatePolicy
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Undefined when the evidence names no tree, or outside a repository. */
  readonly present?: PresentTree | undefined
  readonly recorded?: RecordedRun | undefined
  /** What the receipt of the newest run is worth; undefined where none is asked for. */
  readonly receipt?: ReceiptTrust | undefined
  readonly protectedBranches?: readonly string[]
  /** The branch that is checked out, or those that point at a detached head. */
  readonly branches?: readonly string[]
  /** About passages that the evidence cites. */
  readonly notes?: readonly string[]
}

const checkAge = (seconds: number, stage: GateStage): Violation[] => {
  const limit = MAX_AGE_SECONDS[stage]
  const future = `The timestamp of the evidence is ${-seconds} seconds in the future.`
  const stale = `The evidence is ${seconds} seconds old; ${stage} accepts at most ${limit} seconds.`
  return [
    ...violationIf(seconds < -FUTURE_TOLERANCE_SECONDS, 'EVIDENCE_TIMESTAMP_FUTURE', future),
    ...violationIf(seconds > limit, 'EVIDENCE_STALE', stale),
  ]
}

/** The first contradiction within the evidence; undefined when there is none. */
const findContradiction = ({ ai_gate, severity_metrics, snapshot }: Evidence): string | undefined => {
  const { findings, outcome } = snapshot
  if (ai_gate.status !== severity_metrics.gate_status)
    return `ai_gate says ${ai_gate.status}, severity_metrics says ${severity_metrics.gate_status}`
  if ((ai_gate.status === 'BLOCKED') !== (outcome === 'BLOCK'))
    return `the gate is ${ai_gate.status} although the outcome is ${outcome}`
  if (severity_metrics.total_violations !== findings.length)
    return `${severity_metrics.total_violations} violations are counted and ${findings.length} are listed`
  const miscounted = SEVERITIES.find(
    (one) => severity_metrics.by_severity[one] !== findings.filter(({ severity }) => severity === one).length,
  )
  if (miscounted !== undefined) return `the count of ${miscounted} findings differs from the list`
  // CRITICAL blocks under every policy, so ALLOWED with a CRITICAL finding is incoherent.
  if (ai_gate.status === 'ALLOWED' && severity_metrics.by_severity.CRITICAL > 0)
    return 'the gate is ALLOWED although a finding is CRITICAL'
  return undefined
}

const normalizeRoot = (path: string): string => path.replaceAll('\\', '/').replace(/(?<=.)\/+$/, '')

const checkRepository = ({ repo_state: then }: Evidence, now: RepoState): Violation[] => {
  if (then === undefined) return []
  const [was, is] = [then.git.branch, now.git.branch]
  const isOther = then.repo_root !== '.' && normalizeRoot(then.repo_root) !== normalizeRoot(now.repo_root)
  return [
    // A branch without a commit is null in the evidence; its first commit must not invalidate it.
    ...violationIf(
      now.git.available && was !== null && is !== null && was !== is,
      'EVIDENCE_BRANCH_MISMATCH',
      `The evidence was written on branch ${was}, but ${is} is checked out.`,
    ),
    ...violationIf(isOther, 'EVIDENCE_REPO_ROOT_MISMATCH', 'The evidence was written in another repository.'),
  ]
}

/** The age by the evidence or by the decision log, whichever is greater: a variable can set the former. */
const evidenceSeconds = (made: number, { now, recorded }: GateInput): number => {
  const seconds = Math.floor((now - made) / 1_000)
  const logged = recorded?.at === undefined ? seconds : Math.floor((now - recorded.at) / 1_000)
  return seconds < -FUTURE_TOLERANCE_SECONDS ? seconds : Math.max(seconds, logged)
}

const UNSIGNED: Readonly<Record<Exclude<ReceiptTrust, 'trusted'>, string>> = {
  invalid: 'No receipt shows that the gate wrote the evidence.',
  foreign: 'The key that signed the receipt of the evidence is not listed in the keys of the repository.',
  own: 'The key that signed the receipt of the evidence is not listed in the keys of the repository.',
  revoked: 'The key that signed the receipt of the evidence is no longer valid.',
}

/** Where receipts are asked for, evidence that no trusted run of the gate wrote does not allow. */
const checkSigned = ({ evidence_chain: chain }: Evidence, { receipt, recorded }: GateInput): Violation[] => {
  if (receipt === undefined) return []
  const own = chain?.payload_hash === recorded?.evidence
  if (receipt === 'trusted' && own) return []
  return [violation('EVIDENCE_UNSIGNED', UNSIGNED[receipt === 'trusted' ? 'invalid' : receipt])]
}

const checkEvidence = (evidence: Evidence, input: GateInput): Violation[] => {
  const { state, stage } = input
  const { judged_tree: judged } = evidence
  const made = Date.parse(evidence.timestamp)
  if (Number.isNaN(made))
    return [violation('EVIDENCE_TIMESTAMP_INVALID', 'The timestamp of the evidence is not a valid time.')]
  const contradiction = findContradiction(evidence)
  return [
    ...checkAge(evidenceSeconds(made, input), stage),
    ...violationIf(
      evidence.ai_gate.status === 'BLOCKED',
      'EVIDENCE_GATE_BLOCKED',
      'The gate was blocked when the evidence was written.',
    ),
    ...violationIf(
      contradiction !== undefined,
      'EVIDENCE_GATE_STATUS_INCOHERENT',
      `The evidence contradicts itself: ${contradiction}.`,
    ),
    ...checkRepository(evidence, state),
    ...checkStage(evidence, stage),
    ...checkRecorded(evidence, input.recorded),
    ...checkSigned(evidence, input),
    ...(judged === undefined ? [] : checkOwnEvidence(evidence, judged, input)),
  ]
}

const checkReading = (input: GateInput): Violation[] => {
  const { reading } = input
  switch (reading.kind) {
    case 'missing':
      return [violation('EVIDENCE_MISSING', 'There is no evidence file.')]
    case 'valid':
      return checkEvidence(reading.evidence, input)
    case 'invalid': {
      if (reading.reason === 'evidence-chain-invalid')
        return [violation('EVIDENCE_CHAIN_INVALID', 'The evidence does not match its own hash.')]
      const version = reading.version === undefined ? '' : `, version ${reading.version}`
      const at = reading.at === undefined ? '' : ` at ${reading.at}`
      return [violation('EVIDENCE_INVALID', `The evidence is invalid (${reading.reason}${at}${version}).`)]
    }
  }
}

const checkBranch = ({ state: { git }, branches, protectedBranches }: GateInput): Violation[] => {
  if (!git.available || git.branch === null) return []
  const found = findProtected(branches ?? [git.branch], protectedBranches ?? DEFAULT_PROTECTED_BRANCHES)
  return violationIf(found !== undefined, 'GITFLOW_PROTECTED_BRANCH', `The branch ${found} is protected.`)
}

const evidenceAge = (input: GateInput): number | null => {
  const { reading } = input
  const made = reading.kind === 'valid' ? Date.parse(reading.evidence.timestamp) : Number.NaN
  return Number.isNaN(made) ? null : Math.max(0, evidenceSeconds(made, input))
}

const trustOf = (
  { judged_tree: judged }: Evidence,
  receipt: ReceiptTrust | undefined,
): 'signed' | 'unsigned' | 'unbound' => {
  if (judged === undefined) return 'unbound'
  return receipt === 'trusted' ? 'signed' : 'unsigned'
}

/** Decides whether work may go on: checks the evidence, then the branch. */
export const judgeEvidence = (input: GateInput): GateVerdict => {
  const { reading, state, stage, policy, notes = [] } = input
  const violations = [...checkReading(input), ...checkBranch(input)]
  const allowed = violations.length === 0
  return {
    status: allowed ? 'ALLOWED' : 'BLOCKED',
    allowed,
    stage,
    policy,
    violations,
    evidence: {
      kind: reading.kind,
      max_age_seconds: MAX_AGE_SECONDS[stage],
      age_seconds: evidenceAge(input),
      ...(reading.kind === 'valid' && {
        trust: trustOf(reading.evidence, input.receipt),
      }),
    },
    repo_state: state,
    ...(notes.length > 0 && { notes }),
  }
}
