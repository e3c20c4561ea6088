import type { FindingLines, LedgerEntry, Severity } from './schema.ts'

/** Separate from `schema.ts`, so that code that needs only the names does not load zod. */

/** Least severe first: the index is the rank. */
export const SEVERITIES = ['INFO', 'WARN', 'ERROR', 'CRITICAL'] as const

/** Highest first. */
export const CONFIDENCES = ['HIGH', 'MEDIUM', 'LOW'] as const

/** By UTF-16 code units, independent of the locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const severityRank = (severity: Severity): number => SEVERITIES.indexOf(severity)

export const highestSeverity = (all: Iterable<{ readonly severity: Severity }>): Severity | null => {
  let highest = -1
  for (const { severity } of all) highest = Math.max(highest, severityRank(severity))
  return SEVERITIES[highest] ?? null
}

/** The line numbers in `lines`, in their order. A text such as `10-12` has two. */
const numbersIn = (lines: FindingLines | undefined): readonly number[] => {
  if (lines === undefined) return []
  if (typeof lines === 'number') return [lines]
  return typeof lines === 'string' ? (lines.match(/\d+/g) ?? []).map(Number) : lines
}

/** The first line of a finding; 0 when it has none. */
export const anchorLine = (lines: FindingLines | undefined): number => {
  const numbers = numbersIn(lines)
  const line =
    typeof lines === 'string' ? (numbers[0] ?? 0) : numbers.reduce((a, b) => Math.min(a, b), Infinity)
  return Number.isFinite(line) ? Math.max(0, Math.trunc(line)) : 0
}

/** The part of a finding's identity that stands for `lines`; empty when there are none. */
export const linesKey = (lines: FindingLines | undefined): string =>
  lines === undefined ? '' : String(lines)

/** Numeric order; findings without lines come first. */
const compareLines = (a: FindingLines | undefined, b: FindingLines | undefined): number => {
  const left = numbersIn(a)
  const right = numbersIn(b)
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const apart = (left[at] ?? 0) - (right[at] ?? 0)
    if (apart !== 0) return apart
  }
  return left.length - right.length || compareText(linesKey(a), linesKey(b))
}

interface FindingLocation {
  readonly ruleId: string
  readonly file: string
  readonly lines?: FindingLines | undefined
}

const compareLocations = (a: FindingLocation, b: FindingLocation): number =>
  compareText(a.ruleId, b.ruleId) || compareText(a.file, b.file) || compareLines(a.lines, b.lines)

interface ListedFinding extends FindingLocation {
  readonly code: string
  readonly severity: Severity
  readonly message: string
}

export const compareFindings = (a: ListedFinding, b: ListedFinding): number =>
  compareLocations(a, b) ||
  compareText(a.code, b.code) ||
  compareText(a.severity, b.severity) ||
  compareText(a.message, b.message)

export const compareLedger = (a: LedgerEntry, b: LedgerEntry): number =>
  compareLocations(a, b) || compareText(a.firstSeen, b.firstSeen) || compareText(a.lastSeen, b.lastSeen)

/** Compares by the fields in the given order. */
export const compareFields =
  <const K extends string>(fields: readonly K[]) =>
  <T extends Readonly<Record<K, string>>>(a: T, b: T): number => {
    for (const field of fields) {
      const order = compareText(a[field], b[field])
      if (order !== 0) return order
    }
    return 0
  }
