import { buildEvidence } from '../evidence/build.ts'
import { consolidateFindings } from '../evidence/consolidate.ts'
import { dedupeFindings, normalizeFinding } from '../evidence/finding.ts'
import type { Evidence, RepoState } from '../evidence/schema.ts'
import type { GateStage } from '../evidence/stage.ts'
import { digestJson } from '../kernel/encoding/hash.ts'
import { optional } from '../kernel/optional.ts'
import type { EvaluatedChange } from './evaluate.ts'
import type { GateCitation } from './reports/citations.ts'
import type { GateFinding } from './reports/report.ts'
import type { SddDecision } from './sdd/decision.ts'

/** A judged gate run, as the evidence needs it. */
export interface Judgement extends EvaluatedChange {
  readonly stage: GateStage
  readonly counts: { readonly known: number; readonly suppressed: number }
  readonly state: RepoState
  readonly decision: SddDecision | undefined
  readonly citations: readonly GateCitation[]
}

const toEvidenceFinding = ({
  region,
  why,
  fix,
  fingerprint,
  state: _,
  reason: __,
  category: ___,
  cwe: ____,
  edit,
  ...rest
}: GateFinding) => ({
  ...rest,
  ...optional({ lines: region && [region.line] }),
  ...optional({ why, expected_fix: fix }),
  ...(edit?.safe === true && { safe_edit: true }),
  fingerprint,
})

/** Members of the snapshot beyond the evidence format. */
const snapshotExtras = (judged: Judgement) => {
  const { source, files, counts, reasons, decidedBy, overrides, policyBase, checks, citations, bound } =
    judged
  const { policies } = bound
  return {
    source,
    ...(reasons.length > 0 && { reasons: reasons.map(({ fingerprint }) => fingerprint) }),
    ...(decidedBy.length > 0 && { decided_by: decidedBy }),
    ...optional({ policy_base: policyBase, policies: policies && digestJson(policies.head) }),
    files_scanned: files.scanned,
    ...optional({ files_by_pack: files.packs, files_not_judged: files.skipped }),
    known_findings: counts.known,
    suppressed_findings: counts.suppressed,
    ...(overrides.length > 0 && { reweighed_rules: overrides }),
    // Whether a packet is revoked is asked again by every check.
    ...(citations.length > 0 && { citations: citations.map(({ uri, digest }) => ({ uri, digest })) }),
    // Times and hits of the cache are left out: the same tree gives the same evidence.
    ...(checks.length > 0 && { checks: checks.map(({ cached: _, duration_ms: __, ...row }) => row) }),
  }
}

interface WriteOptions {
  readonly now: number
  /** Whether the decision log of this repository records evidence with this hash last, or records none. */
  readonly ownsEvidence: (payloadHash: string) => Promise<boolean>
  /** Gets what a reader of the report has to know. */
  readonly notes: string[]
}

const INTENT_DROPPED =
  'The human intent of the previous evidence was dropped: its chain or the decision log does not show that the gate wrote it.'

/** The previous evidence, without an intent that was not written by the gate of this repository. */
const withOwnIntent = async (
  previous: Evidence | undefined,
  { ownsEvidence, notes }: WriteOptions,
): Promise<Evidence | undefined> => {
  if (previous === undefined || previous.human_intent === null) return previous
  const { evidence_chain: chain } = previous
  if (chain !== undefined && (await ownsEvidence(chain.payload_hash))) return previous
  notes.push(INTENT_DROPPED)
  return { ...previous, human_intent: null }
}

/** Builds the evidence of a judgement; its chain continues the previous evidence. */
export const writeEvidence = async (
  judged: Judgement,
  previous: Evidence | undefined,
  options: WriteOptions,
): Promise<Evidence> => {
  const { stage, outcome, findings, platforms, rulesets, state, decision, tree } = judged
  const input = {
    stage,
    outcome,
    findings: findings.filter((finding) => finding.state === 'new').map(toEvidenceFinding),
    platforms,
    rulesets,
    repoState: { ...state, repo_root: '.' },
    ...optional({ judgedTree: tree }),
    ...optional({ sdd: decision && { enforced: true, stage, decision: { ...decision } } }),
  }
  const built = buildEvidence(input, await withOwnIntent(previous, options), options.now)
  return { ...built, snapshot: { ...built.snapshot, ...snapshotExtras(judged) } }
}

const placeKey = (ruleId: string, file: string, line: unknown): string => JSON.stringify([ruleId, file, line])

/** Findings shadowed by a stronger rule on the same line: listed apart in the evidence, left out of reports. */
export const shadowedFindings = (findings: readonly GateFinding[]): ((finding: GateFinding) => boolean) => {
  const { suppressed } = consolidateFindings(
    dedupeFindings(findings.map((one) => normalizeFinding(toEvidenceFinding(one)))),
  )
  const places = new Set(
    suppressed.map(({ ruleId, file, lines }) =>
      placeKey(ruleId, file, Array.isArray(lines) ? lines[0] : undefined),
    ),
  )
  return ({ ruleId, file, region }) => places.has(placeKey(ruleId, file, region?.line))
}
