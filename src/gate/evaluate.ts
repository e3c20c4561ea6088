import type { GateOutcome, Platform, Ruleset } from '../evidence/schema.ts'
import type { GateStage } from '../evidence/stage.ts'
import { optional } from '../kernel/optional.ts'
import { extensionOf } from '../kernel/text/languages.ts'
import { type ChangeContext, readStageChange } from './facts/change-context.ts'
import { fileKinds } from './facts/file-kinds.ts'
import type { StageInput } from './facts/scope.ts'
import { acceptanceDrafts, openAcceptances } from './findings/acceptances.ts'
import { collectBefore, collectMatches, type FileSuppression } from './findings/collect.ts'
import type { FindingDraft } from './findings/drafts.ts'
import { addEdits, type RewriteMatch } from './findings/edits.ts'
import { fingerprintFindings } from './findings/fingerprint.ts'
import { findKnown } from './findings/known.ts'
import { compareSuppressions, policyDrafts, withBrokenManifests } from './findings/policy-findings.ts'
import { judgedTree } from './judged-tree.ts'
import { isBlocking, judgeSeverities } from './policy.ts'
import { type PolicyPorts, type ReadPolicy, readJoinedPolicy } from './policy-layer.ts'
import type { ChangeSet, GitReader, Scanner, Scope } from './ports.ts'
import {
  type CheckRow,
  comparePlaces,
  type Excerpt,
  type GateFinding,
  type ReportedFiles,
} from './reports/report.ts'
import { loadRuleSet, type RuleSet } from './rules/assemble-rules.ts'
import type { AppliedOverride } from './rules/severity-overrides.ts'
import { type BoundVersions, whyPartial } from './run-facts.ts'
import type { PolicyLine } from './why/explanation.ts'

/** What every caller has: a repository as it is, at a past commit, or as an agent proposes it. */
export interface ChangePorts extends PolicyPorts {
  readonly scanner: () => Promise<Scanner>
  /** Makes the edits that repair findings; absent where no caller applies them. */
  readonly rewrite?: RewriteMatch
  /** Assembles the rules of a change. Default: anew for each. */
  readonly ruleSet?: typeof loadRuleSet
  /** Milliseconds since the epoch: an acceptance may end. */
  readonly now: () => number
  /** The developers, by the keys that `target` lists, whose receipts say that `head` passed. */
  readonly listDevelopers?: (
    commits: Pick<ChangeSet, 'head' | 'target'>,
    signal: AbortSignal,
  ) => Promise<ReadonlySet<string>>
}

export interface ChangeRequest extends Partial<Omit<StageInput, 'git'>> {
  readonly stage: GateStage
  /** Undefined: the scope of the stage. */
  readonly scope: Scope | undefined
  /** Whose policy judges: the stricter one of the base and the change, or that of the working tree alone. */
  readonly policyFrom: 'base' | 'worktree'
  /** Whether the id of the judged tree is wanted, for a receipt. */
  readonly bind?: boolean
  readonly progress?: (done: number, total: number) => void
}

/** The change, and the policy that it is judged by. */
interface ReadChange {
  readonly stage: GateStage
  readonly git: GitReader
  readonly context: ChangeContext
  readonly policy: ReadPolicy
}

interface SourceFindings {
  readonly drafts: readonly FindingDraft[]
  readonly rulesets?: readonly Ruleset[]
  readonly rows?: readonly CheckRow[]
}

/** Findings that no rule makes: of checks, receipts, the specification, the branch. */
export type FindingSource = (change: ReadChange, signal: AbortSignal) => Promise<SourceFindings>

/** A judged change. */
export interface EvaluatedChange {
  /** Undefined when no file was read. */
  readonly tree: ChangeContext['tree'] | undefined
  readonly outcome: GateOutcome
  readonly policy: ReadPolicy['layer']['policy']
  /** The findings that block. */
  readonly reasons: readonly GateFinding[]
  /** The lines of the policy that made them block. */
  readonly decidedBy: readonly PolicyLine[]
  /** New, known and suppressed ones. */
  readonly findings: readonly GateFinding[]
  readonly excerpts: ReadonlyMap<GateFinding, Excerpt>
  readonly source: string
  readonly files: ReportedFiles
  readonly notes: readonly string[]
  readonly platforms: Readonly<Record<string, Platform>>
  readonly rulesets: readonly Ruleset[]
  readonly overrides: readonly AppliedOverride[]
  readonly checks: readonly CheckRow[]
  /** The commit whose policy was joined with that of the change, if any. */
  readonly policyBase: string | undefined
  /** What the receipt says of the commits and of the policy files. */
  readonly bound: BoundVersions
}

