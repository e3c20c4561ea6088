import { compareText, SEVERITIES } from '../../evidence/compare.ts'
import type { GateOutcome, Platform, Ruleset, Severity } from '../../evidence/schema.ts'
import type { GateStage } from '../../evidence/stage.ts'
import type { GatePolicy } from '../policy.ts'
import type { RuleProfile } from '../rules/profile.ts'
import type { AppliedOverride } from '../rules/severity-overrides.ts'
import type { GateCitation } from './citations.ts'

/** Lines and columns count from 1, columns in UTF-16 code units; the end is exclusive. */
export type Region = {
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

/** A repair: the text that replaces a range. `safe` ones keep the meaning of the program and can be applied unseen. */
export type Edit = {
  readonly range: Region
  readonly text: string
  readonly safe: boolean
}

export type GateFinding = {
  readonly ruleId: string
  readonly severity: Severity
  readonly code: string
  readonly message: string
  readonly file: string
  /** Absent when the finding is about a whole file, or about no file. */
  readonly region?: Region
  /** `new` findings are judged; the base has the `known` ones; `suppressed` ones are accepted with a reason. */
  readonly state: 'new' | 'known' | 'suppressed'
  /** The reason that accepts it. */
  readonly reason?: string
  /** Further names of the rule. */
  readonly aliases?: readonly string[]
  readonly why?: string
  readonly fix?: string
  readonly category?: string
  /** The rule is about secrets. */
  readonly secret?: boolean
  /** The weakness in the Common Weakness Enumeration, such as `CWE-89`. */
  readonly cwe?: string
  /** The edit that repairs it, if the rule has one. */
  readonly edit?: Edit
  readonly matchedBy: string
  readonly source: string
  /** The id of the commit that brought it, if no verdict that allowed covers that commit. Known for `--all` alone. */
  readonly entered?: string
  /** Stays the same when lines move or files are renamed. */
  readonly fingerprint: string
}

type Counts = {
  readonly judged: number
  readonly known: number
  readonly suppressed: number
  readonly by_severity: Readonly<Record<Severity, number>>
}

/** What became of one check. Times and hits of the cache differ between runs, so the evidence leaves them out. */
export interface CheckRow {
  readonly name: string
  /** Whether it was run here, or its results were imported. */
  readonly origin: 'run' | 'imported'
  /** The file that was imported. */
  readonly file?: string
  readonly outcome:
    | 'clean'
    | 'results'
    | 'skipped'
    | 'not-allowed'
    | 'missing'
    | 'unreadable'
    | 'timeout'
    | 'failed'
  readonly results: number
  /** Results outside of the change, which do not count. */
  readonly outside?: number
  /** Results beyond the limit. */
  readonly omitted?: number
  readonly tool?: string | undefined
  readonly version?: string | undefined
  /** Digest of what was read. */
  readonly digest?: string
  /** Who allowed it: a person on this machine, or an option of this run. */
  readonly consent?: 'user' | 'option'
  readonly cached?: boolean
  readonly duration_ms?: number
}

/** Which files were looked at, and why others were not. */
export type ReportedFiles = {
  readonly changed: number
  readonly scanned: number
  /** Changed files that no rule applies to but those about every text. */
  readonly unmatched: number
  /** How many files the rules of each pack read. */
  readonly packs?: Readonly<Record<string, number>>
  /** Binary files and those above 16 MiB were not read; generated and vendored ones were read for secrets alone. */
  readonly skipped?: Readonly<Record<'binary' | 'generated' | 'vendored' | 'too_large', number>> & {
    /** Read as text alone, because the grammar is not installed. Absent where there are none. */
    readonly no_grammar?: number
  }
}

/** The result of a gate run, as commands and tools return it. */
export interface GateReport {
  readonly stage: GateStage
  readonly status: 'ALLOWED' | 'BLOCKED'
  readonly outcome: GateOutcome
  /** Where the files came from: `git:staged`, `git:range:<from>..<to>`, `git:worktree`, `git:repository`. */
  readonly source: string
  readonly policy: GatePolicy
  /** Present when the policy of the base did not count. */
  readonly policy_from?: 'worktree'
  /** The commit whose policy was joined with that of the change; absent without one. */
  readonly policy_base?: string
  readonly files: ReportedFiles
  readonly counts: Counts
  readonly findings: readonly GateFinding[]
  /** Present when options limit the findings: how many were left out. */
  readonly not_shown?: number
  /** Present when paths limit the files that were judged. Such a run leaves no evidence. */
  readonly paths?: readonly string[]
  readonly platforms: Readonly<Record<string, Platform>>
  readonly rulesets: readonly Ruleset[]
  /** Absent for the default profile. */
  readonly profile?: RuleProfile
  /** Severity overrides in force; absent when there are none. */
  readonly reweighed?: readonly AppliedOverride[]
  /** Absent when the stage asks for no check and nothing was imported. */
  readonly checks?: readonly CheckRow[]
  /** Passages of packets that the change rests on; absent when none was cited. */
  readonly citations?: readonly GateCitation[]
  /** What a reader has to know besides the findings; absent when there is nothing. */
  readonly notes?: readonly string[]
  /** Hash of the written evidence; null when none was written. */
  readonly evidence: string | null
}

/** A few lines around a finding, for display. Never stored. */
export interface Excerpt {
  /** Number of the first line. */
  readonly first: number
  readonly lines: readonly string[]
}

/** A report with what is needed to display it. */
export interface GateRun {
  readonly report: GateReport
  readonly excerpts: ReadonlyMap<GateFinding, Excerpt>
}

const START: Region = { line: 0, column: 0, endLine: 0, endColumn: 0 }

/** Compares by file, then position, then rule. */
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

export const countSeverities = (findings: readonly { readonly severity: Severity }[]) => {
  const counts: Record<Severity, number> = { CRITICAL: 0, ERROR: 0, WARN: 0, INFO: 0 }
  for (const { severity } of findings) counts[severity] += 1
  return counts
}

export const countFindings = (findings: readonly GateFinding[]): Counts => {
  const judged = findings.filter(({ state }) => state === 'new')
  return {
    judged: judged.length,
    known: findings.filter(({ state }) => state === 'known').length,
    suppressed: findings.filter(({ state }) => state === 'suppressed').length,
    by_severity: countSeverities(judged),
  }
}

/** How many there are of each severity that occurs, worst first. */
export const listSeverities = (counts: Readonly<Record<Severity, number>>): string[] =>
  SEVERITIES.toReversed().flatMap((severity) =>
    counts[severity] > 0 ? [`${counts[severity]} ${severity}`] : [],
  )
