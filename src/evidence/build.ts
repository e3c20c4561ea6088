import { optional } from '../kernel/optional.ts'
import { compareFields, compareLedger, compareText } from './compare.ts'
import { consolidateFindings } from './consolidate.ts'
import { dedupeFindings, identityOf, normalizeFinding, type RawFinding } from './finding.ts'
import type {
  Evidence,
  Finding,
  GateOutcome,
  HumanIntent,
  JudgedTree,
  LedgerEntry,
  Platform,
  RepoState,
  Ruleset,
  SddMetrics,
  Severity,
  Stage,
} from './schema.ts'

const CONFIDENCE: readonly string[] = ['high', 'medium', 'low']

const normalizeText = (text: string | null): string | null => text?.trim() || null

const normalizeList = (list: readonly string[]): string[] => [
  ...new Set(list.map((one) => one.trim()).filter((one) => one !== '')),
]

const normalizeDate = (text: string | null): string | null => {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** The canonical form of an intent; null when `preserved_at` is not a date. */
const normalizeIntent = (intent: HumanIntent): HumanIntent | null => {
  const preserved = normalizeDate(intent.preserved_at)
  if (preserved === null) return null
  return {
    primary_goal: normalizeText(intent.primary_goal),
    secondary_goals: normalizeList(intent.secondary_goals),
    non_goals: normalizeList(intent.non_goals),
    constraints: normalizeList(intent.constraints),
    confidence_level: CONFIDENCE.includes(intent.confidence_level) ? intent.confidence_level : 'unset',
    set_by: normalizeText(intent.set_by),
    set_at: normalizeDate(intent.set_at),
    expires_at: normalizeDate(intent.expires_at),
    preserved_at: preserved,
    preservation_count: Math.max(0, Math.trunc(intent.preservation_count) || 0),
    ...optional({ _hint: intent._hint }),
  }
}

/**
 * The human intent for the next evidence: the given one, or else the previous one until it expires. Undefined
 * increments `preservation_count`; null keeps the previous intent without incrementing.
 */
const carryIntent = (
  given: HumanIntent | null | undefined,
  previous: HumanIntent | null,
  now: number,
): HumanIntent | null => {
  const chosen = given ?? previous
  const intent = chosen === null ? null : normalizeIntent(chosen)
  if (intent === null) return null
  if (intent.expires_at !== null && Date.parse(intent.expires_at) <= now) return null
  return {
    ...intent,
    preserved_at: new Date(now).toISOString(),
    preservation_count: intent.preservation_count + (given === undefined ? 1 : 0),
  }
}

/** Input for the evidence of one gate run. */
export interface BuildInput {
  readonly stage: Stage
  /** Default: BLOCK for a CRITICAL finding, WARN for any other, else PASS. */
  readonly outcome?: GateOutcome
  readonly findings: readonly RawFinding[]
  readonly platforms: Readonly<Record<string, Platform>>
  readonly rulesets: readonly Ruleset[]
  readonly humanIntent?: HumanIntent | null
  readonly sdd?: SddMetrics
  readonly repoState?: RepoState
  readonly judgedTree?: JudgedTree
  /** Absolute paths inside this folder become relative. */
  readonly root?: string
}

const defaultOutcome = (findings: readonly Finding[]): GateOutcome => {
  if (findings.some(({ severity }) => severity === 'CRITICAL')) return 'BLOCK'
  return findings.length > 0 ? 'WARN' : 'PASS'
}

/** One entry for each open finding; `firstSeen` is taken over from the previous evidence. */
const keepLedger = (
  findings: readonly Finding[],
  previous: readonly LedgerEntry[],
  time: string,
): LedgerEntry[] => {
  const known = new Map(previous.map((entry) => [identityOf(entry), entry.firstSeen]))
  return findings
    .map((finding) => ({
      ruleId: finding.ruleId,
      file: finding.file,
      ...optional({ lines: finding.lines }),
      firstSeen: known.get(identityOf(finding)) ?? time,
      lastSeen: time,
    }))
    .sort(compareLedger)
}

const listPlatforms = (platforms: BuildInput['platforms']): Record<string, Platform> =>
  Object.fromEntries(
    Object.entries(platforms)
      .sort(([a], [b]) => compareText(a, b))
      .map(([name, { detected, confidence }]) => [name, { detected, confidence }]),
  )

const listRulesets = (rulesets: readonly Ruleset[]): Ruleset[] => {
  const first = new Map<string, Ruleset>()
  for (const ruleset of rulesets) {
    const key = `${ruleset.platform}\0${ruleset.bundle}`
    if (!first.has(key)) first.set(key, ruleset)
  }
  return [...first.values()].sort(compareFields(['platform', 'bundle', 'hash']))
}

/** A finding as it is repeated under `ai_gate`, where its severity is called `level`. */
export const toViolation = ({ ruleId, severity, ...rest }: Finding) => ({ ruleId, level: severity, ...rest })

const countSeverities = (findings: readonly Finding[]): Record<Severity, number> => {
  const counts = { CRITICAL: 0, ERROR: 0, WARN: 0, INFO: 0 }
  for (const { severity } of findings) counts[severity] += 1
  return counts
}

/** Builds the evidence of one gate run. Deterministic: the order of the findings does not matter. */
export const buildEvidence = (input: BuildInput, previous: Evidence | undefined, now: number): Evidence => {
  const time = new Date(now).toISOString()
  const normalized = input.findings.map((finding) => normalizeFinding(finding, input.root))
  const { findings, suppressed } = consolidateFindings(dedupeFindings(normalized))
  const outcome = input.outcome ?? defaultOutcome(findings)
  const status = outcome === 'BLOCK' ? 'BLOCKED' : 'ALLOWED'
  const intent = carryIntent(input.humanIntent, previous?.human_intent ?? null, now)
  return {
    version: '2.1',
    timestamp: time,
    snapshot: { stage: input.stage, outcome, findings: [...findings] },
    ledger: keepLedger(findings, previous?.ledger ?? [], time),
    platforms: listPlatforms(input.platforms),
    rulesets: listRulesets(input.rulesets),
    human_intent: intent,
    ai_gate: { status, violations: findings.map(toViolation), human_intent: intent },
    severity_metrics: {
      gate_status: status,
      total_violations: findings.length,
      by_severity: countSeverities(findings),
    },
    ...optional({ sdd_metrics: input.sdd }),
    ...optional({ repo_state: input.repoState && { ...input.repoState, repo_root: '.' } }),
    ...optional({ judged_tree: input.judgedTree }),
    ...(suppressed.length > 0 && { consolidation: { suppressed: [...suppressed] } }),
  }
}
