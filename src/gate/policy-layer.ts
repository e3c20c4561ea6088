import type { GateStage } from '../evidence/stage.ts'
import { optional } from '../kernel/optional.ts'
import type { RepositoryFiles } from '../kernel/ports.ts'
import { KEYS_FILE } from '../receipts/keys-path.ts'
import type { PolicyDigests } from '../receipts/statement.ts'
import { CHECKS_FILE, type RequiredCheck } from './checks/check.ts'
import { joinCheckTexts, loadChecks } from './checks/load-checks.ts'
import { ATTRIBUTES_FILE } from './facts/attributes.ts'
import {
  ACCEPTANCES_FILE,
  type AcceptanceVersions,
  NO_ACCEPTANCES,
  parseAcceptances,
} from './findings/acceptances.ts'
import type { KeyPorts } from './findings/policy-findings.ts'
import { type GatePolicy, type PolicySources, resolvePolicy, stricterPolicy } from './policy.ts'
import {
  ignoreUnusable,
  overlayCommit,
  POLICY_PATHS,
  type PolicyFiles,
  policyDigests,
  readCommitKeys,
  readPolicyFile,
  readPolicyFiles,
  ruleSources,
  thresholdSources,
  unlessInvalid,
} from './policy-files.ts'
import type { ChangeSet, FolderNames, GitReader } from './ports.ts'
import { loadSeverityOverrides, OVERRIDES_FILE, readUserRules } from './rules/assemble-rules.ts'
import { joinUserRules, type UserRules } from './rules/join-rules.ts'
import type { ShippedRules } from './rules/packs.ts'
import type { PolicyChange } from './rules/policy-change.ts'
import type { RuleProfile } from './rules/profile.ts'
import { joinOverrides, NO_OVERRIDES, type SeverityOverrides } from './rules/severity-overrides.ts'
import type { RuleScope } from './rules/shipped-parts.ts'
import { environmentChanges, thresholdChanges } from './threshold-changes.ts'
import type { PolicyVersion } from './why/threshold-lines.ts'

/** How a change is judged: by one version of the repository, or by two versions joined. */
interface PolicyLayer {
  readonly policy: GatePolicy
  readonly userRules: UserRules | undefined
  readonly overrides: SeverityOverrides
  readonly checks: readonly RequiredCheck[]
}

/** What all versions are read with. */
interface LayerContext {
  readonly stage: GateStage
  /** `PUMUKI_HARD_MODE` and `PUMUKI_HARD_MODE_PROFILE`, which take precedence over the policy files. */
  readonly policyVariables: Pick<PolicySources, 'hardMode' | 'hardProfile'>
  /** All shipped rules, or those of the default profile that may read these files. */
  readonly shippedRules: (scope?: RuleScope) => Promise<ShippedRules>
  readonly profile: RuleProfile
}

/** Parses the files of one version. An invalid file is a fault. */
export const parseLayer = async (files: PolicyFiles, context: LayerContext): Promise<PolicyLayer> => {
  const { stage, policyVariables, shippedRules } = context
  const policy = resolvePolicy(stage, { ...thresholdSources(files), ...policyVariables })
  const [userRules, overrides, checks] = await Promise.all([
    readUserRules(ruleSources(files), shippedRules),
    loadSeverityOverrides(files.get(OVERRIDES_FILE), context),
    loadChecks(files.get(CHECKS_FILE)),
  ])
  return { policy, userRules, overrides, checks }
}

/** The policy files without those that are invalid: at the base they count as absent. */
const validPolicySources = async (files: PolicyFiles, context: LayerContext): Promise<PolicySources> => {
  const { hardFile, skillsFile } = thresholdSources(files)
  const alone = (sources: PolicySources) =>
    unlessInvalid(
      (async () => {
        resolvePolicy(context.stage, sources)
        return sources
      })(),
      {},
    )
  return { ...(await alone({ hardFile })), ...(await alone({ skillsFile })) }
}

interface JoinedPolicy {
  readonly layer: PolicyLayer
  /** What the change alters, by file. */
  readonly changes: readonly PolicyChange[]
}

/**
 * Joins the policy of the base with that of the change: the stricter counts. `base` is undefined where there is no
 * commit to compare with. Equal files are parsed once.
 */
