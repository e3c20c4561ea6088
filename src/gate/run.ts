import type { Evidence, RepoState } from '../evidence/schema.ts'
import type { GateStage } from '../evidence/stage.ts'
import type { EvidenceStore } from '../evidence/store.ts'
import { optional } from '../kernel/optional.ts'
import { extensionOf } from '../kernel/text/languages.ts'
import type { ImportSource } from './checks/import-results.ts'
import type { CheckProgress } from './checks/judge-checks.ts'
import { alongChecks, checkDrafts, type StageCheckPorts } from './checks/stage-checks.ts'
import { readStageChange } from './facts/change-context.ts'
import { fileKinds } from './facts/file-kinds.ts'
import type { StageInput } from './facts/scope.ts'
import { branchDrafts } from './findings/branch-finding.ts'
import { collectMatches, type FindingDraft } from './findings/collect.ts'
import { addEdits, type RewriteMatch } from './findings/edits.ts'
import { classifyFindings, findUnchanged, judgesByLine, SDD_SOURCE } from './findings/known.ts'
import { compareSuppressions, policyDrafts, withBrokenManifests } from './findings/policy-findings.ts'
import { type CommitPorts, commitDrafts } from './findings/receipt-findings.ts'
import { type Judgement, shadowedFindings, writeEvidence } from './gate-evidence.ts'
import { judgedTreeId } from './judged-tree.ts'
import { type GatePolicy, judgeSeverities } from './policy.ts'
import { type PolicyPorts, type PolicyRequest, readJoinedPolicy, readWorktreePolicy } from './policy-layer.ts'
import type { ChangeSet, Scanner, Scope } from './ports.ts'
import type { ReceiptMode } from './receipt-mode.ts'
import { citationNotes, type GateCitation } from './reports/citations.ts'
import { countFindings, type GateRun } from './reports/report.ts'
import { loadRuleSet, type RuleSet } from './rules/assemble-rules.ts'
import { type BoundVersions, type RunFacts, runFacts } from './run-facts.ts'
import { type SddDecision, sddFinding } from './sdd/decision.ts'
import type { BoundDecision } from './sdd/sdd.ts'

/** Findings of the rules about changed files. */
const collectChanges = ({ changes }: RuleSet, set: ChangeSet): FindingDraft[] => {
  const paths = set.changes.map(({ path }) => path)
  const seen = new Set<string>()
  // Two versions of a rule, of the base and of the change, report a file once.
  const isFirst = (id: string, file: string) => seen.size < seen.add(JSON.stringify([id, file])).size
  return changes.flatMap((rule) =>
    rule
      .missing(paths)
      .filter((file) => isFirst(rule.id, file))
      .map((file) => ({
        ruleId: rule.id,
        severity: rule.severity,
        code: rule.code,
        message: rule.message,
        file,
        ...optional({ why: rule.why, fix: rule.fix }),
        matchedBy: 'FileChange',
        source: set.source,
        text: '',
      })),
  )
}

