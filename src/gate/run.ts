import type { Evidence, RepoState } from '../evidence/schema.ts'
import type { GateStage } from '../evidence/stage.ts'
import type { EvidenceStore } from '../evidence/store.ts'
import { optional } from '../kernel/optional.ts'
import type { CheckPorts } from './checks/check.ts'
import type { ImportSource } from './checks/import-results.ts'
import type { CheckProgress } from './checks/judge-checks.ts'
import { checkSource } from './checks/stage-checks.ts'
import {
  type ChangePorts,
  type ChangeRequest,
  classifyDrafts,
  type EvaluatedChange,
  evaluateChange,
  type FindingSource,
} from './evaluate.ts'
import { branchSource } from './findings/branch-finding.ts'
import { type CheckCommits, receiptSource } from './findings/receipt-findings.ts'
import { type Judgement, shadowedFindings, writeEvidence } from './gate-evidence.ts'
import { readWorktreePolicy } from './policy-layer.ts'
import type { ReceiptMode } from './receipt-mode.ts'
import { citationNotes, type GateCitation } from './reports/citations.ts'
import { countFindings, type GateRun } from './reports/report.ts'
import { type RunFacts, runFacts } from './run-facts.ts'
import { SDD_SOURCE, type SddDecision, sddDrafts } from './sdd/decision.ts'
import type { BoundDecision } from './sdd/sdd.ts'

/** What a run needs beside the change: other sources of findings, and where it is recorded. */
export interface GatePorts {
  readonly change: ChangePorts
  /** Runs the checks of the repository; opened when a stage asks for one. */
  readonly checks: () => Promise<CheckPorts>
  readonly checkCommits: CheckCommits
  readonly evidence: EvidenceStore
  /** Branches on which no change is made; empty unless the operator named some. */
  readonly protectedBranches: readonly string[]
  readonly state: (signal: AbortSignal) => Promise<RepoState>
  /** Whether the specification allows the stage; empty when the repository follows none. */
  readonly sddDecision: (stage: GateStage, signal: AbortSignal) => Promise<BoundDecision>
  /** Whether the decision log shows that the newest run wrote this evidence; true when the log records no run. */
  readonly ownsEvidence: (payloadHash: string) => Promise<boolean>
  /** Milliseconds since the epoch, for the evidence. */
  readonly now: () => number
}

export interface GateRequest extends Omit<ChangeRequest, 'bind'> {
  /** Whether commits without a receipt block. Default: require. */
  readonly receipts?: ReceiptMode | undefined
  /** Whether a receipt is made although no evidence is written. */
  readonly receipt?: boolean
  /** Whether the evidence file is replaced. A policy that is tried out leaves none. */
  readonly write: boolean
  readonly checkProgress?: CheckProgress
  readonly imports?: readonly ImportSource[]
  /** Passages that the change rests on, verified by the caller. */
  readonly citations?: readonly GateCitation[] | undefined
}

/** A run with its evidence, written or not, and with what its receipt says. */
export interface JudgedRun extends GateRun {
  readonly evidence: Evidence
  readonly facts: RunFacts
}

/** The sources of findings in addition to the rules. */
const listSources = (
  { checks, checkCommits, protectedBranches }: GatePorts,
  request: GateRequest,
  decision: SddDecision | undefined,
): readonly FindingSource[] => [
  checkSource(checks, request),
  receiptSource(checkCommits, request.receipts),
  async () => ({ drafts: sddDrafts(decision) }),
  branchSource(protectedBranches),
]

/** The profile `seed` reads no file where the specification refuses the stage. */
const refusedChange = async (
  { change }: GatePorts,
  { stage }: GateRequest,
  decision: SddDecision,
  signal: AbortSignal,
): Promise<EvaluatedChange> => {
  const [{ policy }, head] = await Promise.all([
    readWorktreePolicy(change, { stage }),
    change.git.head(signal),
  ])
  const { findings, excerpts } = classifyDrafts(sddDrafts(decision), new Set())
  return {
    findings,
    excerpts,
    outcome: 'BLOCK',
    reasons: findings,
    decidedBy: [],
    policy,
    source: SDD_SOURCE,
    files: { changed: 0, scanned: 0, unmatched: 0 },
    notes: [],
    platforms: {},
    rulesets: [{ platform: 'policy', bundle: policy.trace.bundle, hash: policy.trace.hash }],
    overrides: [],
    checks: [],
    policyBase: undefined,
    tree: undefined,
    bound: { base: head ?? undefined },
  }
}

/** Judges a change and records the verdict: evidence, and what the receipt says. The same input gives the same bytes. */
export const runGate = async (
  ports: GatePorts,
  request: GateRequest,
  signal: AbortSignal,
): Promise<JudgedRun> => {
  const { stage, policyFrom, citations = [] } = request
  const { profile } = ports.change
  const write = request.write && policyFrom === 'base'
  const { decision, specification } = await ports.sddDecision(stage, signal)
  const refused = decision?.allowed === false
  const present = ports.state(signal)
  // Awaited below as well: a failure of the scan must not leave it unhandled.
  present.catch(() => {})
  const evaluated =
    refused && profile === 'seed'
      ? await refusedChange(ports, request, decision, signal)
      : await evaluateChange(
          ports.change,
          { ...request, bind: request.write || request.receipt === true },
          listSources(ports, request, decision),
          signal,
        )
  const { policy, findings, policyBase, outcome } = evaluated
  const isShadowed = shadowedFindings(findings)
  const shown = findings.filter((one) => !isShadowed(one))
  const counts = countFindings(shown)
  const state = await present
  const judgement: Judgement = { ...evaluated, stage, counts, state, decision, citations }
  const notes = [...evaluated.notes, ...citationNotes(citations)]
  const options = { now: ports.now(), ownsEvidence: ports.ownsEvidence, notes }
  const build = (previous: Evidence | undefined) => writeEvidence(judgement, previous, options)
  const evidence = await (write ? ports.evidence.replace(build) : build(undefined))
  return {
    report: {
      stage,
      status: outcome === 'BLOCK' ? 'BLOCKED' : 'ALLOWED',
      outcome,
      source: evaluated.source,
      policy,
      ...(policyFrom === 'worktree' && { policy_from: policyFrom }),
      ...optional({ policy_base: policyBase }),
      files: evaluated.files,
      counts,
      findings: shown,
      platforms: evaluated.platforms,
      rulesets: evidence.rulesets,
      ...(profile !== 'default' && { profile }),
      ...(evaluated.overrides.length > 0 && { reweighed: evaluated.overrides }),
      ...(evaluated.checks.length > 0 && { checks: evaluated.checks }),
      ...(citations.length > 0 && { citations }),
      ...(notes.length > 0 && { notes }),
      evidence: (write && evidence.evidence_chain?.payload_hash) || null,
    },
    excerpts: evaluated.excerpts,
    evidence,
    facts: runFacts({ ...judgement, profile, specification }),
  }
}
