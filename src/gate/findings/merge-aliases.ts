import { SEVERITIES } from '../../evidence/severities.ts'
import { pushTo } from '../../kernel/multimap.ts'
import type { FindingDraft } from './collect.ts'

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
