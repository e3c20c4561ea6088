import * as z from 'zod'
import { GateOutcome, Severity, Stage } from './schema.ts'

/**
 * Output schemas of the tools with the fields a client needs. Other fields of the file are passed through. Kept short,
 * because a model pays tokens for every word.
 */

const count = z.int()
// `nullable` and a bare union become a list of types in JSON Schema, which some model APIs reject.
const orNull = <T extends z.ZodType>(schema: T, what: string) => z.union([schema.describe(what), z.null()])
const text = z.string()

export const EvidenceStatusOutput = z.looseObject({
  status: z
    .enum(['ok', 'degraded'])
    .describe('degraded: there is no valid evidence; do not change anything.'),
  context_api: z.looseObject({}).describe('Endpoints with their filters and limits.'),
  evidence: z
    .looseObject({
      exists: z.boolean(),
      present: z.boolean(),
      valid: z.boolean(),
      version: orNull(text, 'Version of the evidence file.'),
      findings_count: count,
      reason: text.optional().describe('Why the evidence is not valid.'),
      at: text.optional().describe('Path of the first problem in the file.'),
    })
    .describe('Valid evidence: also all counts of the summary.'),
})

const FindingRow = z.looseObject({
  ruleId: text,
  severity: Severity,
  code: text,
  message: text,
  file: text,
})
const PlatformRow = z.looseObject({ platform: text, detected: z.boolean(), confidence: text })

export const SummaryOutput = z.looseObject({
  version: text,
  timestamp: text,
  snapshot: z.looseObject({
    stage: Stage,
    outcome: GateOutcome,
    findings_count: count,
    severity_counts: z.looseObject({}),
    highest_severity: orNull(Severity, 'null: there are no findings.'),
    blocking_findings_count: count.describe('CRITICAL and ERROR.'),
  }),
  platforms: z.array(PlatformRow).describe('The detected platforms.'),
})

export const SnapshotOutput = z.looseObject({
  snapshot: z.looseObject({
    stage: text,
    outcome: text,
    findings_count: count,
    findings: z.array(FindingRow),
    truncated: z.boolean().optional().describe('True: truncated; use evidence_findings to page through all.'),
  }),
})

const page = {
  total_count: count.describe('Items that match the filters.'),
  pagination: z.looseObject({
    offset: z.number(),
    has_more: z.boolean().describe('True: call again with a higher offset.'),
  }),
}

export const FindingsOutput = z.looseObject({ ...page, findings: z.array(FindingRow) })
export const RulesetsOutput = z.looseObject({
  ...page,
  rulesets: z.array(z.looseObject({ platform: text, bundle: text, hash: text })),
})
export const PlatformsOutput = z.looseObject({ ...page, platforms: z.array(PlatformRow) })
export const LedgerOutput = z.looseObject({
  ...page,
  ledger: z.array(z.looseObject({ ruleId: text, file: text, firstSeen: text, lastSeen: text })),
})
