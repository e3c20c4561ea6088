import type { Evidence } from '../../evidence/schema.ts'
import type { GateStage } from '../../evidence/stage.ts'
import type { EvidenceReader } from '../../evidence/store.ts'
import type { PresentTree, RecordedRun } from '../../gate/check-binding.ts'
import { readRepoState } from '../../gate/facts/repo-state.ts'
import { stageScope } from '../../gate/facts/scope.ts'
import { type GateInput, type GateVerdict, judgeEvidence } from '../../gate/judge-evidence.ts'
import { readChangeState, readWorkingTree } from '../../gate/judged-tree.ts'
import type { GitReader } from '../../gate/ports.ts'
import { citedPackets } from '../../gate/reports/citations.ts'
import { Fault } from '../../kernel/fault.ts'
import { gitReader } from '../../platform/git/reader.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import type { ReceiptTrust } from '../../receipts/verify-receipt.ts'
import { repoLifecycle } from '../../setup/git-hooks/installation.ts'
import { readBuild } from '../build-event.ts'
import type { Config } from '../config/settings.ts'
import { revokedInputNotes } from './packets/citations.ts'
import { readPolicy } from './read-policy.ts'
import type { JudgedState } from './receipts/make-receipt.ts'
import { readRecordedRun } from './recorded-run.ts'
import { openRepository, type RepositoryContext } from './repository.ts'

export interface EvidenceCheck {
  /** Need not be a repository. */
  readonly root: string
  /** The root of the settings, which may be a folder of the repository. */
  readonly folder: string
  readonly config: Config
  readonly evidence: EvidenceReader
  readonly context: RepositoryContext
  readonly stage: GateStage
  readonly signal: AbortSignal
}

/** Whether a commit is one of this repository. */
const isKnown = async (git: GitReader, commit: string | null, signal: AbortSignal): Promise<boolean> =>
  commit !== null &&
  (commit === (await git.head(signal)) || (await git.resolve([commit], signal)) !== undefined)

/** What the stage would judge now, to compare with what the evidence judged. */
const readPresent = async (
  git: GitReader,
  { judged_tree: judged }: Evidence,
  { stage, context, signal }: EvidenceCheck,
): Promise<PresentTree | undefined> => {
  if (judged === undefined || (await git.root(signal)) === undefined) return undefined
  const { head } = judged
  const readScope = async () => {
    const build = stage === 'CI' ? await readBuild(context.environment) : undefined
    const scope = await stageScope(stage, { git, build }, signal)
    if (scope.kind !== 'repository')
      return { tree: await readChangeState(await git.changes(scope, signal), signal) }
    // The changes against the last commit, and that commit, identify all files.
    const [tree, repositoryHead] = await Promise.all([readWorkingTree(git, signal), git.head(signal)])
    return { tree, repositoryHead }
  }
  const [scope, knownHead] = await Promise.all([
    readScope().catch((thrown: unknown) => {
      // The gate would end with this fault, so there is nothing that it allows.
      if (thrown instanceof Fault) return thrown
      throw thrown
    }),
    isKnown(git, head, signal),
  ])
  if (scope instanceof Fault) return { problem: scope.message }
  const { tree, repositoryHead } = scope
  const worktree = tree.entries.length === 0 ? await readWorkingTree(git, signal) : tree
  return { scope: tree, worktree, knownHead, repositoryHead }
}

/** The branch that is checked out, or those that point at a detached head. */
const readBranches = async (
  git: GitReader,
  branch: string | null,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  if (branch === 'HEAD') return git.branchesAtHead(signal)
  return branch === null ? [] : [branch]
}

/** Whether a trusted key signed the receipt of the newest run. */
const checkReceipt = async (
  keys: string | undefined,
  recorded: RecordedRun | undefined,
): Promise<ReceiptTrust> => {
  if (recorded?.envelope === undefined) return 'invalid'
  const [{ parseKeys }, { verifyReceipt, evidenceOf }] = await Promise.all([
    import('../../receipts/keys-file.ts'),
    import('../../receipts/verify-receipt.ts'),
  ])
  const { trust, receipt } = verifyReceipt(recorded.envelope, { listed: await parseKeys(keys) })
  // The entry of the log could have been written by hand around a receipt of another run.
  return receipt !== undefined && evidenceOf(receipt) === recorded.evidence ? trust : 'invalid'
}

/** Whether no key that the repository lists signed a receipt of this evidence. False where it lists none. */
export const lacksTrustedReceipt = async (
  {
    root,
    folder,
    config,
    environment,
  }: Pick<EvidenceCheck, 'root' | 'folder' | 'config'> & {
    readonly environment: NodeJS.ProcessEnv
  },
  { evidence_chain: chain }: Evidence,
): Promise<boolean> => {
  const git = gitReader({ folder: root, environment, gitFolders: config.gitFolders }, { sharesStatus: true })
  const { signal } = new AbortController()
  const [{ keys }, recorded] = await Promise.all([
    readPolicy({ files: repositoryFiles(root), git, environment }, 'PRE_WRITE', signal),
    readRecordedRun(config, [root, folder]),
  ])
  if (keys === undefined) return false
  const isRecorded = chain !== undefined && chain.payload_hash === recorded?.evidence
  return !isRecorded || (await checkReceipt(keys, recorded)) !== 'trusted'
}

/** What a check knows: the input of the verdict, and the last commit. */
interface CheckInput extends GateInput {
  readonly commit: string | undefined
  /** The keys file of the last commit, or else of the working tree. */
  readonly keys: string | undefined
}

/** Everything that the verdict on the evidence of a folder depends on. */
export const readCheckInput = async (check: EvidenceCheck): Promise<CheckInput> => {
  const { root, folder, config, evidence, context, stage, signal } = check
  const { environment, clock, gitFolders = [] } = context
  // One state of the repository for the whole check, and each fact is asked once.
  const git = gitReader({ folder: root, environment, gitFolders }, { sharesStatus: true })
  const lifecycle = (top: string) => repoLifecycle(openRepository(top, context).lifecycle, signal)
  const [reading, state, { policy, keys }, recorded] = await Promise.all([
    evidence.read(),
    readRepoState({ git, folder: root, lifecycle }, signal),
    readPolicy({ files: repositoryFiles(root), git, environment }, stage, signal),
    readRecordedRun(config, [root, folder]),
  ])
  const [present, branches, commit, receipt, notes] = await Promise.all([
    reading.kind === 'valid' ? readPresent(git, reading.evidence, check) : undefined,
    readBranches(git, state.git.branch, signal),
    state.git.available ? git.head(signal) : null,
    keys === undefined && !config.requireReceipt ? undefined : checkReceipt(keys, recorded),
    reading.kind === 'valid' ? revokedInputNotes(root, citedPackets(reading.evidence)) : [],
  ])
  const { protectedBranches } = config
  const facts = {
    present,
    recorded,
    protectedBranches,
    branches,
    receipt,
    notes,
    commit: commit ?? undefined,
    keys,
  }
  return { reading, state, stage, policy, now: clock.now(), ...facts }
}

/** Judges the evidence of a folder and the state of its repository under the policy of the stage. */
export const checkEvidence = async (check: EvidenceCheck): Promise<GateVerdict> =>
  judgeEvidence(await readCheckInput(check))

/** What the receipt of a check names. */
export const judgedState = ({ reading, recorded, commit }: CheckInput): JudgedState => {
  const own = reading.kind === 'valid' ? reading.evidence.evidence_chain?.payload_hash : undefined
  const tree = own !== undefined && own === recorded?.evidence ? recorded.tree : undefined
  return { tree, commit, evidence: own }
}
