import type { Evidence, GateStatus, RepoState, Severity } from '../evidence/schema.ts'
import { SEVERITIES } from '../evidence/severities.ts'
import type { EvidenceReading } from '../evidence/store.ts'
import type { GatePolicy } from './policy.ts'
import type { GateStage } from './stage.ts'

const MAX_AGE_SECONDS: Readonly<Record<GateStage, number>> = {
  PRE_WRITE: 300,
  PRE_COMMIT: 900,
  PRE_PUSH: 1_800,
  CI: 7_200,
}

/** Clocks of two machines differ by less; evidence further ahead was not made by a clock. */
export const FUTURE_TOLERANCE_SECONDS = 60

const PROTECTED_BRANCHES: readonly string[] = ['main', 'master', 'develop', 'dev']

const RUN_GATE = 'Run `warrant gate` for the stage, then ask again.'

/** Every reason to refuse, and what its reader can do about it. */
const FIXES = {
  EVIDENCE_MISSING: RUN_GATE,
  EVIDENCE_INVALID: 'Remove the file or restore it, then run `warrant gate`.',
  EVIDENCE_CHAIN_INVALID: 'The file was changed by hand or cut short: run `warrant gate` to write it anew.',
  EVIDENCE_TIMESTAMP_INVALID: RUN_GATE,
  EVIDENCE_TIMESTAMP_FUTURE: 'Set the clock of this machine, then run `warrant gate`.',
  EVIDENCE_STALE: RUN_GATE,
  EVIDENCE_GATE_BLOCKED: 'Repair the findings in the evidence, then run `warrant gate`.',
  EVIDENCE_GATE_STATUS_INCOHERENT: 'The file contradicts itself: run `warrant gate` to write it anew.',
  EVIDENCE_BRANCH_MISMATCH: 'Run `warrant gate` on the branch that is checked out.',
  EVIDENCE_REPO_ROOT_MISMATCH: 'Run `warrant gate` in this repository.',
  GITFLOW_PROTECTED_BRANCH: 'Make a branch for the change: `git switch -c feature/<name>`.',
} as const
type ViolationCode = keyof typeof FIXES

export interface GateVerdict {
  readonly status: GateStatus
  readonly allowed: boolean
  readonly stage: GateStage
  readonly policy: GatePolicy
  readonly violations: readonly {
    readonly code: ViolationCode
    readonly severity: Severity
    readonly message: string
    readonly fix: string
  }[]
  readonly evidence: {
    readonly kind: EvidenceReading['kind']
    readonly max_age_seconds: number
    /** Null when there is no time to count from. */
    readonly age_seconds: number | null
  }
  readonly repo_state: RepoState
}

/** Everything the judgement rests on. Same input, same verdict. */
export interface GateInput {
  readonly reading: EvidenceReading
  readonly state: RepoState
  readonly stage: GateStage
  readonly policy: GatePolicy
  /** Milliseconds since the epoch. */
  readonly now: number
}

type Violation = readonly [code: ViolationCode, message: string]

const violation = (code: ViolationCode, message: string): Violation => [code, message]

const checkAge = (seconds: number, stage: GateStage): Violation[] => {
  const limit = MAX_AGE_SECONDS[stage]
  if (seconds < -FUTURE_TOLERANCE_SECONDS)
    return [violation('EVIDENCE_TIMESTAMP_FUTURE', `The evidence is dated ${-seconds} seconds ahead of now.`)]
  if (seconds > limit)
    return [
      violation(
        'EVIDENCE_STALE',
        `The evidence is ${seconds} seconds old; ${stage} accepts at most ${limit} seconds.`,
      ),
    ]
  return []
}

/** Where the evidence says two things at once. Undefined when it does not. */
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
  if (miscounted !== undefined) return `the count of ${miscounted} findings is not what is listed`
  // No policy lets a CRITICAL finding through, so nobody can have been allowed with one.
  if (ai_gate.status === 'ALLOWED' && severity_metrics.by_severity.CRITICAL > 0)
    return 'the gate is ALLOWED although a finding is CRITICAL'
  return undefined
}

