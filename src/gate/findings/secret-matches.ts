import { createHash } from 'node:crypto'
import { compareText, severityRank } from '../../evidence/compare.ts'
import { readSource } from '../../kernel/text/decode.ts'
import { extensionOf, grammarForExtension } from '../../kernel/text/languages.ts'
import type { Match } from '../ports.ts'
import type { Excerpt, Region } from '../reports/report.ts'
import type { CompiledRule } from '../rules/compiled-rule.ts'
import { isFormerName } from '../rules/profile.ts'

const AROUND = 1
const MOST_LINES = 6

/** The lines of a file, as editors number them. */
export const splitSourceLines = (bytes: Uint8Array, path: string): readonly string[] =>
  readSource(bytes, grammarForExtension(extensionOf(path)) ?? '').text.split(/\r\n|\n|\r/)

/** The text of a region, as far as it lies within the file. */
export const regionText = (
  lines: readonly string[],
  { line, column, endLine, endColumn }: Region,
): string => {
  const part = lines.slice(line - 1, endLine)
  if (part.length === endLine - line + 1) part.push((part.pop() ?? '').slice(0, endColumn - 1))
  const [first = '', ...rest] = part
  return [first.slice(column - 1), ...rest].join('\n')
}

/** Replaces text by asterisks of the same length, so that columns stay valid. */
const redact = (text: string, from: number): string =>
  text.slice(0, from) + text.slice(from).replace(/\S/g, '*')

/** The text that a rule about secrets matched. */
interface SecretRegion extends Region {
  /** A shipped rule matches only the start of a key, and the rest follows on the same line or the next. */
  readonly continues: boolean
}

/** The lines with secrets redacted to the end of each line. */
export const redactSecrets = (
  lines: readonly string[],
  secrets: readonly SecretRegion[],
): readonly string[] => {
  if (secrets.length === 0) return lines
  const shown = [...lines]
  for (const { line, column, endLine, continues } of secrets)
    for (let at = line; at <= (continues ? endLine + 1 : endLine) && at <= shown.length; at++)
      shown[at - 1] = redact(shown[at - 1] ?? '', at === line ? column - 1 : 0)
  return shown
}

/** A region with one line before and after it. */
export const excerptOf = (lines: readonly string[], { line, endLine }: Region): Excerpt => {
  const first = Math.max(1, line - AROUND)
  const last = Math.min(endLine + AROUND, first + MOST_LINES - 1)
  return { first, lines: lines.slice(first - 1, last) }
}

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

/** The whole value that a rule about secrets found, to compare it with the base. Kept in memory only. */
export const secretText = (
  lines: readonly string[],
  region: Region,
  { trusted, text }: Pick<CompiledRule, 'trusted' | 'text'>,
): string =>
  trusted && text === undefined
    ? [
        (lines[region.line - 1] ?? '').slice(region.column - 1),
        ...lines.slice(region.line, region.endLine + 1),
      ].join('\n')
    : regionText(lines, region)

/**
 * What the fingerprint of a secret covers: the text before it in its line, and one byte of its digest. A digest of the
 * whole secret would let a reader of a report find a short password by hashing guesses; one byte notices
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
