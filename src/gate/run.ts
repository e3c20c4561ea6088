import { familyOf } from '../evidence/consolidate.ts'
import type { Evidence, JudgedTree, Platform, RepoState, Ruleset } from '../evidence/schema.ts'
import type { EvidenceStore } from '../evidence/store.ts'
import { extensionOf } from '../kernel/text/languages.ts'
import { type ChangeContext, gatherChangeContext } from './facts/change-context.ts'
import { type StagePorts, stageScope } from './facts/scope.ts'
import { fingerprintFindings, type LoadedBaseline } from './findings/baseline.ts'
import { collectChanges, collectMatches, type FindingDraft } from './findings/collect.ts'
import { type Judgement, shadowedFindings, writeEvidence } from './gate-evidence.ts'
import { type GatePolicy, judgeSeverities } from './policy.ts'
import type { FolderNames, GitReader, RepositoryFiles, Scanner, Scope } from './ports.ts'
import {
  comparePlaces,
  countFindings,
  type Excerpt,
  type GateFinding,
  type GateRun,
} from './reports/report.ts'
import {
  assembleRules,
  loadSeverityOverrides,
  readUserRules,
  USER_RULES_FOLDER,
} from './rules/assemble-rules.ts'
import type { RuleSource, ShippedRules } from './rules/packs.ts'
import { ruleFaults } from './rules/rule-faults.ts'
import { type AppliedOverride, OVERRIDES_NAME } from './rules/severity-overrides.ts'
import { type SddDecision, sddFinding } from './sdd/decision.ts'
import type { GateStage } from './stage.ts'

export interface GatePorts {
  readonly git: GitReader
  readonly files: RepositoryFiles & FolderNames
  readonly evidence: EvidenceStore
  readonly shippedRules: () => Promise<ShippedRules>
  readonly scanner: () => Promise<Scanner>
  readonly policy: (stage: GateStage) => Promise<GatePolicy>
  readonly state: (signal: AbortSignal) => Promise<RepoState>
  /** Whether the specification allows the stage; undefined when the repository follows none. */
  readonly sddDecision: (stage: GateStage, signal: AbortSignal) => Promise<SddDecision | undefined>
  /** Milliseconds since the epoch, for the evidence. */
  readonly now: () => number
}

interface GateRequest extends Partial<Pick<StagePorts, 'build' | 'remote'>> {
  readonly stage: GateStage
  /** Undefined: the scope of the stage. */
  readonly scope: Scope | undefined
  readonly baseline: LoadedBaseline | undefined
  /** Whether the evidence file is replaced. */
  readonly write: boolean
  readonly progress: (done: number, total: number) => void
}

/** Findings before they are judged, and where they come from. */
interface Evaluation {
  readonly drafts: readonly FindingDraft[]
  readonly source: string
  readonly files: GateRun['report']['files']
  readonly platforms: Readonly<Record<string, Platform>>
  readonly rulesets: readonly Ruleset[]
  readonly overrides: readonly AppliedOverride[]
  /** New path → old path of moved files. */
  readonly moved: ReadonlyMap<string, string>
  readonly tree: JudgedTree | undefined
}

const MAX_RULE_BYTES = 64 * 1024
const decoder = new TextDecoder('utf-8', { fatal: false })

/** The user rules and the severity overrides of the working tree. */
export const userRuleSources = async (files: GatePorts['files']) => {
  const names = (await files.names(USER_RULES_FOLDER)).filter((name) => /\.ya?ml$/.test(name))
  const read = async (name: string): Promise<RuleSource> => {
    const path = `${USER_RULES_FOLDER}/${name}`
    const bytes = await files.read(path, MAX_RULE_BYTES)
    // Skipping an unreadable file would switch its rule off without notice.
    if (bytes === undefined)
      throw ruleFaults.too_large(`${path}: longer than ${MAX_RULE_BYTES} bytes, or not a regular file`)
    return { path, text: decoder.decode(bytes) }
  }
  const [rules, overrides] = await Promise.all([
    Promise.all(names.filter((name) => name !== OVERRIDES_NAME).map(read)),
    names.includes(OVERRIDES_NAME) ? read(OVERRIDES_NAME) : undefined,
  ])
  return { rules, overrides }
}

const readChange = async (
  { git }: GatePorts,
  { stage, scope, build, remote }: GateRequest,
  signal: AbortSignal,
): Promise<ChangeContext> =>
  gatherChangeContext(git, scope ?? (await stageScope(stage, { git, build, remote }, signal)), signal)

const evaluateFiles = async (
  ports: GatePorts,
  request: GateRequest & { readonly policy: GatePolicy },
  signal: AbortSignal,
): Promise<Evaluation> => {
  const { stage, policy, progress } = request
  const [{ set, detection, tree, tracksModules }, shippedRules, sources] = await Promise.all([
    readChange(ports, request, signal),
    ports.shippedRules(),
    userRuleSources(ports.files),
  ])
  const [userRules, overrides] = await Promise.all([
    readUserRules(sources.rules, shippedRules),
    loadSeverityOverrides(sources.overrides, shippedRules),
  ])
  const changed = set.changes.map(({ path }) => path)
  const extensions = new Set([...changed, ...(set.links ?? [])].map(extensionOf))
  const rules = assembleRules({
    shippedRules,
    userRules,
    overrides,
    roots: detection.roots,
    stage,
    policy,
    extensions,
  })
  const found = await collectMatches(
    { set, rules, scanner: ports.scanner, stage, tracksModules, progress },
    signal,
  )
  // The whole repository is not a change, so rules about changed files do not apply.
  const missing = set.source === 'git:repository' ? [] : collectChanges(rules, set)
  return {
    drafts: [...found.drafts, ...missing],
    source: set.source,
    files: { changed: set.changes.length, scanned: found.scanned, unmatched: found.unmatched },
    platforms: detection.platforms,
    rulesets: rules.rulesets,
    overrides: overrides.list,
    moved: new Map(set.changes.flatMap(({ path, from }) => (from === undefined ? [] : [[path, from]]))),
    tree,
  }
}

