import * as z from 'zod'
import { SEVERITIES } from '../evidence/compare.ts'
import { GATE_STAGES } from '../evidence/stage.ts'

/**
 * Output schemas. They describe only the members that an agent needs, because clients put schemas into the context of
 * every conversation. Answers have more members.
 */

const Severity = z.enum(SEVERITIES)
const Status = z.enum(['ALLOWED', 'BLOCKED'])
const stage = z.enum(GATE_STAGES)

export const VerdictSchema = z.looseObject({
  status: Status,
  allowed: z.boolean(),
  stage,
  policy: z.looseObject({ block_on_or_above: Severity }),
  violations: z
    .array(z.looseObject({ code: z.string(), severity: Severity, message: z.string(), fix: z.string() }))
    .readonly(),
  evidence: z.looseObject({ kind: z.enum(['missing', 'invalid', 'valid']), max_age_seconds: z.int() }),
  repo_state: z.looseObject({}),
})

export const CheckSchema = z.looseObject({
  status: Status.describe('Of the change.'),
  stage,
  policy: z.looseObject({ block_on_or_above: Severity }),
  reasons: z
    .array(z.looseObject({ rule: z.string(), severity: Severity, message: z.string(), file: z.string() }))
    .readonly(),
  agents: z.looseObject({
    allowed: z.boolean(),
    reasons: z.array(z.looseObject({ code: z.string(), message: z.string(), fix: z.string() })).readonly(),
  }),
  evidence: z.looseObject({ kind: z.enum(['missing', 'invalid', 'valid']), max_age_seconds: z.int() }),
  repo_state: z.looseObject({}),
})

export const ReportSchema = z.looseObject({
  stage,
  status: Status,
  outcome: z.enum(['PASS', 'WARN', 'BLOCK']),
  source: z.string(),
  files: z.looseObject({ scanned: z.int() }),
  counts: z
    .looseObject({ judged: z.int(), known: z.int(), suppressed: z.int() })
    .describe('Counts of all findings.'),
  findings: z
    .array(
      z.looseObject({
        ruleId: z.string(),
        severity: Severity,
        message: z.string(),
        file: z.string(),
        state: z.enum(['new', 'known', 'suppressed']),
        region: z.looseObject({ line: z.int(), column: z.int() }).optional(),
        fix: z.string().optional(),
      }),
    )
    .readonly()
    .describe('As many as fit into the answer.'),
  evidence: z.unknown().describe('Hash of the written evidence.'),
})
export type ReportSchema = z.infer<typeof ReportSchema>

export const RulesSchema = z.looseObject({
  rules: z
    .array(
      z.looseObject({
        id: z.string(),
        severity: Severity,
        message: z.string(),
        why: z.string().optional(),
        fix: z.string().optional(),
        valid: z.array(z.string()).readonly().optional(),
        invalid: z.array(z.string()).readonly().optional(),
      }),
    )
    .readonly(),
  verdict: z.looseObject({}).optional(),
})
