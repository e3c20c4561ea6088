import type { Severity } from '../../evidence/schema.ts'
import { SEVERITIES } from '../../evidence/severities.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import { stageSeverity } from '../policy.ts'
import type { GateStage } from '../stage.ts'
import type { ShippedRules } from './packs.ts'
import { listEffects, type PolicyChange } from './policy-change.ts'

/** The file in which a repository overrides severities of shipped rules; it lies beside the user rules. */
export const OVERRIDES_NAME = 'severities.yml'

type SeverityOverride = Severity | 'OFF'

/** A shipped rule whose severity the repository overrides. */
export interface AppliedOverride {
  readonly rule: string
  readonly from: Severity
  readonly to: SeverityOverride
}

export interface SeverityOverrides {
  readonly byRule: ReadonlyMap<string, SeverityOverride>
  readonly list: readonly AppliedOverride[]
  readonly digest: string
}

export const NO_OVERRIDES: SeverityOverrides = { byRule: new Map(), list: [], digest: '' }

/** Severities of ast-grep in ours; `off` has none. */
export const RULE_LEVELS: Readonly<Record<string, Severity>> = {
  error: 'ERROR',
  warning: 'WARN',
  info: 'INFO',
  hint: 'INFO',
}

/** The severities of shipped rules, by id and alias. */
export const shippedSeverities = ({ packs, aliases }: ShippedRules): ReadonlyMap<string, Severity> =>
  new Map([
    ...packs.flatMap(({ rules, changes }) => [
      ...rules.map(
        ({ id, severity, metadata }) => [id, metadata?.severity ?? RULE_LEVELS[severity] ?? 'INFO'] as const,
      ),
      ...changes.map(({ id, metadata }) => [id, metadata.severity] as const),
    ]),
    ...aliases.map(({ id, severity }) => [id, severity] as const),
  ])

/** The rank of a rule at a stage; -1 when it is off. */
const overriddenRank = (
  id: string,
  from: Severity,
  override: SeverityOverride | undefined,
  stage: GateStage,
): number => {
  if (override === 'OFF') return -1
  const pinnedSeverity = override !== undefined
  const severity = stageSeverity({ id, severity: override ?? from, pinnedSeverity, trusted: true }, stage)
  return SEVERITIES.indexOf(severity)
}

/** Heuristics are promoted between these two, so a rule is compared at both. */
const COMPARED_STAGES = ['PRE_COMMIT', 'CI'] as const satisfies readonly GateStage[]

/** The overrides of both versions: for each rule the one that is stricter at the stage, or none if that is. */
export const joinOverrides = (
  base: SeverityOverrides,
  after: SeverityOverrides,
  { stage, shippedRules }: { readonly stage: GateStage; readonly shippedRules: ShippedRules },
  file: string,
): { readonly overrides: SeverityOverrides; readonly changes: readonly PolicyChange[] } => {
  const shipped = shippedSeverities(shippedRules)
  const rules = [...new Set([...base.byRule.keys(), ...after.byRule.keys()])].sort()
  const effects: string[] = []
  let weaker = false
  const list = rules.flatMap((rule): AppliedOverride[] => {
    const from = shipped.get(rule) ?? 'INFO'
    const [before, present] = [base.byRule.get(rule), after.byRule.get(rule)]
    const lighterAt = (at: GateStage) =>
      overriddenRank(rule, from, present, at) < overriddenRank(rule, from, before, at)
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
