import type { Evidence, GateStatus, JudgedTree, RepoState, Severity } from '../evidence/schema.ts'
import { SEVERITIES } from '../evidence/severities.ts'
import type { EvidenceReading } from '../evidence/store.ts'
import { differingPaths, type TreeState } from './judged-tree.ts'
import type { GatePolicy } from './policy.ts'
import { DEFAULT_PROTECTED_BRANCHES, findProtected } from './protected-branches.ts'
import type { GateStage } from './stage.ts'

const MAX_AGE_SECONDS: Readonly<Record<GateStage, number>> = {
  PRE_WRITE: 300,
  PRE_COMMIT: 900,
  PRE_PUSH: 1_800,
  CI: 7_200,
}

/** Clock skew between machines that is tolerated. */
export const FUTURE_TOLERANCE_SECONDS = 60

const RUN_GATE = 'Run `warrant gate` for the stage, or call the tool gate_run with it, then ask again.'

/** Violation code → what to do about it. */
const FIXES = {
  EVIDENCE_MISSING: RUN_GATE,
  EVIDENCE_INVALID: 'Remove or restore the evidence file, then run `warrant gate`.',
  EVIDENCE_CHAIN_INVALID: 'The file was edited or truncated. Run `warrant gate` to write it again.',
  EVIDENCE_TIMESTAMP_INVALID: RUN_GATE,
  EVIDENCE_TIMESTAMP_FUTURE: 'Correct the clock of this machine, then run `warrant gate`.',
  EVIDENCE_STALE: RUN_GATE,
  EVIDENCE_GATE_BLOCKED: 'Repair the findings in the evidence, then run `warrant gate`.',
  EVIDENCE_GATE_STATUS_INCOHERENT: 'Run `warrant gate` to write the evidence again.',
  EVIDENCE_BRANCH_MISMATCH: 'Run `warrant gate` on the branch that is checked out.',
  EVIDENCE_REPO_ROOT_MISMATCH: 'Run `warrant gate` in this repository.',
  EVIDENCE_STAGE_MISMATCH: RUN_GATE,
  EVIDENCE_TREE_MISMATCH: RUN_GATE,
  EVIDENCE_SCOPE_EMPTY:
    'Run `warrant gate --stage PRE_WRITE`, or call gate_run with that stage: it judges the working tree. Then ask again.',
  EVIDENCE_UNBOUND: RUN_GATE,
  EVIDENCE_SUPERSEDED: RUN_GATE,
  GITFLOW_PROTECTED_BRANCH: 'Create a branch for the change: `git switch -c feature/<name>`.',
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
    /** Some of the files that differ from what the evidence judged. */
    readonly paths?: readonly string[]
  }[]
  readonly evidence: {
    readonly kind: EvidenceReading['kind']
    readonly max_age_seconds: number
    /** Null when the evidence has no valid timestamp. */
    readonly age_seconds: number | null
    /**
     * `bound`: the evidence names the tree it judged, and that was compared. `unbound`: it does not, as files of other
     * writers, so only its age was checked. Absent when the evidence is not valid.
     */
    readonly trust?: 'bound' | 'unbound'
  }
  readonly repo_state: RepoState
}

/** What the stage would judge now. */
export interface PresentTree {
  readonly scope: TreeState
  /** The working tree, when the stage would judge no file. */
  readonly worktree: TreeState
  /** Whether the last commit of the judged tree is a commit of this repository. */
  readonly knownHead: boolean
}

/** The newest gate run that the decision log of this repository records. */
export interface RecordedRun {
  /** Hash of the evidence it wrote; undefined when its payload was erased. */
  readonly evidence: string | undefined
  /** The same of a few runs before it. */
  readonly earlier: readonly string[]
}

/** Everything the verdict depends on: the same input gives the same verdict. */
interface GateInput {
  readonly reading: EvidenceReading
  readonly state: RepoState
  readonly stage: GateStage
  readonly policy: GatePolicy
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Undefined when the evidence names no tree, or outside a repository. */
  readonly present?: PresentTree | undefined
  readonly recorded?: RecordedRun | undefined
  readonly protectedBranches?: readonly string[]
  /** The branch that is checked out, or those that point at a detached head. */
  readonly branches?: readonly string[]
}

interface Violation {
  readonly code: ViolationCode
  readonly message: string
  readonly paths?: readonly string[]
}

const violation = (code: ViolationCode, message: string, paths?: readonly string[]): Violation => ({
  code,
  message,
  ...(paths !== undefined && { paths }),
})

const checkAge = (seconds: number, stage: GateStage): Violation[] => {
  const limit = MAX_AGE_SECONDS[stage]
  if (seconds < -FUTURE_TOLERANCE_SECONDS)
    return [
      violation(
        'EVIDENCE_TIMESTAMP_FUTURE',
        `The timestamp of the evidence is ${-seconds} seconds in the future.`,
      ),
    ]
  if (seconds > limit)
    return [
      violation(
        'EVIDENCE_STALE',
        `The evidence is ${seconds} seconds old; ${stage} accepts at most ${limit} seconds.`,
      ),
    ]
  return []
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
  const violations: Violation[] = []
  const [was, is] = [then.git.branch, now.git.branch]
  // A branch without a commit is null in the evidence; its first commit must not invalidate it.
  if (now.git.available && was !== null && is !== null && was !== is)
    violations.push(
      violation(
        'EVIDENCE_BRANCH_MISMATCH',
        `The evidence was written on branch ${was}, but ${is} is checked out.`,
      ),
    )
  if (then.repo_root !== '.' && normalizeRoot(then.repo_root) !== normalizeRoot(now.repo_root))
    violations.push(
      violation('EVIDENCE_REPO_ROOT_MISMATCH', 'The evidence was written in another repository.'),
    )
  return violations
}

