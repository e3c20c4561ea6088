import { anchorLine, compareText, severityRank } from '../../evidence/compare.ts'
import type { Evidence, Finding } from '../../evidence/schema.ts'
import { optional } from '../../kernel/optional.ts'
import { RESULT_SOURCE } from '../checks/check.ts'
import type { Reason } from './explanation.ts'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const toReason = (finding: Finding, blocking: ReadonlySet<unknown>): Reason => {
  const { ruleId, severity, code, message, file, lines, source = '' } = finding
  const line = anchorLine(lines)
  return {
    severity,
    code,
    message,
    ...optional({ fix: text(finding.expected_fix) || undefined }),
    file,
    ...(line > 0 && { line }),
    rule: ruleId,
    ...(source.startsWith(RESULT_SOURCE) && { check: source.slice(RESULT_SOURCE.length) }),
    fingerprint: text(finding.fingerprint),
    ...(finding.safe_edit === true && { safe_edit: true }),
    blocks: blocking.has(finding.fingerprint),
  }
}

export const compareReasons = (a: Reason, b: Reason): number =>
  severityRank(b.severity) - severityRank(a.severity) ||
  compareText(a.file, b.file) ||
  (a.line ?? 0) - (b.line ?? 0) ||
  compareText(a.rule, b.rule) ||
  compareText(a.message, b.message)

/** The findings of the evidence, worst first, with those that the run says block. */
export const listReasons = ({ snapshot }: Evidence): Reason[] => {
  const blocking = new Set<unknown>(Array.isArray(snapshot.reasons) ? snapshot.reasons : [])
  return snapshot.findings.map((one) => toReason(one, blocking)).sort(compareReasons)
}

/** Shorter texts are no part of a fingerprint. */
const MIN_PREFIX = 6

/** Whether a finding is the one, is of the rule, or is in the file or folder that a question names. */
export const isAbout = (
  { file, rule, check, fingerprint }: Partial<Pick<Reason, 'file' | 'rule' | 'check' | 'fingerprint'>>,
  named: string,
): boolean => {
  const path = named.replace(/^\.\//, '').replace(/\/+$/, '')
  return (
    rule === named ||
    check === named ||
    file === path ||
    (file?.startsWith(`${path}/`) ?? false) ||
    (named.length >= MIN_PREFIX && (fingerprint?.startsWith(named) ?? false))
  )
}
