import type { Severity } from '../../evidence/schema.ts'
import type { FileSuppression } from '../findings/collect.ts'
import type { FindingDraft } from '../findings/drafts.ts'
import { CHECKS_FILE, type Check, type CheckScope, RESULT_SOURCE } from './check.ts'
import { checkRegion, oneLine } from './check-problems.ts'
import { type CheckOutput, type CheckResult, severityOfLevel } from './readers/reader.ts'

const MAX_RULE = 200
const MAX_MESSAGE = 2_000

/** Which places the change touched. */
export interface TouchedPlaces {
  readonly file: (path: string) => boolean
  readonly lines: (path: string, place: { readonly line: number; readonly endLine: number }) => boolean
}

const isCounted = ({ file, region }: CheckResult, only: CheckScope, touched: TouchedPlaces): boolean => {
  // A result about no file cannot be said to be outside of the change.
  if (only === 'all' || file === undefined) return true
  return only === 'changed-lines' && region !== undefined ? touched.lines(file, region) : touched.file(file)
}

const severityOf = (check: Check, { level }: CheckResult): Severity | 'OFF' =>
  check.severity[level] ?? severityOfLevel(level)

/** Where results without a file are shown. */
interface ResultOrigin {
  readonly check: Check
  /** The file that the results were imported from; undefined when the check was run. */
  readonly imported: string | undefined
}

const toDraft = (
  { check, imported }: ResultOrigin,
  result: CheckResult,
  severity: Severity,
): FindingDraft => {
  const { rule, message, file, region, help } = result
  const text = oneLine(message, MAX_MESSAGE)
  const place = file === undefined ? { region: checkRegion(check) } : region && { region }
  return {
    ruleId: `${check.name}/${oneLine(rule, MAX_RULE).replaceAll(' ', '-')}`,
    severity,
    code: 'CHECK_RESULT',
    message: text,
    ...(file === undefined ? { file: imported ?? CHECKS_FILE } : { file }),
    ...(imported !== undefined && file === undefined ? {} : place),
    ...(help !== undefined && { why: oneLine(help, MAX_MESSAGE) }),
    matchedBy: 'Check',
    source: `${RESULT_SOURCE}${check.name}`,
    text,
  }
}

interface CountedResults {
  readonly drafts: readonly FindingDraft[]
  /** Results outside of the change, which `only` leaves out. */
  readonly outside: number
}

/** The results of a check as findings. */
export const resultDrafts = (
  origin: ResultOrigin,
  { results }: Pick<CheckOutput, 'results'>,
  touched: TouchedPlaces,
): CountedResults => {
  const { check } = origin
  const counted = results.filter((result) => isCounted(result, check.only, touched))
  return {
    drafts: counted.flatMap((result) => {
      const severity = severityOf(check, result)
      return severity === 'OFF' ? [] : [toDraft(origin, result, severity)]
    }),
    outside: results.length - counted.length,
  }
}

/** Findings with the suppression comments of their files applied: a comment names a rule as `check/rule`. */
export const suppressResults = (
  drafts: readonly FindingDraft[],
  suppressions: readonly FileSuppression[],
): FindingDraft[] => {
  const find = ({ ruleId, file, region }: FindingDraft) =>
    suppressions.find(
      ({ file: path, suppression: { ids, line } }) =>
        path === file && ids.includes(ruleId) && (line === undefined || line === region?.line),
    )
  return drafts.map((draft) => {
    const found = draft.source.startsWith(RESULT_SOURCE) ? find(draft) : undefined
    return found === undefined ? draft : { ...draft, suppressed: found.suppression.reason }
  })
}
