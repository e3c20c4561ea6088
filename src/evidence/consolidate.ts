import { pushTo } from '../kernel/multimap.ts'
import { optional } from '../kernel/optional.ts'
import { anchorLine, compareFields, compareFindings, compareText, severityRank } from './compare.ts'
import { compareTraces } from './finding.ts'
import { platformOf } from './path-platform.ts'
import type { Finding, Suppressed } from './schema.ts'

/** Words that determine the family when they occur as a whole word in a rule id. */
const KEYWORDS = /(?:^|[._-])(explicit-any|empty-catch|console-log|anyview|force-unwrap)(?=[._-]|$)/

/** Families by platform whose rule ids are `<p>.no-<word>`, `skills.<p>.no-<word>`, `heuristics.<p>.<word>.ast`. */
const REGULAR: Readonly<Record<string, readonly string[]>> = {
  ios: [
    'force-try',
    'force-cast',
    'callback-style',
    'dispatchqueue',
    'dispatchgroup',
    'dispatchsemaphore',
    'operation-queue',
    'task-detached',
    'unchecked-sendable',
    'observable-object',
    'navigation-view',
    'on-tap-gesture',
    'string-format',
    'uiscreen-main-bounds',
  ],
  android: ['thread-sleep', 'globalscope', 'runblocking'],
}

/** Rule ids that do not follow this form. */
const IRREGULAR: readonly (readonly [ruleId: string, family: string])[] = [
  ['ios.no-completion-handlers-outside-bridges', 'ios.callback-style'],
  ['skills.ios.no-callback-style-outside-bridges', 'ios.callback-style'],
  ['ios.no-gcd', 'ios.operation-queue'],
  ['android.no-global-scope', 'android.globalscope'],
  ['android.no-run-blocking', 'android.runblocking'],
]

const FAMILIES = new Map<string, string>([
  ...Object.entries(REGULAR).flatMap(([platform, words]) =>
    words.flatMap((word) =>
      [`${platform}.no-${word}`, `skills.${platform}.no-${word}`, `heuristics.${platform}.${word}.ast`].map(
        (ruleId) => [ruleId, `${platform}.${word}`] as const,
      ),
    ),
  ),
  ...IRREGULAR,
])

/** The family of a rule: rules of one family report the same problem. */
export const familyOf = (ruleId: string): string =>
  KEYWORDS.exec(ruleId)?.[1] ?? FAMILIES.get(ruleId) ?? ruleId

/** Rule ids by origin, strongest first: project rules, skills, platform rules, heuristics. */
const ORIGINS: readonly RegExp[] = [
  /^(?!heuristics\.|skills\.|(?:ios|android|backend|frontend)\.)/,
  /^skills\./,
  /^(?!heuristics\.)/,
  /^/,
]

const originRank = (ruleId: string): number => ORIGINS.findIndex((origin) => origin.test(ruleId))

const comparePrecedence = (a: Finding, b: Finding): number =>
  severityRank(b.severity) - severityRank(a.severity) ||
  originRank(a.ruleId) - originRank(b.ruleId) ||
  compareText(a.ruleId, b.ruleId) ||
  compareTraces(a, b)

const REASON = 'semantic-family-precedence'

const suppress = (loser: Finding, winner: Finding): Suppressed => ({
  ruleId: loser.ruleId,
  file: loser.file,
  ...optional({ lines: loser.lines }),
  replacedByRuleId: winner.ruleId,
  replacementRuleId: winner.ruleId,
  platform: platformOf(loser.file, loser.ruleId),
  reason: REASON,
})

const SORT_KEYS = ['file', 'ruleId', 'replacedByRuleId', 'platform', 'at'] as const
type SortKey = Readonly<Record<(typeof SORT_KEYS)[number], string>>
const bySuppression = compareFields(SORT_KEYS)

interface Consolidated {
  readonly findings: readonly Finding[]
  readonly suppressed: readonly Suppressed[]
}

/** Keeps one finding per line and rule family. The others are listed as suppressed. */
export const consolidateFindings = (findings: readonly Finding[]): Consolidated => {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings) {
    const { file, ruleId, lines } = finding
    // The platform is not part of the key: a file has one platform, even if rules of two platforms match it.
    const key = [file, anchorLine(lines), familyOf(ruleId)].join('\0')
    pushTo(groups, key, finding)
  }
  const kept: Finding[] = []
  const lost: { readonly key: SortKey; readonly entry: Suppressed }[] = []
  for (const group of groups.values()) {
    const [winner, ...losers] = group.sort(comparePrecedence)
    if (winner === undefined) continue
    kept.push(winner)
    for (const loser of losers) {
      const entry = suppress(loser, winner)
      const { file, ruleId, replacedByRuleId, platform = '' } = entry
      const at = String(anchorLine(loser.lines)).padStart(16, '0')
      lost.push({ key: { file, ruleId, replacedByRuleId, platform, at }, entry })
    }
  }
  return {
    findings: kept.sort(compareFindings),
    suppressed: lost.sort((a, b) => bySuppression(a.key, b.key)).map(({ entry }) => entry),
  }
}
