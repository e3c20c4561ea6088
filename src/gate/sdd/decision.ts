import type { Finding } from '../../evidence/schema.ts'
import type { JsonObject } from '../../kernel/encoding/json.ts'
import type { GateStage } from '../stage.ts'
import type { ChangeState, OpenSpecStatus, SddValidation } from './openspec.ts'
import type { SessionState } from './session.ts'

export const SDD_CODES = [
  'ALLOWED',
  'OPENSPEC_MISSING',
  'OPENSPEC_VERSION_UNSUPPORTED',
  'OPENSPEC_PROJECT_MISSING',
  'SDD_SESSION_MISSING',
  'SDD_SESSION_INVALID',
  'SDD_CHANGE_ARCHIVED',
  'SDD_CHANGE_MISSING',
  'SDD_VALIDATION_FAILED',
  'SDD_VALIDATION_ERROR',
] as const
export type SddCode = (typeof SDD_CODES)[number]

export interface SddDecision {
  readonly allowed: boolean
  readonly code: SddCode
  readonly message: string
  readonly details?: JsonObject
}

/** All that the decision rests on. */
export interface SddFacts {
  readonly stage: GateStage
  readonly bypass: boolean
  readonly openspec: OpenSpecStatus
  readonly session: SessionState
  readonly change: ChangeState
  /** Undefined: the validator has not run. */
  readonly validation: SddValidation | undefined
}

export const BYPASS_VARIABLE = 'PUMUKI_SDD_BYPASS'

interface Obstacle {
  readonly code: SddCode
  readonly blocks: (facts: SddFacts) => boolean
  readonly message: (facts: SddFacts) => string
}

/** What can stand in the way before anything is validated. The first that does is the answer. */
const OBSTACLES: readonly Obstacle[] = [
  {
    code: 'OPENSPEC_MISSING',
    blocks: ({ openspec }) => !openspec.installed,
    message: () => 'OpenSpec is not installed: `openspec --version` does not answer.',
  },
  {
    code: 'OPENSPEC_VERSION_UNSUPPORTED',
    blocks: ({ openspec }) => !openspec.compatible,
    message: ({ openspec }) =>
      `OpenSpec ${openspec.parsedVersion ?? 'of an unknown version'} is too old: ${openspec.minimumVersion} is needed.`,
  },
  {
    code: 'OPENSPEC_PROJECT_MISSING',
    blocks: ({ openspec }) => !openspec.projectInitialized,
    message: () => 'There is no openspec/ folder in this repository: run `openspec init`.',
  },
  {
    code: 'SDD_SESSION_MISSING',
    blocks: ({ session }) => !session.active,
    message: () => 'No session is open: run `warrant sdd session --open --change ID`.',
  },
  {
    code: 'SDD_SESSION_INVALID',
    blocks: ({ session }) => !session.valid,
    message: () => 'The session has expired or names no change: refresh it or open another.',
  },
  {
    code: 'SDD_CHANGE_ARCHIVED',
    blocks: ({ change }) => change === 'archived',
    message: ({ session }) => `The change ${session.changeId} is archived: open a session on another.`,
  },
  {
    code: 'SDD_CHANGE_MISSING',
    blocks: ({ change }) => change === 'missing',
    message: ({ session }) => `There is no change ${session.changeId} in openspec/changes.`,
  },
]

const refuse = (code: SddCode, message: string, details?: JsonObject): SddDecision => ({
  allowed: false,
  code,
  message,
  ...(details !== undefined && { details }),
})

const allow = (message: string, details?: JsonObject): SddDecision => ({
  allowed: true,
  code: 'ALLOWED',
  message,
  ...(details !== undefined && { details }),
})

const UNREADABLE: Readonly<Record<NonNullable<SddValidation['unreadable']>, string>> = {
  time: 'the validator did not end in time',
  size: 'the validator said too much',
  format: 'what the validator said is no report',
  start: 'the validator could not be started',
}

export const judgeValidation = (validation: SddValidation): SddDecision => {
  const { exitCode, totals, issues, unreadable } = validation
  const details = { exitCode, failedItems: totals.failed, errors: issues.errors }
  if (exitCode !== null && exitCode !== 0) {
    return refuse('SDD_VALIDATION_FAILED', `openspec validate ended with ${exitCode}.`, details)
  }
  // Silence is no consent: what cannot be read proves nothing.
  if (unreadable !== undefined) {
    const why = UNREADABLE[unreadable]
    return refuse('SDD_VALIDATION_ERROR', `openspec validate: ${why}.`, { ...details, unreadable })
  }
  if (!validation.ok) {
    return refuse('SDD_VALIDATION_ERROR', 'openspec validate reports errors.', details)
  }
  return allow('The changes are valid.', { passedItems: totals.passed, warnings: issues.warnings })
}

/** The verdict on the facts; undefined when the validator must be heard first. */
export const decideSdd = (facts: SddFacts): SddDecision | undefined => {
  if (facts.bypass) {
    const details = { bypass: true, env: BYPASS_VARIABLE }
    return allow(`The guard is switched off by ${BYPASS_VARIABLE}.`, details)
  }
  const obstacle = OBSTACLES.find(({ blocks }) => blocks(facts))
  if (obstacle !== undefined) return refuse(obstacle.code, obstacle.message(facts))
  if (facts.stage === 'PRE_WRITE') return allow('A session on an open change is all that writing needs.')
  return facts.validation && judgeValidation(facts.validation)
}

/** What the evidence must say about a decision: a refusal, or a guard that was switched off. */
export const sddFinding = ({ allowed, code, message, details }: SddDecision): Finding | undefined => {
  const bypassed = details?.bypass === true
  if (allowed && !bypassed) return undefined
  return {
    ruleId: bypassed ? 'sdd.policy.bypassed' : 'sdd.policy.blocked',
    severity: bypassed ? 'WARN' : 'ERROR',
    code: bypassed ? 'SDD_BYPASSED' : code,
    message,
    file: 'openspec/changes',
    matchedBy: 'SddPolicy',
    source: 'sdd-policy',
  }
}
