import { createHash } from 'node:crypto'
import { SEVERITIES } from '../evidence/compare.ts'
import type { GateOutcome, Severity } from '../evidence/schema.ts'
import type { GateStage } from '../evidence/stage.ts'
import { digestJson } from '../kernel/encoding/hash.ts'
import { isRecord } from '../kernel/encoding/json.ts'
import { gateFaults } from './faults.ts'
import type { CompiledRule } from './rules/compiled-rule.ts'

/** Findings at or above `block` block; findings at or above `warn` give a warning. */
interface Thresholds {
  readonly block: Severity
  readonly warn: Severity
}

/** PRE_WRITE has the thresholds of PRE_COMMIT: code that cannot be committed need not be written. */
type PolicyStage = Exclude<GateStage, 'PRE_WRITE'>
export const POLICY_STAGES = ['PRE_COMMIT', 'PRE_PUSH', 'CI'] as const satisfies readonly PolicyStage[]

const DEFAULTS: Readonly<Record<PolicyStage, Thresholds>> = {
  PRE_COMMIT: { block: 'CRITICAL', warn: 'ERROR' },
  PRE_PUSH: { block: 'ERROR', warn: 'WARN' },
  CI: { block: 'ERROR', warn: 'WARN' },
}

const HARD_MODE: Thresholds = { block: 'WARN', warn: 'INFO' }
const LENIENT_PROFILE = 'critical-high'
/** Hard mode by profile. An unknown profile gets the strictest thresholds, so that a typo does not relax the gate. */
const HARD_PROFILES: Readonly<Record<string, Thresholds>> = {
  [LENIENT_PROFILE]: { block: 'ERROR', warn: 'WARN' },
}

export const HARD_MODE_FILE = '.pumuki/hard-mode.json'
export const SKILLS_FILE = 'skills.policy.json'

/** Other names of the same severities, used by `skills.policy.json`. */
const ENTERPRISE: Readonly<Record<string, Severity>> = { HIGH: 'ERROR', MEDIUM: 'WARN', LOW: 'INFO' }

/** Everything that can change the policy; undefined where it is absent. */
export interface PolicySources {
  /** `PUMUKI_HARD_MODE` and `PUMUKI_HARD_MODE_PROFILE`, which take precedence over the file. */
  readonly hardMode?: string | undefined
  readonly hardProfile?: string | undefined
  /** Text of `.pumuki/hard-mode.json`. */
  readonly hardFile?: string | undefined
  /** Text of `skills.policy.json`. */
  readonly skillsFile?: string | undefined
}

/** The policy in force and its origin. The evidence format fixes the names. */
export type GatePolicy = {
  readonly stage: GateStage
  readonly resolved_stage: PolicyStage
  readonly block_on_or_above: Severity
  readonly warn_on_or_above: Severity
  readonly trace: {
    readonly source: 'default' | 'skills.policy' | 'hard-mode'
    readonly bundle: string
    readonly hash: string
  }
}

const SWITCH: Readonly<Record<string, boolean>> = {
  '1': true,
  true: true,
  yes: true,
  on: true,
  '0': false,
  false: false,
  no: false,
  off: false,
}

// An unreadable policy stops the gate: ignoring it could relax the thresholds.
const readFile = (name: string, text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch (cause) {
    throw gateFaults.policy_invalid(`${name} is not JSON`, { cause })
  }
  throw gateFaults.policy_invalid(`${name} is not a JSON object`)
}

const readHardMode = (text: string | undefined) => {
  if (text === undefined) return undefined
  const { enabled, profile } = readFile(HARD_MODE_FILE, text)
  if (typeof enabled !== 'boolean') {
    throw gateFaults.policy_invalid(`${HARD_MODE_FILE}: enabled must be true or false`)
  }
  return { enabled, profile: typeof profile === 'string' ? profile.trim() : undefined }
}

const readSeverity = (place: string, word: unknown): Severity => {
  const known = typeof word === 'string' && Object.hasOwn(ENTERPRISE, word) ? ENTERPRISE[word] : word
  const found = SEVERITIES.find((severity) => severity === known)
  if (found !== undefined) return found
  throw gateFaults.policy_invalid(`${SKILLS_FILE}: ${place} must be one of ${SEVERITIES.join(', ')}`)
}

/** Thresholds of all three stages. A policy without one of them is invalid. */
const readSkills = (text: string | undefined) => {
  if (text === undefined) return undefined
  const value = readFile(SKILLS_FILE, text)
  const stages = isRecord(value.stages) ? value.stages : {}
  const read = (stage: PolicyStage): [PolicyStage, Thresholds] => {
    const rule = isRecord(stages[stage]) ? stages[stage] : {}
    const block = readSeverity(`stages.${stage}.blockOnOrAbove`, rule.blockOnOrAbove)
    return [stage, { block, warn: readSeverity(`stages.${stage}.warnOnOrAbove`, rule.warnOnOrAbove) }]
  }
  return { value, thresholds: new Map(POLICY_STAGES.map(read)) }
}

const readSwitch = (text: string | undefined): boolean | undefined => {
  const word = text?.trim().toLowerCase() ?? ''
  if (word === '') return undefined
  const value = Object.hasOwn(SWITCH, word) ? SWITCH[word] : undefined
  if (value === undefined) {
    throw gateFaults.policy_invalid(`PUMUKI_HARD_MODE is ${JSON.stringify(text)}`, {
      fix: 'Set it to 1, true, yes, on, 0, false, no or off.',
    })
  }
  return value
}