const SDD_SOURCE = 'sdd-policy'

const sddDrafts = (decision: SddDecision | undefined): FindingDraft[] => {
  const finding = decision && sddFinding(decision)
  if (finding === undefined) return []
  const { ruleId, severity, code, message, file, matchedBy = '', source = SDD_SOURCE } = finding
  return [{ ruleId, severity, code, message, file, matchedBy, source, text: '' }]
}

/** The evaluation when the specification blocks the stage: no file is read. */
const notEvaluated = (policy: GatePolicy): Evaluation => ({
  drafts: [],
  source: SDD_SOURCE,
  files: { changed: 0, scanned: 0, unmatched: 0 },
  platforms: {},
  rulesets: [{ platform: 'policy', bundle: policy.trace.bundle, hash: policy.trace.hash }],
  overrides: [],
  moved: new Map(),
  tree: undefined,
})

/** Rules of one family report the same problem of a line: a baseline that accepts one finding accepts all. */
const familyKey = ({ file, ruleId, region }: FindingDraft): string =>
  JSON.stringify([file, region?.line ?? 0, familyOf(ruleId)])

/** The families of findings in the baseline, looked up by the present and by the old path of moved files. */
const knownFamilies = (
  { drafts, moved }: Evaluation,
  fingerprints: Fingerprints,
  baseline: LoadedBaseline | undefined,
) => {
  if (baseline === undefined) return new Set<string>()
  const old = moved.size === 0 ? fingerprints : fingerprintFindings(drafts, (file) => moved.get(file) ?? file)
  const isKnown = (draft: FindingDraft) =>
    baseline.known.has(fingerprints.get(draft) ?? '') || baseline.known.has(old.get(draft) ?? '')
  // A baseline cannot accept that the specification blocks a stage.
  return new Set(drafts.filter((one) => one.source !== SDD_SOURCE && isKnown(one)).map(familyKey))
}

type Fingerprints = ReturnType<typeof fingerprintFindings>

/** Adds fingerprint and state to every finding, and sorts them. */
const classifyFindings = (evaluation: Evaluation, baseline: LoadedBaseline | undefined) => {
  const fingerprints = fingerprintFindings(evaluation.drafts)
  const known = knownFamilies(evaluation, fingerprints, baseline)
  const excerpts = new Map<GateFinding, Excerpt>()
  const findings = evaluation.drafts.map((draft): GateFinding => {
    const { excerpt, suppressed, text: _, ...rest } = draft
    const state = suppressed !== undefined ? 'suppressed' : known.has(familyKey(draft)) ? 'known' : 'new'
    const finding: GateFinding = {
      ...rest,
      state,
      ...(suppressed !== undefined && { reason: suppressed }),
      fingerprint: fingerprints.get(draft) ?? '',
    }
    if (excerpt !== undefined) excerpts.set(finding, excerpt)
    return finding
  })
  return { findings: findings.sort(comparePlaces), excerpts }
}

/** Runs the gate: specification, changed files, rules, policy, evidence. The same input gives the same bytes. */
export const runGate = async (
  ports: GatePorts,
  request: GateRequest,
  signal: AbortSignal,
): Promise<GateRun> => {
  const { stage, baseline } = request
  const [policy, decision] = await Promise.all([ports.policy(stage), ports.sddDecision(stage, signal)])
  const refused = decision?.allowed === false
  const [state, evaluation] = await Promise.all([
    ports.state(signal),
    refused ? notEvaluated(policy) : evaluateFiles(ports, { ...request, policy }, signal),
  ])
  const drafts = [...evaluation.drafts, ...sddDrafts(decision)]
  const { findings, excerpts } = classifyFindings({ ...evaluation, drafts }, baseline)
  const severities = findings.filter((one) => one.state === 'new').map(({ severity }) => severity)
  const outcome = refused ? 'BLOCK' : judgeSeverities(severities, policy)
  const isShadowed = shadowedFindings(findings)
  const shown = findings.filter((one) => !isShadowed(one))
  const counts = countFindings(shown)
  const judgement: Judgement = { ...evaluation, stage, outcome, findings, counts, state, decision, baseline }
  const build = (previous: Evidence | undefined) => writeEvidence(judgement, previous, ports.now())
  const evidence = request.write ? await ports.evidence.replace(build) : build(undefined)
  return {
    report: {
      stage,
      status: outcome === 'BLOCK' ? 'BLOCKED' : 'ALLOWED',
      outcome,
      source: evaluation.source,
      policy,
      files: evaluation.files,
      counts,
      findings: shown,
      platforms: evaluation.platforms,
      rulesets: evidence.rulesets,
      ...(evaluation.overrides.length > 0 && { reweighed: evaluation.overrides }),
      ...(baseline !== undefined && {
        baseline: { path: baseline.path, digest: baseline.digest, known: counts.known },
      }),
      evidence: (request.write && evidence.evidence_chain?.payload_hash) || null,
    },
    excerpts,
    shadowed: findings.filter(isShadowed),
  }
}
