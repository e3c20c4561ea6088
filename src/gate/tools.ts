import * as z from 'zod'
import { defineTool, type Tool } from '../kernel/tool.ts'
import { checkAuditFields, runAuditFields } from './audit-fields.ts'
import { readRange, SCOPES } from './facts/scope.ts'
import type { GateVerdict } from './judge.ts'
import type { Scope } from './ports.ts'
import type { GateReport } from './reports/report.ts'
import type { ExplainRequest, Explanation } from './rules/explain.ts'
import * as shapes from './schemas.ts'
import { GATE_STAGES, type GateStage } from './stage.ts'

/** What the tools ask of the gate, opened when one of them first does. */
export interface GateService {
  readonly check: (stage: GateStage, signal: AbortSignal) => Promise<GateVerdict>
  readonly run: (
    request: { readonly stage: GateStage; readonly scope: Scope | undefined },
    progress: (done: number, total: number) => void,
    signal: AbortSignal,
  ) => Promise<GateReport>
  readonly explain: (request: ExplainRequest) => Promise<Explanation>
}

const stage = z.enum(GATE_STAGES).describe('How far the change has come.')

const Range = z
  .string()
  .regex(/^[^\p{Cc}]+?\.\.[^\p{Cc}]+$/u)
  .max(500)
  // One that cannot be read must not have something else judged in its place.
  .refine((text) => readRange(text) !== undefined, 'must be two commits, such as origin/main..HEAD')

/** As many findings as fit. The counts stay whole, so that nobody takes the part for all of it. */
const fitReport = (report: shapes.ReportSchema, bytes: number): shapes.ReportSchema => {
  let kept = report
  while (kept.findings.length > 0 && Buffer.byteLength(JSON.stringify(kept)) > bytes)
    kept = { ...kept, findings: kept.findings.slice(0, Math.floor(kept.findings.length / 2)) }
  return kept
}

export const gateTools = (service: GateService): readonly Tool[] => [
  defineTool({
    name: 'ai_gate_check',
    title: 'May I act?',
    description:
      'Judges whether work may go on at a stage, by the evidence file, its age and coherence, and the branch checked out. Every violation says how to put it right. Call it before you write.',
    effect: 'read',
    input: z.strictObject({ stage: stage.default('PRE_COMMIT') }),
    output: shapes.VerdictSchema,
    auditFields: checkAuditFields,
    run: async ({ stage: at }, { signal }) => ({ ...(await service.check(at, signal)) }),
  }),
  defineTool({
    name: 'gate_run',
    title: 'Judge the change',
    description:
      'Runs the rules over the change of a stage and replaces the evidence file. Answers with every finding, its place, why it matters and how to repair it. Call it after you have written.',
    effect: 'write',
    idempotent: true,
    input: z.strictObject({
      stage: stage.default('PRE_WRITE'),
      scope: z.enum(SCOPES).optional().describe('Files to judge, instead of those of the stage.'),
      range: Range.optional().describe('Commits to judge, such as origin/main..HEAD. Wins over scope.'),
    }),
    output: shapes.ReportSchema,
    auditFields: runAuditFields,
    truncate: fitReport,
    run: async ({ stage: at, scope, range }, call) => {
      const picked = range === undefined ? scope && { kind: scope } : readRange(range)
      const progress = (done: number, total: number) => call.progress(done, total)
      return { ...(await service.run({ stage: at, scope: picked }, progress, call.signal)) }
    },
  }),
  defineTool({
    name: 'gate_explain',
    title: 'Explain a rule',
    description:
      'Tells what a rule looks for, why, how to repair what it finds, and examples of both. Without a rule: lists all of them.',
    effect: 'read',
    input: z.strictObject({
      rule: z.string().max(200).optional().describe('Id of the rule, as findings have it.'),
    }),
    output: shapes.RulesSchema,
    run: async ({ rule }) => ({ ...(await service.explain({ rule })) }),
  }),
]
