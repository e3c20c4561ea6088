import { SEVERITIES } from '../../evidence/compare.ts'
import type { Severity } from '../../evidence/schema.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import { stageSeverity } from '../policy.ts'
import type { ShippedRules } from './packs.ts'
import { listEffects, type PolicyChange } from './policy-change.ts'
import { profileSeverity, type RuleProfile } from './profile.ts'

type SeverityOverride = Severity | 'OFF'

/** A shipped rule whose severity the repository overrides. */
export interface AppliedOverride {
  readonly rule: string
  /** `OFF` for a rule that runs in another profile only. */
  readonly from: SeverityOverride
  readonly to: SeverityOverride
}

export interface SeverityOverrides {
  readonly byRule: ReadonlyMap<string, SeverityOverride>
  readonly list: readonly AppliedOverride[]
  readonly digest: string
}

export const NO_OVERRIDES: SeverityOverrides = { byRule: new Map(), list: [], digest: '' }

/** The severities of shipped rules in a profile, by id and alias. */
export const shippedSeverities = (
  { packs, aliases }: ShippedRules,
  profile: RuleProfile,
): ReadonlyMap<string, SeverityOverride> => {
  const rules = packs.flatMap((pack) => [...pack.rules, ...pack.changes])
  const severityOf = (rule: (typeof rules)[number]) => profileSeverity(rule, profile) ?? 'OFF'
  return new Map([
    ...rules.flatMap((rule) =>
      (rule.metadata?.aliases ?? []).map((alias) => [alias, severityOf(rule)] as const),
    ),
    ...aliases.map(({ id, severity }) => [id, profile === 'seed' ? severity : 'OFF'] as const),
    ...rules.map((rule) => [rule.id, severityOf(rule)] as const),
  ])
}

const overrideRank = (override: SeverityOverride): number =>
  override === 'OFF' ? -1 : SEVERITIES.indexOf(override)

/** The override of a rule: by its id, or else the strictest one by a further name. */
export const findOverride = (
  byRule: SeverityOverrides['byRule'] | undefined,
  id: string,
  aliases: readonly string[] = [],
): SeverityOverride | undefined =>
  byRule?.get(id) ??
  aliases
    .flatMap((alias) => byRule?.get(alias) ?? [])
    .reduce<SeverityOverride | undefined>(
      (strictest, one) =>
        strictest === undefined || overrideRank(one) > overrideRank(strictest) ? one : strictest,
      undefined,
    )

/** The rank of a rule at a stage; -1 when it is off. */
const overriddenRank = (
  id: string,
  from: SeverityOverride,
  override: SeverityOverride | undefined,
  { stage, profile }: { readonly stage: GateStage; readonly profile: RuleProfile },
): number => {
  const severity = override ?? from
  if (severity === 'OFF') return -1
  const pinnedSeverity = override !== undefined || profile === 'default'
  return SEVERITIES.indexOf(stageSeverity({ id, severity, pinnedSeverity, trusted: true }, stage))
}

/** Heuristics are promoted between these two, so a rule is compared at both. */
const COMPARED_STAGES = ['PRE_COMMIT', 'CI'] as const satisfies readonly GateStage[]

/** The overrides of both versions: for each rule the one that is stricter at the stage, or none if that is. */
export const joinOverrides = (
  base: SeverityOverrides,
  after: SeverityOverrides,
  {
    stage,
    profile,
    shippedRules,
  }: { readonly stage: GateStage; readonly profile: RuleProfile; readonly shippedRules: ShippedRules },
  file: string,
): { readonly overrides: SeverityOverrides; readonly changes: readonly PolicyChange[] } => {
  const shipped = shippedSeverities(shippedRules, profile)
  const rules = [...new Set([...base.byRule.keys(), ...after.byRule.keys()])].sort()
  const effects: string[] = []
  let weaker = false
  const list = rules.flatMap((rule): AppliedOverride[] => {
    const from = shipped.get(rule) ?? 'OFF'
    const [before, present] = [base.byRule.get(rule), after.byRule.get(rule)]
    const lighterAt = (at: GateStage) =>
      overriddenRank(rule, from, present, { stage: at, profile }) <
      overriddenRank(rule, from, before, { stage: at, profile })
    if (before !== present) effects.push(`${rule}: ${before ?? from} → ${present ?? from}`)
    weaker ||= COMPARED_STAGES.some(lighterAt)
    const to = lighterAt(stage) ? before : present
    return to === undefined ? [] : [{ rule, from, to }]
  })
  const byRule = new Map(list.map(({ rule, to }) => [rule, to]))
  return {
    overrides: { byRule, list, digest: digestJson(Object.fromEntries(byRule)) },
    changes: effects.length === 0 ? [] : [{ file, effect: listEffects(effects), weaker }],
  }
}