/** Findings of the rules about changed files. */
const companionDrafts = ({ changes }: RuleSet, set: ChangeSet): FindingDraft[] => {
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

/** Runs the scan and the sources at once. When one of them fails, the others are ended. */
const together = async <T>(
  signal: AbortSignal,
  scan: (signal: AbortSignal) => Promise<T>,
  sources: readonly ((signal: AbortSignal) => Promise<SourceFindings>)[],
): Promise<readonly [T, readonly SourceFindings[]]> => {
  if (sources.length === 0) return [await scan(signal), []]
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  try {
    return await Promise.all([scan(either), Promise.all(sources.map((source) => source(either)))])
  } catch (thrown) {
    stop.abort(thrown)
    throw thrown
  }
}

interface Compared {
  readonly known: ReadonlySet<FindingDraft>
  /** Suppression comments of the first version before. */
  readonly suppressions: readonly FileSuppression[]
}

const NOTHING_BEFORE: Compared = { known: new Set(), suppressions: [] }

/** What of the findings the base has. Only files in which something was found are read there. */
const compareWithBase = async (
  scan: Parameters<typeof collectMatches>[0],
  found: { readonly drafts: readonly FindingDraft[]; readonly suppressions: readonly FileSuppression[] },
  signal: AbortSignal,
): Promise<Compared> => {
  const { set } = scan
  const isCompared = ({ identity }: FindingDraft) => identity !== undefined
  const files = new Set([...found.drafts.filter(isCompared), ...found.suppressions].map(({ file }) => file))
  const { otherParents = [] } = set
  const paths = set.changes
    .filter(
      ({ path, change, from }) =>
        files.has(path) && (otherParents.length > 0 || change !== 'added' || from !== undefined),
    )
    .map(({ path }) => path)
  if (paths.length === 0) return NOTHING_BEFORE
  const known = new Set<FindingDraft>()
  let suppressions: readonly FileSuppression[] | undefined
  // A merge starts from several commits.
  for (const readVersion of [set.readBefore, ...otherParents]) {
    const before = await collectBefore(scan, readVersion(paths, signal), signal)
    suppressions ??= before.suppressions
    for (const draft of await findKnown(found.drafts, before.drafts, set, signal)) known.add(draft)
  }
  return { known, suppressions: suppressions ?? [] }
}

/** Adds state and fingerprint to every finding, and sorts them. `reasonOf` is asked about those that count. */
export const classifyDrafts = (
  drafts: readonly FindingDraft[],
  known: ReadonlySet<FindingDraft>,
  reasonOf: (draft: FindingDraft, fingerprint: string) => string | undefined = () => undefined,
) => {
  const fingerprints = fingerprintFindings(drafts)
  const excerpts = new Map<GateFinding, Excerpt>()
  const findings = drafts.map((draft): GateFinding => {
    const { excerpt, suppressed, text: _, identity: __, within: ___, ...rest } = draft
    const fingerprint = fingerprints.get(draft) ?? ''
    const reason = suppressed ?? (known.has(draft) ? undefined : reasonOf(draft, fingerprint))
    const state = reason !== undefined ? 'suppressed' : known.has(draft) ? 'known' : 'new'
    const finding: GateFinding = { ...rest, state, ...optional({ reason }), fingerprint }
    if (excerpt !== undefined) excerpts.set(finding, excerpt)
    return finding
  })
  return { findings: findings.sort(comparePlaces), excerpts }
}

/** The lines of the policy that made findings block. Looked up only then. */
const decidingLines = async (
  { policyVariables: variables }: ChangePorts,
  reasons: readonly GateFinding[],
  { layer: { policy, overrides }, files }: ReadPolicy,
): Promise<readonly PolicyLine[]> => {
  const { listPolicyLines } = await import('./why/policy-lines.ts')
  return listPolicyLines(reasons, { policy, variables, overrides: overrides.list, versions: files })
}

/** What a reader must know about the merge that was judged, or that could not be. */
const mergeNotes = ({ conflict, unmerged, base = '', target = '' }: ChangeSet): string[] => {
  const judged = `so it was judged as it is, against ${base.slice(0, 12)}`
  if (unmerged !== undefined) return [`The merge with ${target.slice(0, 12)} was not judged: ${unmerged}.`]
  return conflict ? [`The change conflicts with ${target.slice(0, 12)}, ${judged}.`] : []
}

/**
 * Judges a change: its files, by the rules and the policy of the base and of the change, against what the base has.
 * Every verdict of the gate is made here. The same input gives the same findings.
 */
export const evaluateChange = async (
  ports: ChangePorts,
  request: ChangeRequest,
  sources: readonly FindingSource[],
  signal: AbortSignal,
): Promise<EvaluatedChange> => {
  const { stage, progress = () => {} } = request
  const context = await readStageChange(ports.git, request, signal)
  const { set, detection } = context
  try {
    const readTree = request.bind ? judgedTree(set, signal) : undefined
    const read = await readJoinedPolicy(ports, request, set, signal)
    const { layer, changes, attributes, versions } = read
    const { policy, userRules, overrides } = layer
    const old = set.changes.flatMap(({ from }) => from ?? [])
    const paths = [...set.changes.map(({ path }) => path), ...(set.links ?? []), ...old]
    const inputs = {
      userRules: userRules?.pack,
      overrides,
      roots: detection.roots,
      stage,
      policy,
      profile: ports.profile,
      extensions: new Set(paths.map(extensionOf)),
    }
    const rules = await (ports.ruleSet ?? loadRuleSet)(ports.shippedRules, inputs, paths)
    const { scanner } = ports
    const kinds = fileKinds(attributes)
    const scan = { set, rules, scanner, stage, tracksModules: context.tracksModules, kinds, progress }
    const change = { stage, git: ports.git, context, policy: read }
    const [scanned, others] = await together(
      signal,
      (stop) => collectMatches(scan, stop),
      sources.map((source) => (stop: AbortSignal) => source(change, stop)),
    )
    const { rewrite } = ports
    const found = rewrite
      ? { ...scanned, drafts: await addEdits(scanned.drafts, rules.rules, rewrite) }
      : scanned
    // The whole repository is not a change.
    const isChange = set.source !== 'git:repository'
    const before = isChange ? await compareWithBase(scan, found, signal) : NOTHING_BEFORE
    const trial = request.policyFrom === 'worktree'
    const suppressions = compareSuppressions(found.suppressions, before.suppressions, set)
    const ofSources = others.flatMap(({ drafts }) => drafts)
    const results =
      found.suppressions.length === 0 || ofSources.length === 0
        ? ofSources
        : (await import('./checks/result-drafts.ts')).suppressResults(ofSources, found.suppressions)
    const drafts = [
      ...withBrokenManifests(found.drafts, context.broken, set.source),
      ...(isChange ? companionDrafts(rules, set) : []),
      ...suppressions.drafts,
      ...results,
      ...acceptanceDrafts(read.acceptances, set),
      ...(await policyDrafts([...changes, ...context.changes], { ports, set, policy, trial }, signal)),
    ]
    const fork = stage === 'CI' && !trial && request.build?.kind !== 'push' && request.build?.fork === true
    const isBuild = stage === 'CI' && !trial && isChange
    const countDevelopers = isBuild
      ? async () => (await ports.listDevelopers?.({ target: set.base, ...set }, signal))?.size ?? 0
      : undefined
    const accepted = await openAcceptances(
      read.acceptances,
      { set, fork, now: ports.now(), countDevelopers },
      signal,
    )
    const { findings, excerpts } = classifyDrafts(drafts, before.known, accepted.reasonOf)
    const open = findings.filter(({ state }) => state === 'new')
    const reasons = open.filter((one) => isBlocking(one, policy))
    const severities = open.map(({ severity }) => severity)
    const bound = await readTree?.()
    const partial = bound && whyPartial(open, [...(bound.unread?.() ?? []), ...found.unread])
    return {
      outcome: reasons.length > 0 ? 'BLOCK' : judgeSeverities(severities, policy),
      policy,
      reasons,
      decidedBy: reasons.length === 0 ? [] : await decidingLines(ports, reasons, read),
      findings,
      excerpts,
      source: set.source,
      files: found.files,
      notes: [
        ...mergeNotes(set),
        ...found.notes,
        ...accepted.notes,
        ...(partial && reasons.length === 0
          ? [`The receipt is partial and covers no commit: ${partial}.`]
          : []),
      ],
      platforms: detection.platforms,
      rulesets: [...rules.rulesets, ...others.flatMap(({ rulesets = [] }) => rulesets)],
      overrides: overrides.list,
      checks: others.flatMap(({ rows = [] }) => rows),
      policyBase: trial ? undefined : set.merged === undefined ? set.base : set.target,
      tree: context.tree,
      bound: {
        tree: bound?.id,
        partial,
        base: set.base,
        head: set.head,
        ...versions,
        suppressions: suppressions.versions,
        platforms: context.platforms,
      },
    }
  } finally {
    await set.close?.()
  }
}
