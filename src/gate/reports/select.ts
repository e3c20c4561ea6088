import { compareText, SEVERITIES } from '../../evidence/compare.ts'
import type { Severity } from '../../evidence/schema.ts'
import { pushTo } from '../../kernel/multimap.ts'
import { isAtLeast } from '../policy.ts'
import { comparePlaces, type GateFinding, type GateReport } from './report.ts'

export interface FindingLimits {
  /** Show findings from this severity on. Default: WARN, or what blocks if that is less severe. */
  readonly severity?: Severity | undefined
  /** The number of findings to show. */
  readonly max?: number | undefined
}

export interface SelectedFindings {
  /** The worst ones, in the order of severity. */
  readonly shown: readonly GateFinding[]
  /** Left out because of the number. */
  readonly cut: readonly GateFinding[]
  /** Less severe than `from`. */
  readonly below: readonly GateFinding[]
  readonly from: Severity
}

/** How many findings a reader gets without asking for more. */
const DEFAULT_MAX_FINDINGS = 50

const rank = ({ severity }: Pick<GateFinding, 'severity'>): number => SEVERITIES.indexOf(severity)

const compareSeverities = (a: GateFinding, b: GateFinding): number => rank(b) - rank(a) || comparePlaces(a, b)

/** Worst first; of one severity the first finding of every rule, then the second: a frequent rule must not hide a rare one. */
const sortForCut = (findings: readonly GateFinding[]): GateFinding[] => {
  const seen = new Map<string, number>()
  const places = new Map<GateFinding, number>()
  for (const finding of findings.toSorted(comparePlaces)) {
    const nth = seen.get(finding.ruleId) ?? 0
    seen.set(finding.ruleId, nth + 1)
    places.set(finding, nth)
  }
  const nthOf = (finding: GateFinding) => places.get(finding) ?? 0
  return findings.toSorted((a, b) => rank(b) - rank(a) || nthOf(a) - nthOf(b) || comparePlaces(a, b))
}

/** The judged findings that a report for people shows, worst first. */
export const selectFindings = (
  { findings, policy }: Pick<GateReport, 'findings' | 'policy'>,
  { severity, max = DEFAULT_MAX_FINDINGS }: FindingLimits,
): SelectedFindings => {
  const from = severity ?? (isAtLeast(policy.block_on_or_above, 'WARN') ? 'WARN' : policy.block_on_or_above)
  const judged = findings.filter(({ state }) => state === 'new')
  const sorted = sortForCut(judged.filter((one) => isAtLeast(one.severity, from)))
  return {
    shown: sorted.slice(0, max).sort(compareSeverities),
    cut: sorted.slice(max),
    below: judged.filter((one) => !isAtLeast(one.severity, from)),
    from,
  }
}

/** Findings by file. The file with the worst finding comes first; in a file, findings are in the order of the text. */
export const groupByFile = (
  worstFirst: readonly GateFinding[],
): readonly (readonly [string, readonly GateFinding[]])[] => {
  const files = new Map<string, GateFinding[]>()
  for (const finding of worstFirst) pushTo(files, finding.file, finding)
  return [...files].map(([file, findings]) => [file, findings.sort(comparePlaces)])
}

/** The number of findings of each rule, worst first. */
export const countByRule = (findings: readonly GateFinding[]) => {
  const rules = new Map<string, { ruleId: string; severity: Severity; findings: number }>()
  for (const { ruleId, severity } of findings) {
    const row = rules.get(ruleId) ?? { ruleId, severity, findings: 0 }
    rules.set(ruleId, { ...row, findings: row.findings + 1 })
  }
  return [...rules.values()].sort(
    (a, b) => rank(b) - rank(a) || b.findings - a.findings || compareText(a.ruleId, b.ruleId),
  )
}

/** The report with the findings that options ask for; its counts still cover all. */
export const limitFindings = (report: GateReport, { severity, max }: FindingLimits): GateReport => {
  if (severity === undefined && max === undefined) return report
  const { shown } = selectFindings(report, {
    severity: severity ?? 'INFO',
    max: max ?? Number.POSITIVE_INFINITY,
  })
  const kept = new Set(shown)
  const findings = report.findings.filter((one) => kept.has(one))
  return { ...report, findings, not_shown: report.findings.length - findings.length }
}
