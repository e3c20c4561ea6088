import { createHash } from 'node:crypto'
import { compareText, severityRank } from '../../evidence/compare.ts'
import type { Match } from '../ports.ts'
import type { Region } from '../reports/report.ts'
import type { CompiledRule } from '../rules/compiled-rule.ts'
import { isFormerName } from '../rules/profile.ts'
import { regionText, type SecretRegion } from './excerpt.ts'

type RulesById = ReadonlyMap<string, CompiledRule>

const MAX_SECRET_LINES = 8

/**
 * The region that is redacted in all excerpts of a file. A user rule that calls a whole program a secret would hide
 * the code of every other finding: its long matches are redacted in its own excerpt only.
 */
export const secretRegions = (match: Match, byId: RulesById): SecretRegion[] => {
  const rule = byId.get(match.ruleId)
  if (!rule?.secret || (!rule.trusted && match.endLine - match.line >= MAX_SECRET_LINES)) return []
  // A rule about text matches the whole secret.
  return [{ ...match, continues: rule.trusted && rule.text === undefined }]
}

const byStart = (a: Match, b: Match): number => a.line - b.line || a.column - b.column

const overlaps = (before: Match, after: Match): boolean =>
  after.line < before.endLine || (after.line === before.endLine && after.column < before.endColumn)

/** The text of one secret is one finding: of the rules about secrets that match it, the strongest reports it. */
const keepStrongestSecrets = (matches: readonly Match[], byId: RulesById): readonly Match[] => {
  const isShippedSecret = ({ ruleId }: Match): boolean => {
    const rule = byId.get(ruleId)
    return rule?.secret === true && rule.trusted && !isFormerName(byId, ruleId)
  }
  const rankOf = ({ ruleId }: Match): number => severityRank(byId.get(ruleId)?.severity ?? 'INFO')
  // Of equal severity, a known format says more than a name with a random value.
  const isGeneric = ({ ruleId }: Match): number => Number(ruleId.startsWith('secrets.generic'))
  const compareStrength = (a: Match, b: Match): number =>
    rankOf(b) - rankOf(a) || isGeneric(a) - isGeneric(b) || compareText(a.ruleId, b.ruleId)
  const dropped = new Set<Match>()
  let last: Match | undefined
  for (const match of matches.filter(isShippedSecret).sort(byStart)) {
    if (last === undefined || !overlaps(last, match)) {
      last = match
      continue
    }
    const [strong, weak] = compareStrength(last, match) <= 0 ? [last, match] : [match, last]
    dropped.add(weak)
    last = strong
  }
  return dropped.size === 0 ? matches : matches.filter((match) => !dropped.has(match))
}

const OUTPUT = new Set(['logging', 'debugging'])

const isSamePlace = (a: Match, b: Match): boolean =>
  byStart(a, b) === 0 && a.endLine === b.endLine && a.endColumn === b.endColumn

/** A call that logs a secret is one finding: what a rule about output says of the same call is less. */
const dropCoveredOutput = (matches: readonly Match[], byId: RulesById): readonly Match[] => {
  const ruleOf = ({ ruleId }: Match): CompiledRule | undefined => byId.get(ruleId)
  const serious = matches.filter((match) => ruleOf(match)?.category === 'security')
  if (serious.length === 0) return matches
  return matches.filter((match) => {
    const rule = ruleOf(match)
    if (rule?.trusted !== true || !OUTPUT.has(rule.category ?? '')) return true
    const rank = severityRank(rule.severity)
    const isCovered = serious.some(
      (other) => isSamePlace(match, other) && severityRank(ruleOf(other)?.severity ?? 'INFO') > rank,
    )
    return !isCovered || isFormerName(byId, rule.id)
  })
}

/** The matches of a file that are reported: a secret and a call that logs one are each one finding. */
export const keepReported = (matches: readonly Match[], byId: RulesById): readonly Match[] =>
  dropCoveredOutput(keepStrongestSecrets(matches, byId), byId)

/**
 * What the fingerprint of a secret covers: the text before it in its line, and one byte of its digest. A digest of the
 * whole secret would let a reader of a report or baseline find a short password by hashing guesses; one byte notices
 * most replaced secrets and does not single one out.
 */
export const traceSecret = (
  lines: readonly string[],
  redacted: readonly string[],
  region: Region,
): string => {
  const before = (redacted[region.line - 1] ?? '').slice(0, region.column - 1)
  const [byte = 0] = createHash('sha256').update(regionText(lines, region)).digest()
  return `${before}${byte}`
}