const joinLayers = async (
  base: PolicyFiles | undefined,
  after: PolicyFiles,
  context: LayerContext,
): Promise<JoinedPolicy> => {
  const { stage, policyVariables: variables, shippedRules } = context
  const layer = await parseLayer(after, context)
  const relaxed = environmentChanges(thresholdSources(after), variables)
  if (base === undefined) return { layer, changes: relaxed }
  const thresholds = await validPolicySources(base, context)
  const policy = stricterPolicy(layer.policy, resolvePolicy(stage, { ...thresholds, ...variables }))
  const oldRules = ruleSources(base)
  const sameRules = JSON.stringify(oldRules) === JSON.stringify(ruleSources(after))
  const sameOverrides = base.get(OVERRIDES_FILE) === after.get(OVERRIDES_FILE)
  const [baseRules, baseOverrides, checks] = await Promise.all([
    sameRules ? layer.userRules : unlessInvalid(readUserRules(oldRules, shippedRules), undefined),
    sameOverrides
      ? layer.overrides
      : unlessInvalid(loadSeverityOverrides(base.get(OVERRIDES_FILE), context), NO_OVERRIDES),
    joinCheckTexts(base.get(CHECKS_FILE), after.get(CHECKS_FILE), layer.checks),
  ])
  const rules = sameRules
    ? { userRules: layer.userRules, changes: [] }
    : joinUserRules(baseRules, layer.userRules)
  const overrides = sameOverrides
    ? { overrides: layer.overrides, changes: [] }
    : joinOverrides(
        baseOverrides,
        layer.overrides,
        { ...context, shippedRules: await shippedRules() },
        OVERRIDES_FILE,
      )
  return {
    layer: {
      policy,
      userRules: rules.userRules,
      overrides: overrides.overrides,
      checks: checks.required,
    },
    changes: [
      ...relaxed,
      ...thresholdChanges(thresholds, thresholdSources(after)),
      ...rules.changes,
      ...overrides.changes,
      ...checks.changes,
    ],
  }
}

export interface PolicyPorts extends Omit<LayerContext, 'stage'>, KeyPorts {
  readonly git: GitReader
  readonly files: RepositoryFiles & FolderNames
}

interface PolicyRequest {
  readonly stage: GateStage
  /** Whose policy judges: the stricter one of the base and the change, or that of the working tree alone. */
  readonly policyFrom: 'base' | 'worktree'
}

/** The folder of the specification. */
export const OPENSPEC_FOLDER = 'openspec'

const SPECIFICATION_REMOVED: PolicyChange = {
  file: OPENSPEC_FOLDER,
  effect: 'without the folder, no specification is asked for',
  weaker: true,
}

const REVIEW_REMOVED: PolicyChange = {
  file: ACCEPTANCES_FILE,
  effect: 'new acceptances need no second developer any more',
  weaker: true,
}

/** The policy of the working tree alone. */
export const readWorktreePolicy = async (
  ports: PolicyPorts,
  { stage }: Pick<PolicyRequest, 'stage'>,
): Promise<PolicyLayer> => parseLayer(await readPolicyFiles(ports.files), { ...ports, stage })

export interface ReadPolicy extends JoinedPolicy {
  readonly attributes: string | undefined
  /** The judged version of the policy files first, then the base. */
  readonly files: readonly PolicyVersion[]
  readonly acceptances: AcceptanceVersions
  /** What the receipt says of both versions. */
  readonly versions: {
    readonly baseTree: string | undefined
    /** The keys file of the target: its keys must have signed the receipts of the commits. */
    readonly targetKeys: string | undefined
    readonly isRelaxed: boolean
    readonly policies: { readonly base?: PolicyDigests; readonly head: PolicyDigests }
  }
}

/** What a change of the keys does. The parser is loaded only where they change. */
const keysChanged = async (base: string | undefined, after: string | undefined): Promise<PolicyChange[]> => {
  if (base === after) return []
  const [{ parseKeys }, { keyChanges }] = await Promise.all([
    import('../receipts/keys-file.ts'),
    import('../receipts/key-changes.ts'),
  ])
  const changes = keyChanges(await unlessInvalid(parseKeys(base), []), await parseKeys(after))
  return changes.map((one) => ({ file: KEYS_FILE, ...one }))
}

