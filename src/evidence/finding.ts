import { isRecord } from '../kernel/encoding/json.ts'
import { optional } from '../kernel/optional.ts'
import { compareFindings, compareText, linesKey, severityRank } from './compare.ts'
import type { Finding, FindingLines, Severity } from './schema.ts'

/** A finding as a rule reports it. Additional fields are kept. */
export interface RawFinding {
  readonly ruleId: string
  readonly severity: Severity
  readonly code: string
  readonly message: string
  /** Takes precedence over `file`. */
  readonly filePath?: string | undefined
  readonly file?: string | undefined
  readonly lines?: FindingLines | undefined
  readonly matchedBy?: string | undefined
  readonly source?: string | undefined
  readonly [extra: string]: unknown
}

/** File of a finding that names none. */
const UNKNOWN_FILE = 'unknown'

/** Integers, ascending, without duplicates; undefined when nothing remains. */
export const normalizeLines = (lines: FindingLines | undefined): FindingLines | undefined => {
  if (typeof lines === 'string') return lines.trim() || undefined
  if (typeof lines === 'number') return Number.isFinite(lines) ? Math.trunc(lines) : undefined
  if (lines === undefined) return undefined
  const whole = new Set(lines.filter(Number.isFinite).map(Math.trunc))
  return whole.size === 0 ? undefined : [...whole].sort((a, b) => a - b)
}

const forwardSlashes = (path: string): string => path.replaceAll('\\', '/')

/** A path inside the root becomes relative; any other is unchanged but for slashes. */
export const normalizePath = (path: string, root?: string): string => {
  const plain = forwardSlashes(path)
  if (root === undefined) return plain
  const base = `${forwardSlashes(root).replace(/\/+$/, '')}/`
  const inside = plain.startsWith(base) ? plain.slice(base.length) : ''
  return inside === '' || inside.split('/').includes('..') ? plain : inside
}

const textOrNone = (value: unknown): string | undefined =>
  (typeof value === 'string' && value.trim()) || undefined

/** Key that evidence must not have: JSON.parse accepts it, and assigning it could change a prototype. */
export const FORBIDDEN_KEY = '__proto__'

/** Removes the key at any depth from the additional fields of a rule, so that the file stays readable. */
const dropForbidden = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(dropForbidden)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      key === FORBIDDEN_KEY ? [] : [[key, dropForbidden(inner)]],
    ),
  )
}

// Sorted, so that the file does not depend on the order in which a rule set the fields.
const sortKeys = (extras: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(extras)
      .filter(([key, value]) => value !== undefined && key !== FORBIDDEN_KEY)
      .sort(([a], [b]) => compareText(a, b))
      .map(([key, value]) => [key, dropForbidden(value)]),
  )

/** The canonical form of a finding: fixed key order, normalized path and lines. */
export const normalizeFinding = (raw: RawFinding, root?: string): Finding => {
  const { ruleId, severity, code, message, filePath, file, lines, matchedBy, source, ...extras } = raw
  const normalized = normalizeLines(lines)
  return {
    ruleId,
    severity,
    code,
    message,
    file: normalizePath(filePath || file || UNKNOWN_FILE, root),
    ...optional({ lines: normalized, matchedBy: textOrNone(matchedBy), source: textOrNone(source) }),
    ...sortKeys(extras),
  }
}

/** Identity of a finding across runs. */
export const identityOf = ({
  ruleId,
  file,
  lines,
}: Pick<Finding, 'ruleId' | 'file'> & { readonly lines?: FindingLines | undefined }): string =>
  `${ruleId}\0${file}\0${linesKey(lines)}`

const traceKey = ({ code, message, matchedBy = '', source = '' }: Finding): string =>
  `${code}\0${message}\0${matchedBy}\0${source}`

/** Tie-breaker between equal findings, so that the order of the input does not matter. */
export const compareTraces = (a: Finding, b: Finding): number =>
  compareText(traceKey(a), traceKey(b)) || compareText(JSON.stringify(a), JSON.stringify(b))

const compareStrength = (a: Finding, b: Finding): number =>
  severityRank(b.severity) - severityRank(a.severity) || compareTraces(a, b)

/** The most severe finding of each identity, sorted. */
export const dedupeFindings = (all: readonly Finding[]): Finding[] => {
  const kept = new Map<string, Finding>()
  for (const finding of all) {
    const key = identityOf(finding)
    const rival = kept.get(key)
    if (rival === undefined || compareStrength(finding, rival) < 0) kept.set(key, finding)
  }
  return [...kept.values()].sort(compareFindings)
}
