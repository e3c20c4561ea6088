import { compareText, highestSeverity } from './compare.ts'
import { platformOf } from './path-platform.ts'
import type { Evidence, Finding, Suppressed } from './schema.ts'
import { SEVERITIES } from './severities.ts'

/** Counts over the evidence. */

const distinct = <T>(all: readonly T[], of: (one: T) => unknown): number => new Set(all.map(of)).size

/** Number of items by key, sorted by key. */
const countBy = <T>(all: readonly T[], of: (one: T) => string): Record<string, number> => {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(of(one), (counts.get(of(one)) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => compareText(a, b)))
}

const hasLines = ({ lines }: Finding): boolean => Array.isArray(lines) && lines.length > 0

const severityCounts = (findings: readonly Finding[]): Record<string, number> => {
  const counts = countBy(findings, ({ severity }) => severity)
  const present = SEVERITIES.toReversed().filter((severity) => counts[severity] !== undefined)
  return Object.fromEntries(present.map((severity) => [severity, counts[severity] ?? 0]))
}

export const snapshotCounts = (findings: readonly Finding[]) => {
  const lined = findings.filter(hasLines).length
  return {
    has_findings: findings.length > 0,
    findings_count: findings.length,
    findings_files_count: distinct(findings, ({ file }) => file),
    findings_rules_count: distinct(findings, ({ ruleId }) => ruleId),
    findings_with_lines_count: lined,
    findings_without_lines_count: findings.length - lined,
    severity_counts: severityCounts(findings),
    findings_by_platform: countBy(findings, ({ file }) => platformOf(file)),
    highest_severity: highestSeverity(findings),
    blocking_findings_count: findings.filter(({ severity }) => ['CRITICAL', 'ERROR'].includes(severity))
      .length,
  }
}

/** The rule that replaced a suppressed one. Older files have only `replacedByRuleId`; null and '' mean none. */
const replacementOf = ({ replacementRuleId, replacedByRuleId }: Suppressed): string | null =>
  replacementRuleId === undefined ? replacedByRuleId : replacementRuleId

const isReplaced = (one: Suppressed): boolean => Boolean(replacementOf(one))

type SuppressedCount = (all: readonly Suppressed[], findings: number) => number

const SUPPRESSED_COUNTS: Readonly<Record<string, SuppressedCount>> = {
  suppressed_findings_count: (all) => all.length,
  suppressed_rules_count: (all) => distinct(all, ({ ruleId }) => ruleId),
  suppressed_files_count: (all) => distinct(all, ({ file }) => file),
  suppressed_platforms_count: (all) =>
    distinct(all, ({ platform, file, ruleId }) => platform ?? platformOf(file, ruleId)),
  suppressed_reasons_count: (all) => distinct(all, ({ reason }) => reason),
  /** Counts '' as a rule id, as existing readers expect. */
  suppressed_replacement_rules_count: (all) =>
    distinct(
      all.filter((one) => replacementOf(one) !== null),
      replacementOf,
    ),
  suppressed_with_replacement_count: (all) => all.filter(isReplaced).length,
  suppressed_without_replacement_count: (all) => all.length - all.filter(isReplaced).length,
  /** Share of all findings, in whole percent. */
  suppressed_finding_coverage_ratio_pct: (all, findings) =>
    all.length === 0 ? 0 : Math.round((all.length * 100) / (all.length + findings)),
}

const suppressedCounts = (all: readonly Suppressed[], findings: number): Record<string, number> =>
  Object.fromEntries(Object.entries(SUPPRESSED_COUNTS).map(([name, count]) => [name, count(all, findings)]))

/** All counts but those of the snapshot. The rulesets must be sorted: the fingerprint depends on their order. */
export const evidenceCounts = ({ ledger, rulesets, platforms, consolidation, snapshot }: Evidence) => {
  const tracked = Object.values(platforms)
  const detected = tracked.filter((platform) => platform.detected).length
  return {
    ledger_count: ledger.length,
    ledger_files_count: distinct(ledger, ({ file }) => file),
    ledger_rules_count: distinct(ledger, ({ ruleId }) => ruleId),
    ledger_by_platform: countBy(ledger, ({ file }) => platformOf(file)),
    rulesets_count: rulesets.length,
    rulesets_platforms_count: distinct(rulesets, ({ platform }) => platform),
    rulesets_bundles_count: distinct(rulesets, ({ bundle }) => bundle),
    rulesets_hashes_count: distinct(rulesets, ({ hash }) => hash),
    rulesets_by_platform: countBy(rulesets, ({ platform }) => platform),
    rulesets_fingerprint: rulesets.map(({ hash }) => hash).join('|'),
    platform_confidence_counts: countBy(tracked, ({ confidence }) => confidence),
    ...suppressedCounts(consolidation?.suppressed ?? [], snapshot.findings.length),
    tracked_platforms_count: tracked.length,
    detected_platforms_count: detected,
    non_detected_platforms_count: tracked.length - detected,
  }
}