/** How strict a stage is. Before a write and before a commit the same policy applies. */
const STRICTNESS: Readonly<Record<Evidence['snapshot']['stage'], number>> = {
  STAGED: 0,
  PRE_WRITE: 0,
  PRE_COMMIT: 0,
  PRE_PUSH: 1,
  CI: 2,
}

const MAX_PATHS = 20

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`

/** The tree that the evidence judged must be the one that the stage would judge now. */
const checkTree = (judged: JudgedTree, present: PresentTree, stage: GateStage): Violation[] => {
  const { scope, worktree, knownHead } = present
  if (judged.head !== null && !knownHead)
    return [violation('EVIDENCE_REPO_ROOT_MISMATCH', 'The evidence was written in another repository.')]
  const isEmpty = scope.entries.length === 0
  // A clean tree leaves nothing to judge.
  if (isEmpty && worktree.entries.length === 0) return []
  const expected = isEmpty ? worktree : scope
  if (judged.digest === expected.digest) return []
  const paths = differingPaths(judged, expected.entries)
  if (isEmpty && judged.files === 0)
    return [
      violation(
        'EVIDENCE_SCOPE_EMPTY',
        `The evidence judged no file, and the working tree has ${count(paths.length, 'changed file')}.`,
        paths.slice(0, MAX_PATHS),
      ),
    ]
  return [
    violation(
      'EVIDENCE_TREE_MISMATCH',
      `${count(paths.length, 'file')} changed after the evidence was written, or ${stage} judges other files.`,
      paths.slice(0, MAX_PATHS),
    ),
  ]
}

/** Evidence that names the tree it judged is of our own gate, which always writes chain and state. */
const checkBound = (evidence: Evidence, judged: JudgedTree, input: GateInput): Violation[] => {
  const { stage, present } = input
  const { stage: made } = evidence.snapshot
  if (evidence.evidence_chain === undefined || evidence.repo_state === undefined)
    return [violation('EVIDENCE_CHAIN_INVALID', 'The evidence has no chain or no state of the repository.')]
  return [
    ...(STRICTNESS[made] < STRICTNESS[stage]
      ? [violation('EVIDENCE_STAGE_MISMATCH', `The evidence was written for ${made}; ${stage} is stricter.`)]
      : []),
    ...(present === undefined ? [] : checkTree(judged, present, stage)),
  ]
}

/** The evidence must be the one that the newest recorded run of the gate wrote. */
const checkRecorded = (evidence: Evidence, { recorded }: GateInput): Violation[] => {
  if (recorded === undefined) return []
  if (evidence.judged_tree === undefined)
    return [
      violation(
        'EVIDENCE_UNBOUND',
        'The decision log records runs of the gate here, but the evidence does not name the tree it judged.',
      ),
    ]
  const { payload_hash: own = '', previous_payload_hash: before } = evidence.evidence_chain ?? {}
  // Two runs at once may be recorded in the other order: the evidence then follows that of the newest entry.
  const isLatest =
    own === recorded.evidence || (before === recorded.evidence && recorded.earlier.includes(own))
  return isLatest
    ? []
    : [
        violation(
          'EVIDENCE_SUPERSEDED',
          'The newest run of the gate in the decision log wrote other evidence than this file.',
        ),
      ]
}

const checkEvidence = (evidence: Evidence, input: GateInput): Violation[] => {
  const { state, stage, now } = input
  const { judged_tree: judged } = evidence
  const made = Date.parse(evidence.timestamp)
  if (Number.isNaN(made))
    return [violation('EVIDENCE_TIMESTAMP_INVALID', 'The timestamp of the evidence is not a valid time.')]
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
    ...checkRecorded(evidence, input),
    ...(judged === undefined ? [] : checkBound(evidence, judged, input)),
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
  return found === undefined
    ? []
    : [violation('GITFLOW_PROTECTED_BRANCH', `The branch ${found} is protected.`)]
}

const evidenceAge = ({ reading, now }: GateInput): number | null => {
  const made = reading.kind === 'valid' ? Date.parse(reading.evidence.timestamp) : Number.NaN
  return Number.isNaN(made) ? null : Math.max(0, Math.floor((now - made) / 1_000))
}

/** Decides whether work may go on: checks the evidence, then the branch. */
export const judgeEvidence = (input: GateInput): GateVerdict => {
  const { reading, state, stage, policy } = input
  const violations = [...checkReading(input), ...checkBranch(input)]
  const allowed = violations.length === 0
  return {
    status: allowed ? 'ALLOWED' : 'BLOCKED',
    allowed,
    stage,
    policy,
    violations: violations.map(({ code, message, paths }) => ({
      code,
      severity: 'ERROR',
      message,
      fix: FIXES[code],
      ...(paths !== undefined && { paths }),
    })),
    evidence: {
      kind: reading.kind,
      max_age_seconds: MAX_AGE_SECONDS[stage],
      age_seconds: evidenceAge(input),
      ...(reading.kind === 'valid' && {
        trust: reading.evidence.judged_tree === undefined ? 'unbound' : 'bound',
      }),
    },
    repo_state: state,
  }
}
