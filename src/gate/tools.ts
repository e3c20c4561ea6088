import * as z from 'zod'
import type { JsonObject } from '../kernel/json.ts'
import { defineTool, type Tool } from '../kernel/tool.ts'
import { type ExplainRequest, Explanation } from './explain.ts'
import { GateVerdict } from './judge.ts'
import type { Scope } from './ports.ts'
import { GateReport } from './report.ts'
import { GATE_STAGES, type GateStage } from './stage.ts'

/** What the tools ask of the gate, opened when one of them first does. */
export interface GateDoor {
  readonly check: (stage: GateStage, signal: AbortSignal) => Promise<GateVerdict>
  readonly run: (
    request: { readonly stage: GateStage; readonly scope: Scope | undefined },
    progress: (done: number, total: number) => void,
    signal: AbortSignal,
  ) => Promise<GateReport>
  readonly explain: (request: ExplainRequest) => Promise<Explanation>
}

const stage = z.enum(GATE_STAGES).describe('How far the change has come.')

/** How the files to judge can be named on the command line and by agents. */
export const SCOPES = ['staged', 'worktree', 'repository'] as const
const Range = z
  .string()
  .regex(/^[^\p{Cc}]+?\.\.[^\p{Cc}]+$/u)
  .max(500)

/** `A..B`, or `A...B` for those who are used to it: what B brought since it parted from A. */
export const readRange = (text: string): Scope | undefined => {
  const [, from, to] = /^(.+?)\.{2,3}([^.].*)$/.exec(text) ?? []
  return from === undefined || to === undefined ? undefined : { kind: 'range', from, to }
}

export const checkVerdict = ({ stage: at, status, violations, evidence }: GateVerdict): JsonObject => ({
  stage: at,
  status,
  evidence: evidence.kind,
  codes: violations.map(({ code }) => code),
})

export const runVerdict = (report: GateReport): JsonObject => ({
  stage: report.stage,
  status: report.status,
  outcome: report.outcome,
  source: report.source,
  findings: report.counts.judged,
  evidence: report.evidence,
})

/** As many findings as fit. The counts stay whole, so that nobody takes the part for all of it. */
const fitReport = (report: GateReport, bytes: number): GateReport => {
  const kept = { ...report, findings: [...report.findings] }
  while (kept.findings.length > 0 && Buffer.byteLength(JSON.stringify(kept)) > bytes)
    kept.findings.length = Math.floor(kept.findings.length / 2)
  return kept
}

export const gateTools = (door: GateDoor): readonly Tool[] => [
  defineTool({
    name: 'ai_gate_check',
    title: 'May I act?',
    description:
      'Judges whether work may go on at a stage, by the evidence file, its age and coherence, and the branch checked out. Every violation says how to put it right. Call it before you write.',
    effect: 'read',
    input: z.strictObject({ stage: stage.default('PRE_COMMIT') }),
    output: GateVerdict,
    verdict: checkVerdict,
    run: ({ stage: at }, { signal }) => door.check(at, signal),
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
    output: GateReport,
    verdict: runVerdict,
    fit: fitReport,
    run: ({ stage: at, scope, range }, call) => {
      const picked = range === undefined ? scope && { kind: scope } : readRange(range)
      return door.run({ stage: at, scope: picked }, (done, total) => call.progress(done, total), call.signal)
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
    output: Explanation,
    run: ({ rule }) => door.explain({ rule }),
  }),
]
