import { compareText } from '../../evidence/compare.ts'
import type { GateOutcome, Platform, Ruleset, Severity } from '../../evidence/schema.ts'
import { SEVERITIES } from '../../evidence/severities.ts'
import type { GatePolicy } from '../policy.ts'
import type { AppliedOverride } from '../rules/severity-overrides.ts'
import type { GateStage } from '../stage.ts'

/** Lines and columns count from 1, columns in UTF-16 code units; the end is exclusive. */
export type Region = {
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

export type GateFinding = {
  readonly ruleId: string
  readonly severity: Severity
  readonly code: string
  readonly message: string
  readonly file: string
  /** Absent where the finding is about a file, or about none. */
  readonly region?: Region
  /** `new` ones are judged; `known` ones are in the baseline; `suppressed` ones a comment speaks for. */
  readonly state: 'new' | 'known' | 'suppressed'
  /** What the suppressing comment says. */
  readonly reason?: string
  readonly why?: string
  readonly fix?: string
  readonly matchedBy: string
  readonly source: string
  /** Stays the same while lines move and files are renamed. */
  readonly fingerprint: string
}

type Counts = {
  readonly judged: number
  readonly known: number
  readonly suppressed: number
  readonly by_severity: Readonly<Record<Severity, number>>
}

/** What a run of the gate came to, as it is printed and told. */
export interface GateReport {
  readonly stage: GateStage
  readonly status: 'ALLOWED' | 'BLOCKED'
  readonly outcome: GateOutcome
  /** Where the files came from: `git:staged`, `git:range:<from>..<to>`, `git:worktree`, `git:repository`. */
  readonly source: string
  readonly policy: GatePolicy
  readonly files: { readonly changed: number; readonly scanned: number }
  readonly counts: Counts
  readonly findings: readonly GateFinding[]
  readonly platforms: Readonly<Record<string, Platform>>
  readonly rulesets: readonly Ruleset[]
  /** Rules of ours that weigh something else here; absent when there are none. */
  readonly reweighed?: readonly AppliedOverride[]
  /** What the baseline did; absent without one. */
  readonly baseline?: { readonly path: string; readonly digest: string; readonly known: number }
  /** Hash of the evidence that was written; null when none was. */
  readonly evidence: string | null
}

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
  readonly shadowed: readonly GateFinding[]
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

export const countFindings = (findings: readonly GateFinding[]): Counts => {
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