type PolicyChangeSet = Pick<ChangeSet, 'source' | 'base' | 'head' | 'target' | 'merged'>

/** The tree of the commit that a range left, and the policy files of its last commit: what a receipt names. */
const readEnds = async (
  git: GitReader,
  { base, head }: PolicyChangeSet,
  signal: AbortSignal,
): Promise<{ readonly baseTree: string | undefined; readonly head: PolicyDigests }> => {
  const [left, last] = await Promise.all(
    [base, head].map((commit) =>
      commit === undefined ? undefined : git.filesAt(commit, POLICY_PATHS, signal),
    ),
  )
  return { baseTree: left?.tree, head: last ? policyDigests(await readPolicyFiles(last)) : {} }
}

/** What accepts findings has to be part of the change: a file of the working tree alone does not count. */
const readOwnAcceptances = async (
  { git, files }: PolicyPorts,
  { source }: PolicyChangeSet,
  last: RepositoryFiles | undefined,
  signal: AbortSignal,
): Promise<string | undefined> => {
  if (last !== undefined || source !== 'git:staged') return readPolicyFile(last ?? files, ACCEPTANCES_FILE)
  const index = await git.tracked(undefined, signal)
  for await (const { bytes } of index.read([ACCEPTANCES_FILE], signal))
    return bytes && new TextDecoder().decode(bytes)
  return undefined
}

/** The policy of the base and of the change, joined; where it is tried out, that of the working tree alone. */
export const readJoinedPolicy = async (
  ports: PolicyPorts,
  request: PolicyRequest,
  set: PolicyChangeSet,
  signal: AbortSignal,
): Promise<ReadPolicy> => {
  const { stage, policyFrom } = request
  const { git } = ports
  const { target = set.base, merged } = set
  const [from, to] = merged === undefined ? [set.base, set.head] : [target, merged]
  const before = from === undefined ? undefined : await git.filesAt(from, POLICY_PATHS, signal)
  const last = to === undefined ? undefined : await git.filesAt(to, POLICY_PATHS, signal)
  const files = last === undefined ? ports.files : overlayCommit(ports.files, last, before)
  const [old, read, acceptances] = await Promise.all([
    before && readPolicyFiles(ignoreUnusable(before)),
    readPolicyFiles(files),
    readOwnAcceptances(ports, set, last, signal),
  ])
  const present = new Map(read)
  if (acceptances === undefined) present.delete(ACCEPTANCES_FILE)
  else present.set(ACCEPTANCES_FILE, acceptances)
  const [joined, keys] = await Promise.all([
    joinLayers(old, present, { ...ports, stage }),
    before === undefined ? [] : keysChanged(old?.get(KEYS_FILE), present.get(KEYS_FILE)),
  ])
  const removed = ((await before?.exists(OPENSPEC_FOLDER)) && !(await files.exists(OPENSPEC_FOLDER))) ?? false
  const accepted = {
    base: await unlessInvalid(parseAcceptances(old?.get(ACCEPTANCES_FILE)), NO_ACCEPTANCES),
    after: await parseAcceptances(acceptances),
  }
  const unreviewed = accepted.base.review && !accepted.after.review
  const ends = merged === undefined ? undefined : await readEnds(git, set, signal)
  return {
    layer: policyFrom === 'base' ? joined.layer : await readWorktreePolicy(ports, request),
    changes: [
      ...joined.changes,
      ...keys,
      ...(removed ? [SPECIFICATION_REMOVED] : []),
      ...(unreviewed ? [REVIEW_REMOVED] : []),
    ],
    attributes: before && (await readPolicyFile(ignoreUnusable(before), ATTRIBUTES_FILE)),
    files: [
      { commit: undefined, files: present },
      ...(old === undefined ? [] : [{ commit: from, files: old }]),
    ],
    acceptances: accepted,
    versions: {
      baseTree: ends === undefined ? before?.tree : ends.baseTree,
      targetKeys: target === from ? old?.get(KEYS_FILE) : await readCommitKeys(git, target, signal),
      isRelaxed: joined.changes.some(({ fromEnvironment }) => fromEnvironment),
      policies: {
        ...optional({ base: old && policyDigests(old) }),
        head: ends === undefined ? policyDigests(present) : ends.head,
      },
    },
  }
}
