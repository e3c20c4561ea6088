import type { Severity } from '../evidence/schema.ts'
import { optional } from '../kernel/optional.ts'

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
    'Run `warrant gate --scope worktree` for the stage, or call gate_run with the stage and scope worktree, then ask again.',
  EVIDENCE_UNBOUND: RUN_GATE,
  EVIDENCE_SUPERSEDED: RUN_GATE,
  EVIDENCE_UNSIGNED:
    'Run `warrant gate` for the stage, or call gate_run. If the key of this machine is not listed, run `warrant receipts keys show`: it prints the line with which a listed developer adds it.',
  GITFLOW_PROTECTED_BRANCH: 'Create a branch for the change: `git switch -c feature/<name>`.',
} as const
export type ViolationCode = keyof typeof FIXES

/** A reason why work may not go on. */
export type Violation = {
  readonly code: ViolationCode
  readonly severity: Severity
  readonly message: string
  readonly fix: string
  /** Some of the files that differ from what the evidence judged. */
  readonly paths?: readonly string[]
}

export const violation = (code: ViolationCode, message: string, paths?: readonly string[]): Violation => ({
  code,
  severity: 'ERROR',
  message,
  fix: FIXES[code],
  ...optional({ paths }),
})

/** The violation, where something is wrong. */
export const violationIf = (isWrong: boolean, ...what: Parameters<typeof violation>): Violation[] =>
  isWrong ? [violation(...what)] : []
