import * as z from 'zod'
import { compareText } from '../evidence/order.ts'
import { Outcome, Platform, Ruleset, SEVERITIES, Severity } from '../evidence/schema.ts'
import { PolicyView } from './policy.ts'
import { GATE_STAGES } from './stage.ts'

/** Lines and columns count from 1, columns in UTF-16 code units; the end is exclusive. */
const Region = z.object({
  line: z.int().positive(),
  column: z.int().positive(),
  endLine: z.int().positive(),
  endColumn: z.int().positive(),
})
export type Region = z.infer<typeof Region>

/** `new` ones are judged; `known` ones are in the baseline; `suppressed` ones a comment speaks for. */
const FindingState = z.enum(['new', 'known', 'suppressed'])

export const GateFinding = z.object({
  ruleId: z.string(),
  severity: Severity,
  code: z.string(),
  message: z.string(),
  file: z.string(),
  /** Absent where the finding is about a file, or about none. */
  region: Region.optional(),
  state: FindingState,
  /** What the suppressing comment says. */
  reason: z.string().optional(),
  why: z.string().optional(),
  fix: z.string().optional(),
  matchedBy: z.string(),
  source: z.string(),
  /** Stays the same while lines move and files are renamed. */
  fingerprint: z.string(),
})
export type GateFinding = z.infer<typeof GateFinding>

const Counts = z.object({
  judged: z.int(),
  known: z.int(),
  suppressed: z.int(),
  by_severity: z.object({ CRITICAL: z.int(), ERROR: z.int(), WARN: z.int(), INFO: z.int() }),
})

export const GateReport = z.object({
  stage: z.enum(GATE_STAGES),
  status: z.enum(['ALLOWED', 'BLOCKED']),
  outcome: Outcome,
  /** Where the files came from: `git:staged`, `git:range:<from>..<to>`, `git:worktree`, `git:repository`. */
  source: z.string(),
  policy: PolicyView,
  files: z.object({ changed: z.int(), scanned: z.int() }),
  counts: Counts,
  findings: z.array(GateFinding),
  platforms: z.record(z.string(), Platform),
  rulesets: z.array(Ruleset),
  /** What the baseline did; absent without one. */
  baseline: z.object({ path: z.string(), digest: z.string(), known: z.int() }).optional(),
  /** Digest of the evidence that was written; null when none was. */
  evidence: z.string().nullable(),
})
export type GateReport = z.infer<typeof GateReport>

/** A few lines around a finding, to be shown. Never part of what is stored. */
export interface Excerpt {
  /** Number of the first line. */
  readonly first: number
  readonly lines: readonly string[]
}

/** What one run of the gate gives to whoever shows it. */
export interface GateRun {
  readonly report: GateReport
  readonly excerpts: ReadonlyMap<GateFinding, Excerpt>
  /** Findings left out of the report because a weightier rule speaks of the same place. */
  readonly outweighed: readonly GateFinding[]
}

const START: Region = { line: 0, column: 0, endLine: 0, endColumn: 0 }

/** By file, then by place, then by rule. */
export const comparePlaces = (a: GateFinding, b: GateFinding): number => {
  const [left, right] = [a.region ?? START, b.region ?? START]
  return (
    compareText(a.file, b.file) ||
    left.line - right.line ||
    left.column - right.column ||
    compareText(a.ruleId, b.ruleId) ||
    left.endLine - right.endLine ||
    left.endColumn - right.endColumn ||
    compareText(a.message, b.message)
  )
}

export const countFindings = (findings: readonly GateFinding[]): z.infer<typeof Counts> => {
  const judged = findings.filter(({ state }) => state === 'new')
  const bySeverity = (severity: Severity) => judged.filter((one) => one.severity === severity).length
  return {
    judged: judged.length,
    known: findings.filter(({ state }) => state === 'known').length,
    suppressed: findings.filter(({ state }) => state === 'suppressed').length,
    by_severity: {
      CRITICAL: bySeverity('CRITICAL'),
      ERROR: bySeverity('ERROR'),
      WARN: bySeverity('WARN'),
      INFO: bySeverity('INFO'),
    },
  }
}

/** Severities from the worst down, with how many there are of each that occurs. */
export const worstFirst = (counts: Readonly<Record<Severity, number>>): [Severity, number][] =>
  SEVERITIES.toReversed().flatMap((severity) =>
    counts[severity] > 0 ? [[severity, counts[severity]] as [Severity, number]] : [],
  )

/** The report without what was known or suppressed; its counts still tell of them. */
export const onlyNew = (report: GateReport): GateReport => ({
  ...report,
  findings: report.findings.filter(({ state }) => state === 'new'),
})
