import { createHash } from 'node:crypto'
import * as z from 'zod'
import { type Outcome, SEVERITIES, Severity } from '../evidence/schema.ts'
import { digestJson } from '../kernel/hash.ts'
import { gateFaults } from './faults.ts'
import { GATE_STAGES, type GateStage } from './stage.ts'

/** Severities at and above which findings block, and at and above which they are worth a warning. */
interface Thresholds {
  readonly block: Severity
  readonly warn: Severity
}

/** Writing is judged like committing: what may not be committed need not be written. */
type PolicyStage = Exclude<GateStage, 'PRE_WRITE'>
const POLICY_STAGES = ['PRE_COMMIT', 'PRE_PUSH', 'CI'] as const satisfies readonly PolicyStage[]

const DEFAULTS: Readonly<Record<PolicyStage, Thresholds>> = {
  PRE_COMMIT: { block: 'CRITICAL', warn: 'ERROR' },
  PRE_PUSH: { block: 'ERROR', warn: 'WARN' },
  CI: { block: 'ERROR', warn: 'WARN' },
}

const HARD: Thresholds = { block: 'WARN', warn: 'INFO' }
const LENIENT_PROFILE = 'critical-high'
/** Hard mode by its profile. A profile nobody knows is no way out: it gets the strictest. */
const HARD_PROFILES: Readonly<Record<string, Thresholds>> = {
  [LENIENT_PROFILE]: { block: 'ERROR', warn: 'WARN' },
}

export const HARD_MODE_FILE = '.pumuki/hard-mode.json'
export const SKILLS_FILE = 'skills.policy.json'

const HardMode = z.looseObject({
  enabled: z.boolean(),
  profile: z.string().trim().nullish(),
})

/** The other vocabulary for the same four ranks. */
const ENTERPRISE: Readonly<Record<string, Severity>> = { HIGH: 'ERROR', MEDIUM: 'WARN', LOW: 'INFO' }
const AnySeverity = z.preprocess(
  (word) => (typeof word === 'string' ? (ENTERPRISE[word] ?? word) : word),
  Severity,
)
const StageRule = z.looseObject({ blockOnOrAbove: AnySeverity, warnOnOrAbove: AnySeverity })
const SkillsPolicy = z.looseObject({
  stages: z.looseObject({ PRE_COMMIT: StageRule, PRE_PUSH: StageRule, CI: StageRule }),
})

/** What may change the policy: texts as found, undefined where there is nothing. */
export interface PolicySources {
  /** `PUMUKI_HARD_MODE` and `PUMUKI_HARD_MODE_PROFILE`. They win over the file. */
  readonly hardMode?: string | undefined
  readonly hardProfile?: string | undefined
  /** Text of `.pumuki/hard-mode.json`. */
  readonly hardFile?: string | undefined
  /** Text of `skills.policy.json`. */
  readonly skillsFile?: string | undefined
}

export const PolicyView = z.object({
  stage: z.enum(GATE_STAGES),
  resolved_stage: z.enum(POLICY_STAGES),
  block_on_or_above: Severity,
  warn_on_or_above: Severity,
  trace: z.object({
    source: z.enum(['default', 'skills.policy', 'hard-mode']),
    bundle: z.string(),
    hash: z.string(),
  }),
})
export type Policy = z.infer<typeof PolicyView>

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

// A policy that cannot be read might have been the strict one: it stops the gate instead of relaxing it.
const readFile = <T>(name: string, text: string | undefined, schema: z.ZodType<T>): T | undefined => {
  if (text === undefined) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw gateFaults.policy_invalid(`${name} is not JSON`, { cause })
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw gateFaults.policy_invalid(`${name}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
}

const readSwitch = (text: string | undefined): boolean | undefined => {
  const word = text?.trim().toLowerCase() ?? ''
  if (word === '') return undefined
  const value = SWITCH[word]
  if (value === undefined) {
    throw gateFaults.policy_invalid(`PUMUKI_HARD_MODE is ${JSON.stringify(text)}`, {
      fix: 'Set it to 1, true, yes, on, 0, false, no or off.',
    })
  }
  return value
}

/** Undefined when hard mode is off, else its profile. */
const hardProfile = (sources: PolicySources): { readonly profile: string | null } | undefined => {
  const file = readFile(HARD_MODE_FILE, sources.hardFile, HardMode)
  if (!(readSwitch(sources.hardMode) ?? file?.enabled ?? false)) return undefined
  return { profile: sources.hardProfile?.trim() || file?.profile || null }
}

type Source = Policy['trace']['source']

interface Choice extends Thresholds {
  readonly source: Source
  readonly bundle: string
  readonly sourceHash: string | null
}

const choose = (stage: PolicyStage, sources: PolicySources): Choice => {
  // Read even when hard mode wins: a broken file must not stay hidden until hard mode is switched off.
  const skills = readFile(SKILLS_FILE, sources.skillsFile, SkillsPolicy)
  const hard = hardProfile(sources)
  if (hard !== undefined) {
    const known = hard.profile !== null && Object.hasOwn(HARD_PROFILES, hard.profile)
    const thresholds = (known && HARD_PROFILES[hard.profile ?? '']) || HARD
    const name = known ? `hard-mode.${hard.profile}` : 'hard-mode'
    return { ...thresholds, source: 'hard-mode', bundle: name, sourceHash: null }
  }
  if (skills !== undefined) {
    const { blockOnOrAbove: block, warnOnOrAbove: warn } = skills.stages[stage]
    const sourceHash = digestJson(skills).slice('sha256:'.length)
    return { block, warn, source: 'skills.policy', bundle: 'skills.policy', sourceHash }
  }
  return { ...DEFAULTS[stage], source: 'default', bundle: 'default', sourceHash: null }
}

const resolveStage = (stage: GateStage): PolicyStage => (stage === 'PRE_WRITE' ? 'PRE_COMMIT' : stage)

/** The policy for a stage: hard mode before `skills.policy.json` before the default. */
export const resolvePolicy = (stage: GateStage, sources: PolicySources = {}): Policy => {
  const resolved = resolveStage(stage)
  const { block, warn, source, bundle, sourceHash } = choose(resolved, sources)
  // The members and their order are what other readers of the trace recompute.
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

const rank = (severity: Severity): number => SEVERITIES.indexOf(severity)

export const isAtLeast = (severity: Severity, threshold: Severity): boolean =>
  rank(severity) >= rank(threshold)

/** What findings of these severities amount to. */
export const judgeSeverities = (severities: readonly Severity[], policy: Policy): Outcome => {
  if (severities.some((one) => isAtLeast(one, policy.block_on_or_above))) return 'BLOCK'
  return severities.some((one) => isAtLeast(one, policy.warn_on_or_above)) ? 'WARN' : 'PASS'
}

const PROMOTED_FROM = 'heuristics.'
const NEVER_PROMOTED = new Set(['heuristics.ts.empty-catch.ast'])

/**
 * The severity of a rule at a stage. Heuristics of our own packs only warn while one works and count as errors
 * once the change leaves the machine; a rule that came with the repository stays what it says it is.
 */
export const stageSeverity = (
  rule: { readonly id: string; readonly severity: Severity; readonly trusted: boolean },
  stage: GateStage,
): Severity => {
  const leaves = stage === 'PRE_PUSH' || stage === 'CI'
  const promoted =
    leaves &&
    rule.trusted &&
    rule.severity === 'WARN' &&
    rule.id.startsWith(PROMOTED_FROM) &&
    !NEVER_PROMOTED.has(rule.id)
  return promoted ? 'ERROR' : rule.severity
}