const normalizeRoot = (path: string): string => path.replaceAll('\\', '/').replace(/(?<=.)\/+$/, '')

const checkRepository = ({ repo_state: then }: Evidence, now: RepoState): Violation[] => {
  if (then === undefined) return []
  const objections: Violation[] = []
  const [was, is] = [then.git.branch, now.git.branch]
  // A branch without a commit has no name in the evidence; its first commit must not void it.
  if (now.git.available && was !== null && is !== null && was !== is)
    objections.push(
      violation('EVIDENCE_BRANCH_MISMATCH', `The evidence is of branch ${was}; ${is} is checked out.`),
    )
  if (then.repo_root !== '.' && normalizeRoot(then.repo_root) !== normalizeRoot(now.repo_root))
    objections.push(violation('EVIDENCE_REPO_ROOT_MISMATCH', 'The evidence is of another repository.'))
  return objections
}

const checkEvidence = (evidence: Evidence, { state, stage, now }: GateInput): Violation[] => {
  const made = Date.parse(evidence.timestamp)
  if (Number.isNaN(made))
    return [violation('EVIDENCE_TIMESTAMP_INVALID', 'The evidence has no time that can be read.')]
  const contradiction = findContradiction(evidence)
  return [
    ...checkAge(Math.floor((now - made) / 1_000), stage),
    ...(evidence.ai_gate.status === 'BLOCKED'
      ? [violation('EVIDENCE_GATE_BLOCKED', 'The gate was blocked when the evidence was written.')]
      : []),
    ...(contradiction === undefined
      ? []
      : [violation('EVIDENCE_GATE_STATUS_INCOHERENT', `The evidence contradicts itself: ${contradiction}.`)]),
    ...checkRepository(evidence, state),
  ]
}

const checkReading = (subject: GateInput): Violation[] => {
  const { reading } = subject
  switch (reading.kind) {
    case 'missing':
      return [violation('EVIDENCE_MISSING', 'There is no evidence file.')]
    case 'valid':
      return checkEvidence(reading.evidence, subject)
    case 'invalid': {
      if (reading.reason === 'evidence-chain-invalid')
        return [violation('EVIDENCE_CHAIN_INVALID', 'The evidence is not what its own hash says.')]
      const version = reading.version === undefined ? '' : `, version ${reading.version}`
      const at = reading.at === undefined ? '' : ` at ${reading.at}`
      return [violation('EVIDENCE_INVALID', `The evidence is invalid (${reading.reason}${at}${version}).`)]
    }
  }
}

const checkBranch = ({ git }: RepoState): Violation[] =>
  git.available && git.branch !== null && PROTECTED_BRANCHES.includes(git.branch)
    ? [violation('GITFLOW_PROTECTED_BRANCH', `The branch ${git.branch} is protected.`)]
    : []

const evidenceAge = ({ reading, now }: GateInput): number | null => {
  const made = reading.kind === 'valid' ? Date.parse(reading.evidence.timestamp) : Number.NaN
  return Number.isNaN(made) ? null : Math.max(0, Math.floor((now - made) / 1_000))
}

/** May work go on, by the evidence at hand? Evidence first, then the branch. */
export const judgeEvidence = (subject: GateInput): GateVerdict => {
  const { reading, state, stage, policy } = subject
  const objections = [...checkReading(subject), ...checkBranch(state)]
  const allowed = objections.length === 0
  return {
    status: allowed ? 'ALLOWED' : 'BLOCKED',
    allowed,
    stage,
    policy,
    violations: objections.map(([code, message]) => ({
      code,
      severity: 'ERROR',
      message,
      fix: FIXES[code],
    })),
    evidence: {
      kind: reading.kind,
      max_age_seconds: MAX_AGE_SECONDS[stage],
      age_seconds: evidenceAge(subject),
    },
    repo_state: state,
  }
}