export interface GatePorts extends PolicyPorts, StageCheckPorts, CommitPorts {
  readonly evidence: EvidenceStore
  readonly scanner: () => Promise<Scanner>
  readonly rewrite: RewriteMatch
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

export interface GateRequest extends PolicyRequest, Partial<Pick<StageInput, 'build' | 'remote'>> {
  /** Undefined: the scope of the stage. */
  readonly scope: Scope | undefined
  /** Whether no check runs. */
  readonly rulesOnly?: boolean
  /** Whether commits without a receipt block. Default: require. */
  readonly receipts?: ReceiptMode | undefined
  /** Whether a receipt is made although no evidence is written. */
  readonly receipt?: boolean
  /** Whether the evidence file is replaced. A policy that is tried out leaves none. */
  readonly write: boolean
  /** Whether findings on unchanged lines are known. Undefined: as the stage does it. */
  readonly changedLines?: boolean | undefined
  readonly progress: (done: number, total: number) => void
  readonly checkProgress?: CheckProgress
  readonly imports?: readonly ImportSource[]
  /** Passages that the change rests on, verified by the caller. */
  readonly citations?: readonly GateCitation[] | undefined
}

/** A run with what its receipt says. */
export interface JudgedRun extends GateRun {
  readonly facts: RunFacts
}

/** Findings before they are judged, and where they come from. */
interface Evaluation
  extends Omit<Judgement, 'stage' | 'outcome' | 'findings' | 'counts' | 'state' | 'decision' | 'citations'> {
  readonly drafts: readonly FindingDraft[]
  readonly notes: readonly string[]
  readonly policy: GatePolicy
  /** New path → old path of moved files. */
  readonly moved: ReadonlyMap<string, string>
  /** What the receipt says of the commits and of the policy files. */
  readonly bound: BoundVersions
}

const evaluateFiles = async (
  ports: GatePorts,
  request: GateRequest,
  signal: AbortSignal,
): Promise<Evaluation> => {
  const { stage, progress, write } = request
  const { set, tracksModules, tree, ...context } = await readStageChange(ports.git, request, signal)
  const treeId = write || request.receipt ? judgedTreeId(set, signal) : undefined
  const { layer, changes, attributes, versions } = await readJoinedPolicy(ports, request, set, signal)
  const { policy, userRules, overrides, baseline } = layer
  const checks = request.rulesOnly ? [] : layer.checks
  const paths = [...set.changes.map(({ path }) => path), ...(set.links ?? [])]
  const inputs = {
    userRules: userRules?.pack,
    overrides,
    roots: context.detection.roots,
    stage,
    policy,
    profile: ports.profile,
    extensions: new Set(paths.map(extensionOf)),
  }
  const rules = await loadRuleSet(ports.shippedRules, inputs, paths)
  const { scanner } = ports
  const kinds = fileKinds(attributes)
  const scan = { set, rules, scanner, stage, tracksModules, kinds, progress }
  const [found, checked] = await alongChecks(ports, { ...request, set, checks }, signal, (stop) =>
    collectMatches(scan, stop),
  )
  // The whole repository is not a change, so rules about changed files do not apply.
  const missing = set.source === 'git:repository' ? [] : collectChanges(rules, set)
  const trial = request.policyFrom === 'worktree'
  // A comment may name a rule about other files.
  const named = found.suppressions.length === 0 ? rules : await loadRuleSet(ports.shippedRules, inputs)
  const comparison = { stage, set, rules: named, scanner, trial }
  const suppressions = await compareSuppressions(found.suppressions, comparison, signal)
  const drafts = [
    ...withBrokenManifests(
      await addEdits(found.drafts, rules.rules, ports.rewrite),
      context.broken,
      set.source,
    ),
    ...missing,
    ...suppressions.drafts,
    ...(await commitDrafts(ports, request, { ...set, keys: versions.targetKeys }, signal)),
    ...policyDrafts([...changes, ...context.changes], { set, policy, trial }),
    ...(await checkDrafts(checked, found.suppressions)),
  ]
  return {
    drafts,
    ...(judgesByLine(request, set) && { unchanged: await findUnchanged(set, drafts, rules, signal) }),
    source: set.source,
    files: found.files,
    notes: found.notes,
    platforms: context.detection.platforms,
    rulesets: [...rules.rulesets, ...checked.rulesets],
    overrides: overrides.list,
    policy,
    baseline,
    policyBase: trial ? undefined : set.base,
    moved: new Map(set.changes.flatMap(({ path, from }) => (from === undefined ? [] : [[path, from]]))),
    tree,
    bound: {
      tree: await treeId?.(),
      base: set.base,
      head: set.head,
      ...versions,
      suppressions: suppressions.versions,
      platforms: context.platforms,
    },
    checks: checked.rows,
  }
}

const sddDrafts = (decision: SddDecision | undefined): FindingDraft[] => {
  const finding = decision && sddFinding(decision)
  if (finding === undefined) return []
  const { ruleId, severity, code, message, file, matchedBy = '', source = SDD_SOURCE } = finding
  return [{ ruleId, severity, code, message, file, matchedBy, source, text: '' }]
}

/** The evaluation of the profile `seed` when the specification blocks the stage: no changed file is read. */
const notEvaluated = async (
  ports: GatePorts,
  request: GateRequest,
  signal: AbortSignal,
): Promise<Evaluation> => {
  const [{ policy, baseline }, head] = await Promise.all([
    readWorktreePolicy(ports, request),
    ports.git.head(signal),
  ])
  return {
    drafts: [],
    source: SDD_SOURCE,
    files: { changed: 0, scanned: 0, unmatched: 0 },
    notes: [],
    platforms: {},
    rulesets: [{ platform: 'policy', bundle: policy.trace.bundle, hash: policy.trace.hash }],
    overrides: [],
    policy,
    baseline,
    policyBase: undefined,
    moved: new Map(),
    tree: undefined,
    bound: { base: head ?? undefined },
    checks: [],
  }
}

/** Runs the gate: specification, changed files, rules, policy, evidence. The same input gives the same bytes. */
export const runGate = async (
  ports: GatePorts,
  request: GateRequest,
  signal: AbortSignal,
): Promise<JudgedRun> => {
  const { stage, policyFrom, citations = [] } = request
  const write = request.write && policyFrom === 'base'
  const { decision, specification } = await ports.sddDecision(stage, signal)
  const refused = decision?.allowed === false
  const [state, evaluation] = await Promise.all([
    ports.state(signal),
    (refused && ports.profile === 'seed' ? notEvaluated : evaluateFiles)(ports, request, signal),
  ])
  const { policy, baseline, policyBase } = evaluation
  const onBranch = await branchDrafts(ports, state, stage, signal)
  const drafts = [...evaluation.drafts, ...sddDrafts(decision), ...onBranch]
  const { findings, excerpts } = classifyFindings({ ...evaluation, drafts })
  const severities = findings.filter((one) => one.state === 'new').map(({ severity }) => severity)
  const outcome = refused ? 'BLOCK' : judgeSeverities(severities, policy)
  const isShadowed = shadowedFindings(findings)
  const shown = findings.filter((one) => !isShadowed(one))
  const counts = countFindings(shown)
  const judgement: Judgement = { ...evaluation, stage, outcome, findings, counts, state, decision, citations }
  const notes = [...evaluation.notes, ...citationNotes(citations)]
  const options = { now: ports.now(), ownsEvidence: ports.ownsEvidence, notes }
  const build = (previous: Evidence | undefined) => writeEvidence(judgement, previous, options)
  const evidence = await (write ? ports.evidence.replace(build) : build(undefined))
  return {
    report: {
      stage,
      status: outcome === 'BLOCK' ? 'BLOCKED' : 'ALLOWED',
      outcome,
      source: evaluation.source,
      policy,
      ...(policyFrom === 'worktree' && { policy_from: policyFrom }),
      ...optional({ policy_base: policyBase }),
      files: evaluation.files,
      ...(evaluation.unchanged !== undefined && { changed_lines: true }),
      counts,
      findings: shown,
      platforms: evaluation.platforms,
      rulesets: evidence.rulesets,
      ...(ports.profile !== 'default' && { profile: ports.profile }),
      ...(evaluation.overrides.length > 0 && { reweighed: evaluation.overrides }),
      ...(evaluation.checks.length > 0 && { checks: evaluation.checks }),
      ...(citations.length > 0 && { citations }),
      ...optional({
        baseline: baseline && { path: baseline.path, digest: baseline.digest, known: counts.known },
      }),
      ...(notes.length > 0 && { notes }),
      evidence: (write && evidence.evidence_chain?.payload_hash) || null,
    },
    excerpts,
    shadowed: findings.filter(isShadowed),
    facts: runFacts({ ...judgement, policy, profile: ports.profile, bound: evaluation.bound, specification }),
  }
}
