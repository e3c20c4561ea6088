import type { JsonObject } from '../kernel/encoding/json.ts'

/** What the audit trail keeps of a look at the evidence: what was told, never the repository. */
export const checkAuditFields = (told: {
  readonly stage: string
  readonly status: string
  readonly violations: readonly { readonly code: string }[]
  readonly evidence: { readonly kind: string }
  readonly allowed?: boolean
}): JsonObject => ({
  stage: told.stage,
  status: told.status,
  evidence: told.evidence.kind,
  codes: told.violations.map(({ code }) => code),
})

/** The same of a run over the files. */
export const runAuditFields = (report: {
  readonly stage: string
  readonly status: string
  readonly outcome: string
  readonly source: string
  readonly counts: { readonly judged: number }
  readonly evidence?: unknown
}): JsonObject => ({
  stage: report.stage,
  status: report.status,
  outcome: report.outcome,
  source: report.source,
  findings: report.counts.judged,
  evidence: typeof report.evidence === 'string' ? report.evidence : null,
})
