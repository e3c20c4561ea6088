import * as z from 'zod'
import { GateOutcome, Severity, Stage } from './schema.ts'

/**
 * What the tools answer, by the parts a client works with; all else that a file holds is passed on beside them.
 * Models pay for every word of it, so nothing is named that the schema of the file says already.
 */

const count = z.int()
// Neither `nullable` nor a bare union: they are written as a list of types, which some model APIs refuse.
const orNull = <T extends z.ZodType>(schema: T, what: string) => z.union([schema.describe(what), z.null()])
const text = z.string()

export const StatusShape = z.looseObject({
  status: z.enum(['ok', 'degraded']).describe('Degraded: there is no valid evidence; do not act.'),
  context_api: z.looseObject({}).describe('What can be asked, with which filters and bounds.'),
  evidence: z
    .looseObject({
      exists: z.boolean(),
      present: z.boolean(),
      valid: z.boolean(),
      version: orNull(text, 'The version the file claims.'),
      findings_count: count,
      reason: text.optional().describe('Why it is not valid.'),
      at: text.optional().describe('Path of the first problem in it.'),
    })
    .describe('With valid evidence also every figure of the summary.'),
})

const FindingRow = z.looseObject({
  ruleId: text,
  severity: Severity,
  code: text,
  message: text,
  file: text,
})
const PlatformRow = z.looseObject({ platform: text, detected: z.boolean(), confidence: text })

export const SummaryShape = z.looseObject({
  version: text,
  timestamp: text,
  snapshot: z.looseObject({
    stage: Stage,
    outcome: GateOutcome,
    findings_count: count,
    severity_counts: z.looseObject({}),
    highest_severity: orNull(Severity, 'Null: there are no findings.'),
    blocking_findings_count: count.describe('CRITICAL and ERROR.'),
  }),
  platforms: z.array(PlatformRow).describe('The detected ones.'),
})

export const SnapshotShape = z.looseObject({
  snapshot: z.looseObject({
    stage: text,
    outcome: text,
    findings_count: count,
    findings: z.array(FindingRow),
    truncated: z.boolean().optional().describe('True: cut to size; page through evidence_findings.'),
  }),
})

const page = {
  total_count: count.describe('Items that pass the filters.'),
  pagination: z.looseObject({
    offset: z.number(),
    has_more: z.boolean().describe('Ask again from offset plus the items you got.'),
  }),
}

export const FindingsShape = z.looseObject({ ...page, findings: z.array(FindingRow) })
export const RulesetsShape = z.looseObject({
  ...page,
  rulesets: z.array(z.looseObject({ platform: text, bundle: text, hash: text })),
})
export const PlatformsShape = z.looseObject({ ...page, platforms: z.array(PlatformRow) })
export const LedgerShape = z.looseObject({
  ...page,
  ledger: z.array(z.looseObject({ ruleId: text, file: text, firstSeen: text, lastSeen: text })),
})
