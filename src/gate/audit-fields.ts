import type { JsonObject } from '../kernel/encoding/json.ts'

interface CheckAnswer {
  readonly stage: string
  readonly status: string
  readonly violations: readonly { readonly code: string }[]
  readonly evidence: { readonly kind: string }
}

/** The audit fields of `ai_gate_check`: the verdict, never the contents of the repository. */
export const checkAuditFields = ({ stage, status, violations, evidence }: CheckAnswer): JsonObject => ({
  stage,
  status,
  evidence: evidence.kind,
  codes: violations.map(({ code }) => code),
})

/** The audit fields of an enterprise tool's envelope; undefined when it holds no verdict of the gate. */
export const envelopeAuditFields = ({ result }: { readonly result: object }): JsonObject | undefined =>
  'violations' in result ? checkAuditFields(result as CheckAnswer) : undefined

const MAX_POLICY_FILES = 20

/** The policy files that the judged change alters, as far as findings name them. */
const changedPolicy = (
  findings: readonly { readonly ruleId: string; readonly file: string }[] = [],
): string[] => [
  ...new Set(findings.filter(({ ruleId }) => ruleId === 'gate.policy-changed').map(({ file }) => file)),
]

/** The fields of a gate run in the audit log. */
export const runAuditFields = (report: {
  readonly stage: string
  readonly status: string
  readonly outcome: string
  readonly source: string
  readonly counts: { readonly judged: number }
  readonly policy_from?: unknown
  readonly evidence?: unknown
  readonly findings?: readonly { readonly ruleId: string; readonly file: string }[]
}): JsonObject => {
  const policy = changedPolicy(report.findings).slice(0, MAX_POLICY_FILES)
  return {
    stage: report.stage,
    status: report.status,
    outcome: report.outcome,
    source: report.source,
    findings: report.counts.judged,
    ...(report.policy_from === 'worktree' && { policy_from: report.policy_from }),
    ...(policy.length > 0 && { policy_changed: policy }),
    evidence: typeof report.evidence === 'string' ? report.evidence : null,
  }
}