/** Undefined when hard mode is off, else its profile. */
const hardProfile = (sources: PolicySources): { readonly profile: string | null } | undefined => {
  const file = readHardMode(sources.hardFile)
  if (!(readSwitch(sources.hardMode) ?? file?.enabled ?? false)) return undefined
  return { profile: sources.hardProfile?.trim() || file?.profile || null }
}

type Source = GatePolicy['trace']['source']

interface ChosenPolicy extends Thresholds {
  readonly source: Source
  readonly bundle: string
  readonly sourceHash: string | null
}

const choosePolicy = (stage: PolicyStage, sources: PolicySources): ChosenPolicy => {
  // Read it even when hard mode takes precedence: an invalid file must not stay hidden until hard mode ends.
  const skills = readSkills(sources.skillsFile)
  const hard = hardProfile(sources)
  if (hard !== undefined) {
    const known = hard.profile !== null && Object.hasOwn(HARD_PROFILES, hard.profile)
    const thresholds = (known && HARD_PROFILES[hard.profile ?? '']) || HARD_MODE
    const name = known ? `hard-mode.${hard.profile}` : 'hard-mode'
    return { ...thresholds, source: 'hard-mode', bundle: name, sourceHash: null }
  }
  const named = skills?.thresholds.get(stage)
  if (skills !== undefined && named !== undefined) {
    const sourceHash = digestJson(skills.value).slice('sha256:'.length)
    return { ...named, source: 'skills.policy', bundle: 'skills.policy', sourceHash }
  }
  return { ...DEFAULTS[stage], source: 'default', bundle: 'default', sourceHash: null }
}

const resolveStage = (stage: GateStage): PolicyStage => (stage === 'PRE_WRITE' ? 'PRE_COMMIT' : stage)

/** A policy with its trace. */
const tracePolicy = (stage: GateStage, chosen: ChosenPolicy): GatePolicy => {
  const { block, warn, source, bundle, sourceHash } = chosen
  const resolved = resolveStage(stage)
  // Other programs recompute this hash: members and their order are fixed.
  const traced = {
    stage: resolved,
    source,
    blockOnOrAbove: block,
    warnOnOrAbove: warn,
    sourcePolicyHash: sourceHash,
  }
  return {
    stage,
    resolved_stage: resolved,
    block_on_or_above: block,
    warn_on_or_above: warn,
    trace: {
      source,
      bundle: `gate-policy.${bundle}.${resolved}`,
      hash: createHash('sha256').update(JSON.stringify(traced)).digest('hex'),
    },
  }
}

/** The policy for a stage: hard mode before `skills.policy.json` before the default. */
export const resolvePolicy = (stage: GateStage, sources: PolicySources = {}): GatePolicy =>
  tracePolicy(stage, choosePolicy(resolveStage(stage), sources))

const rank = (severity: Severity): number => SEVERITIES.indexOf(severity)

export const isAtLeast = (severity: Severity, threshold: Severity): boolean =>
  rank(severity) >= rank(threshold)

const lower = (one: Severity, other: Severity): Severity => (rank(one) <= rank(other) ? one : other)

/** The lower thresholds of two policies of a stage, traced to the policy they come from. */
export const stricterPolicy = (one: GatePolicy, other: GatePolicy): GatePolicy => {
  const block = lower(one.block_on_or_above, other.block_on_or_above)
  const warn = lower(one.warn_on_or_above, other.warn_on_or_above)
  const whole = [one, other].find(
    (each) => each.block_on_or_above === block && each.warn_on_or_above === warn,
  )
  if (whole !== undefined) return whole
  const { source } = (one.block_on_or_above === block ? one : other).trace
  return tracePolicy(one.stage, { block, warn, source, bundle: source, sourceHash: null })
}

/** The specification refuses a stage whatever the thresholds are. */
export const REFUSAL_RULE = 'sdd.policy.blocked'

/** Whether a new finding blocks. */
export const isBlocking = (
  { ruleId, severity }: { readonly ruleId: string; readonly severity: Severity },
  policy: GatePolicy,
): boolean => ruleId === REFUSAL_RULE || isAtLeast(severity, policy.block_on_or_above)

export const judgeSeverities = (severities: readonly Severity[], policy: GatePolicy): GateOutcome => {
  if (severities.some((one) => isAtLeast(one, policy.block_on_or_above))) return 'BLOCK'
  return severities.some((one) => isAtLeast(one, policy.warn_on_or_above)) ? 'WARN' : 'PASS'
}

const PROMOTED_FROM = 'heuristics.'
const NEVER_PROMOTED = new Set(['heuristics.ts.empty-catch.ast'])

/**
 * The severity of a rule at a stage. Shipped heuristics with severity WARN count as ERROR at PRE_PUSH and CI. User
 * rules, and rules with a severity override, keep their severity at every stage.
 */
export const stageSeverity = (
  rule: Pick<CompiledRule, 'id' | 'severity' | 'pinnedSeverity' | 'trusted'>,
  stage: GateStage,
): Severity => {
  const isShared = stage === 'PRE_PUSH' || stage === 'CI'
  const promoted =
    isShared &&
    rule.trusted &&
    !rule.pinnedSeverity &&
    rule.severity === 'WARN' &&
    rule.id.startsWith(PROMOTED_FROM) &&
    !NEVER_PROMOTED.has(rule.id)
  return promoted ? 'ERROR' : rule.severity
}
