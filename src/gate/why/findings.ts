import { anchorLine, compareText, severityRank } from '../../evidence/compare.ts'
import type { Evidence, Finding } from '../../evidence/schema.ts'
import { optional } from '../../kernel/optional.ts'
import { RESULT_SOURCE } from '../checks/check.ts'
import type { GateVerdict } from '../judge-evidence.ts'
import { type GatePolicy, isAtLeast } from '../policy.ts'
import type { Reason } from './explanation.ts'

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** The specification refuses a stage whatever the thresholds are. */
const REFUSAL = 'sdd.policy.blocked'

export const isBlocking = ({ ruleId, severity }: Finding, policy: GatePolicy): boolean =>
  ruleId === REFUSAL || isAtLeast(severity, policy.block_on_or_above)

export const toReason = (finding: Finding, policy: GatePolicy): Reason => {
  const { ruleId, severity, code, message, file, lines, source = '' } = finding
  const line = anchorLine(lines)
  const [fix, fingerprint] = [text(finding.expected_fix), text(finding.fingerprint)]
  return {
    severity,
    code,
    message,
    ...optional({ fix }),
    file,
    ...(line > 0 && { line }),
    rule: ruleId,
    ...(source.startsWith(RESULT_SOURCE) && { check: source.slice(RESULT_SOURCE.length) }),
    ...optional({ fingerprint }),
    ...(finding.safe_edit === true && { safe_edit: true }),
    blocks: isBlocking(finding, policy),
  }
}

export const compareReasons = (a: Reason, b: Reason): number =>
  severityRank(b.severity) - severityRank(a.severity) ||
  // What is wrong with the evidence comes before what it holds.
  Number(a.rule !== undefined) - Number(b.rule !== undefined) ||
  compareText(a.file ?? '', b.file ?? '') ||
  (a.line ?? 0) - (b.line ?? 0) ||
  compareText(a.rule ?? a.code, b.rule ?? b.code) ||
  compareText(a.message, b.message)

const violationReasons = ({ violations }: GateVerdict): Reason[] =>
  violations.map(({ code, severity, message, fix, paths }) => ({
    severity,
    code,
    message,
    fix,
    ...optional({ paths }),
    blocks: true,
  }))

/** That the gate was blocked is explained by the findings that block, where there are some. */
const EXPLAINED_BY_FINDINGS = 'EVIDENCE_GATE_BLOCKED'

/** The reasons of a verdict: its violations, and the findings of a gate that is blocked. */
export const listReasons = (
  verdict: GateVerdict,
  evidence: Evidence | undefined,
  policy: GatePolicy,
): Reason[] => {
  const violations = violationReasons(verdict)
  const isBlocked = violations.some(({ code }) => code === EXPLAINED_BY_FINDINGS)
  const findings = isBlocked ? (evidence?.snapshot.findings ?? []) : []
  const blocking = findings.filter((one) => isBlocking(one, policy)).map((one) => toReason(one, policy))
  const kept = violations.filter(({ code }) => blocking.length === 0 || code !== EXPLAINED_BY_FINDINGS)
  return [...kept, ...blocking].sort(compareReasons)
}

/** Shorter texts are no part of a fingerprint. */
const MIN_PREFIX = 6

/** Whether a finding is the one, is of the rule, or is in the file or folder that a question names. */
export const isAbout = (
  { file, rule, check, fingerprint }: Pick<Reason, 'file' | 'rule' | 'check' | 'fingerprint'>,
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
