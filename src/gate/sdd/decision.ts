import type { GateStage } from '../../evidence/stage.ts'
import type { JsonObject } from '../../kernel/encoding/json.ts'
import { optional } from '../../kernel/optional.ts'
import { REFUSAL_RULE } from '../policy.ts'
import type { ChangeState, OpenSpecStatus, SddValidation } from './openspec.ts'
import type { SessionState } from './session.ts'

type SddCode =
  | 'ALLOWED'
  | 'OPENSPEC_MISSING'
  | 'OPENSPEC_VERSION_UNSUPPORTED'
  | 'OPENSPEC_PROJECT_MISSING'
  | 'SDD_SESSION_MISSING'
  | 'SDD_SESSION_INVALID'
  | 'SDD_CHANGE_ARCHIVED'
  | 'SDD_CHANGE_MISSING'
  | 'SDD_VALIDATION_FAILED'
  | 'SDD_VALIDATION_ERROR'

export interface SddDecision {
  readonly allowed: boolean
  readonly code: SddCode
  readonly message: string
  readonly details?: JsonObject
}

/** Everything the decision depends on. */
export interface SddFacts {
  readonly stage: GateStage
  readonly bypass: boolean
  readonly openspec: OpenSpecStatus
  readonly session: SessionState
  readonly change: ChangeState
  /** Undefined while the validator has not run. */
  readonly validation: SddValidation | undefined
}

export const BYPASS_VARIABLE = 'PUMUKI_SDD_BYPASS'

interface Obstacle {
  readonly code: SddCode
  readonly blocks: (facts: SddFacts) => boolean
  readonly message: (facts: SddFacts) => string
}

/** The checks before validation, in order. The first that blocks decides. */
const OBSTACLES: readonly Obstacle[] = [
  {
    code: 'OPENSPEC_MISSING',
    blocks: ({ openspec }) => !openspec.installed,
    message: ({ openspec: { note } }) =>
      note === undefined
        ? 'OpenSpec is not installed: `openspec --version` failed. Install it, then try again.'
        : `OpenSpec is not installed outside the repository. ${note}`,
  },
  {
    code: 'OPENSPEC_VERSION_UNSUPPORTED',
    blocks: ({ openspec }) => !openspec.compatible,
    message: ({ openspec }) =>
      `OpenSpec ${openspec.parsedVersion ?? 'of an unknown version'} is too old. Install version ${openspec.minimumVersion} or later.`,
  },
  {
    code: 'OPENSPEC_PROJECT_MISSING',
    blocks: ({ openspec }) => !openspec.projectInitialized,
    message: () => 'This repository has no openspec/ folder. Run `openspec init`.',
  },
  {
    code: 'SDD_SESSION_MISSING',
    blocks: ({ session }) => !session.active,
    message: () => 'No session is open. Run `warrant sdd session --open --change ID`.',
  },
  {
    code: 'SDD_SESSION_INVALID',
    blocks: ({ session }) => !session.valid,
    message: () => 'The session has expired or names no valid change. Refresh it, or open another one.',
  },
  {
    code: 'SDD_CHANGE_ARCHIVED',
    blocks: ({ change }) => change === 'archived',
    message: ({ session }) =>
      `The change ${session.changeId} is archived. Open a session for another change.`,
  },
  {
    code: 'SDD_CHANGE_MISSING',
    blocks: ({ change }) => change === 'missing',
    message: ({ session }) =>
      `The change ${session.changeId} does not exist in openspec/changes. Open a session for another change.`,
  },
]

const refuse = (code: SddCode, message: string, details?: JsonObject): SddDecision => ({
  allowed: false,
  code,
  message,
  ...optional({ details }),
})

const allow = (message: string, details?: JsonObject): SddDecision => ({
  allowed: true,
  code: 'ALLOWED',
  message,
  ...optional({ details }),
})

const UNREADABLE: Readonly<Record<NonNullable<SddValidation['unreadable']>, string>> = {
  time: 'the validator did not end in time',
  size: 'the output of the validator is too long',
  format: 'the output of the validator is not a report',
  start: 'the validator could not be started',
}

export const judgeValidation = (validation: SddValidation): SddDecision => {
  const { exitCode, totals, issues, unreadable } = validation
  const details = { exitCode, failedItems: totals.failed, errors: issues.errors }
  if (exitCode !== null && exitCode !== 0) {
    return refuse('SDD_VALIDATION_FAILED', `openspec validate ended with exit code ${exitCode}.`, details)
  }
  // Output that cannot be read is not a success.
  if (unreadable !== undefined) {
    const why = UNREADABLE[unreadable]
    return refuse('SDD_VALIDATION_ERROR', `openspec validate: ${why}.`, { ...details, unreadable })
  }
  if (!validation.ok) {
    return refuse('SDD_VALIDATION_ERROR', 'openspec validate reports errors.', details)
  }
  return allow('The changes are valid.', { passedItems: totals.passed, warnings: issues.warnings })
}

/** The decision; undefined when the validator has to run first. */
export const decideSdd = (facts: SddFacts): SddDecision | undefined => {
  if (facts.bypass) {
    const details = { bypass: true, env: BYPASS_VARIABLE }
    return allow(`The guard is disabled by ${BYPASS_VARIABLE}.`, details)
  }
  const obstacle = OBSTACLES.find(({ blocks }) => blocks(facts))
  if (obstacle !== undefined) return refuse(obstacle.code, obstacle.message(facts))
  if (facts.stage === 'PRE_WRITE') return allow('A session for an open change is enough for PRE_WRITE.')
  return facts.validation && judgeValidation(facts.validation)
}

export const SDD_SOURCE = 'sdd-policy'

/** The finding for a blocked stage or a disabled guard. */
export const sddDrafts = (decision: SddDecision | undefined) => {
  const bypassed = decision?.details?.bypass === true
  if (decision === undefined || (decision.allowed && !bypassed)) return []
  return [
    {
      ruleId: bypassed ? 'sdd.policy.bypassed' : REFUSAL_RULE,
      severity: bypassed ? ('WARN' as const) : ('ERROR' as const),
      code: bypassed ? 'SDD_BYPASSED' : decision.code,
      message: decision.message,
      file: 'openspec/changes',
      matchedBy: 'SddPolicy',
      source: SDD_SOURCE,
      text: '',
    },
  ]
}
