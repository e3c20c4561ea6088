import * as z from 'zod'
import { CONFIDENCES, SEVERITIES } from './compare.ts'

export { SEVERITIES } from './compare.ts'

export const Severity = z.enum(SEVERITIES)
export type Severity = z.infer<typeof Severity>

/** Stage of a change at which the gate ran. `STAGED` is accepted from old files and never written. */
export const Stage = z.enum(['STAGED', 'PRE_WRITE', 'PRE_COMMIT', 'PRE_PUSH', 'CI'])
export type Stage = z.infer<typeof Stage>

export const GateOutcome = z.enum(['PASS', 'WARN', 'BLOCK'])
export type GateOutcome = z.infer<typeof GateOutcome>

export const GateStatus = z.enum(['ALLOWED', 'BLOCKED'])
export type GateStatus = z.infer<typeof GateStatus>

export const Confidence = z.enum(CONFIDENCES)
export type Confidence = z.infer<typeof Confidence>

const FindingLines = z.union([z.string(), z.number(), z.array(z.number())])
export type FindingLines = z.infer<typeof FindingLines>

const Timestamp = z.iso.datetime({ offset: true })

// Every object is loose, so that unknown fields of newer versions are kept.
const place = { ruleId: z.string(), file: z.string(), lines: FindingLines.optional() }
const trace = { matchedBy: z.string().optional(), source: z.string().optional() }

export const Finding = z.looseObject({
  ...place,
  severity: Severity,
  code: z.string(),
  message: z.string(),
  ...trace,
})
export type Finding = z.infer<typeof Finding>

export const ViolationEntry = z.looseObject({
  ...place,
  level: Severity,
  code: z.string(),
  message: z.string(),
  ...trace,
})

export const LedgerEntry = z.looseObject({ ...place, firstSeen: Timestamp, lastSeen: Timestamp })
export type LedgerEntry = z.infer<typeof LedgerEntry>

export const Platform = z.looseObject({ detected: z.boolean(), confidence: Confidence })
export type Platform = z.infer<typeof Platform>

export const Ruleset = z.looseObject({ platform: z.string(), bundle: z.string(), hash: z.string() })
export type Ruleset = z.infer<typeof Ruleset>

export const HumanIntent = z.looseObject({
  primary_goal: z.string().nullable(),
  secondary_goals: z.array(z.string()),
  non_goals: z.array(z.string()),
  constraints: z.array(z.string()),
  confidence_level: z.enum(['high', 'medium', 'low', 'unset']),
  set_by: z.string().nullable(),
  set_at: Timestamp.nullable(),
  expires_at: Timestamp.nullable(),
  preserved_at: Timestamp,
  preservation_count: z.int().nonnegative(),
  _hint: z.string().optional(),
})
export type HumanIntent = z.infer<typeof HumanIntent>

export const Suppressed = z.looseObject({
  ...place,
  replacedByRuleId: z.string(),
  replacementRuleId: z.string().nullable().optional(),
  platform: z.string().optional(),
  reason: z.string(),
})
export type Suppressed = z.infer<typeof Suppressed>

const HookState = z.enum(['managed', 'missing', 'unmanaged'])

/** State of the repository when the gate ran. */
export const RepoState = z.looseObject({
  repo_root: z.string(),
  git: z.looseObject({
    available: z.boolean(),
    branch: z.string().nullable(),
    upstream: z.string().nullable(),
    ahead: z.int(),
    behind: z.int(),
    dirty: z.boolean(),
    staged: z.int(),
    unstaged: z.int(),
  }),
  lifecycle: z.looseObject({
    installed: z.boolean(),
    package_version: z.string().nullable(),
    lifecycle_version: z.string().nullable(),
    hooks: z.looseObject({ pre_commit: HookState, pre_push: HookState }),
    hard_mode: z
      .looseObject({ enabled: z.boolean(), profile: z.string().nullable(), config_path: z.string() })
      .optional(),
  }),
})
export type RepoState = z.infer<typeof RepoState>

export const SddMetrics = z.looseObject({
  enforced: z.boolean(),
  stage: Stage,
  decision: z.looseObject({ allowed: z.boolean(), code: z.string(), message: z.string() }),
})
export type SddMetrics = z.infer<typeof SddMetrics>

/**
 * The tree that the gate judged, by content. `digest` covers the changed files of the scope; `head` is the last commit.
 * Absent in files of other writers.
 */
const JudgedTree = z.looseObject({
  scope: z.string(),
  head: z.string().nullable(),
  digest: z.string(),
  files: z.int().nonnegative(),
  entries: z.array(z.looseObject({ path: z.string(), id: z.string() })).optional(),
})
export type JudgedTree = z.infer<typeof JudgedTree>

const PayloadHash = z.string().regex(/^sha256:[0-9a-f]{64}$/)

/** Links an evidence file to the one it replaced. Detects accidents, not forgery: it is not signed. */
const EvidenceChain = z.looseObject({
  algorithm: z.literal('sha256'),
  previous_payload_hash: PayloadHash.nullable(),
  payload_hash: PayloadHash,
  sequence: z.int().min(1),
})

/** The evidence file, version 2.1: `.ai_evidence.json` in the root of a repository. */
export const Evidence = z.looseObject({
  version: z.literal('2.1'),
  timestamp: Timestamp,
  snapshot: z.looseObject({ stage: Stage, outcome: GateOutcome, findings: z.array(Finding) }),
  ledger: z.array(LedgerEntry),
  platforms: z.record(z.string(), Platform),
  rulesets: z.array(Ruleset),
  human_intent: HumanIntent.nullable(),
  ai_gate: z.looseObject({
    status: GateStatus,
    violations: z.array(ViolationEntry),
    human_intent: HumanIntent.nullable(),
  }),
  severity_metrics: z.looseObject({
    gate_status: GateStatus,
    total_violations: z.int().nonnegative(),
    by_severity: z.looseObject({ CRITICAL: z.int(), ERROR: z.int(), WARN: z.int(), INFO: z.int() }),
  }),
  sdd_metrics: SddMetrics.optional(),
  repo_state: RepoState.optional(),
  judged_tree: JudgedTree.optional(),
  consolidation: z.looseObject({ suppressed: z.array(Suppressed) }).optional(),
  evidence_chain: EvidenceChain.optional(),
})
export type Evidence = z.infer<typeof Evidence>
