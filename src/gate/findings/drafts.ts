import { SEVERITIES } from '../../evidence/compare.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { pushTo } from '../../kernel/multimap.ts'
import { optional } from '../../kernel/optional.ts'
import { isAtLeast, stageSeverity } from '../policy.ts'
import type { Excerpt } from '../reports/report.ts'
import type { CompiledRule } from '../rules/compiled-rule.ts'
import { pathUse } from '../rules/path-kinds.ts'
import type { Unfingerprinted } from './fingerprint.ts'

/** A finding before it has a state and a fingerprint. */
export interface FindingDraft extends Unfingerprinted {
  readonly excerpt?: Excerpt
  /**
   * What the base must have to know the finding: the matched text, the whole value of a secret, or the digest of a file.
   * Never stored. Absent for a finding that is about the change.
   */
  readonly identity?: string
  /** The reason given in a suppression comment. */
  readonly suppressed?: string
}

/** What a finding says about its rule. */
export const describeRule = ({ id, code, aliases, why, fix, category, cwe, secret }: CompiledRule) => ({
  ruleId: id,
  code,
  ...optional({ aliases, why, fix, category, cwe }),
  ...((secret || category === 'secrets') && { secret: true }),
  matchedBy: id.startsWith('heuristics.') ? 'Heuristic' : 'FileContent',
})

const LOWERED_USES = {
  tests: ['support'],
  documents: ['support', 'document'],
  development: ['support', 'document', 'development'],
} as const
const LOWERED = 'By its path the file is not deployed, so this does not block.'

/** Whether a finding of the rule is a WARN in a file, by what its path says that it is for. */
const isLoweredAt = ({ lowered, severity }: CompiledRule, path: string): boolean => {
  if (lowered === undefined || !isAtLeast(severity, 'ERROR')) return false
  const use = pathUse(path)
  return LOWERED_USES[lowered].some((one) => one === use)
}

/** The severity of a match of the rule in a file, and its message, which says where a path lowered it. */
export const weighMatch = (rule: CompiledRule, message: string, path: string, stage: GateStage) =>
  isLoweredAt(rule, path)
    ? { severity: 'WARN' as const, message: `${message} ${LOWERED}` }
    : { severity: stageSeverity(rule, stage), message }

const placeOf = ({ file, region }: FindingDraft): string => `${region?.line ?? 0} ${file}`

const rankOf = ({ severity }: FindingDraft): number => SEVERITIES.indexOf(severity)

/**
 * One finding for a place that a rule and the rules named in its `aliases` report: under the former name, with the
 * other one in `aliases`, and never milder than the rule that was merged.
 */
export const mergeAliases = (drafts: readonly FindingDraft[]): readonly FindingDraft[] => {
  const named = drafts.filter(({ aliases }) => aliases !== undefined)
  if (named.length === 0) return drafts
  const byPlace = new Map<string, FindingDraft[]>()
  for (const draft of drafts) pushTo(byPlace, placeOf(draft), draft)
  const merged = new Map<FindingDraft, FindingDraft>()
  const dropped = new Set<FindingDraft>()
  for (const one of named) {
    const twins = (byPlace.get(placeOf(one)) ?? []).filter(({ ruleId }) => one.aliases?.includes(ruleId))
    const [strongest] = twins.sort((a, b) => rankOf(b) - rankOf(a))
    if (strongest === undefined) continue
    dropped.add(one)
    const kept = merged.get(strongest) ?? strongest
    const aliases = [...new Set([...(kept.aliases ?? []), one.ruleId])].sort()
    const severity = rankOf(one) > rankOf(kept) ? one.severity : kept.severity
    merged.set(strongest, { ...kept, severity, aliases })
  }
  return drafts.filter((one) => !dropped.has(one)).map((one) => merged.get(one) ?? one)
}
