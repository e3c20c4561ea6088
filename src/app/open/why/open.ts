import { loadChecks } from '../../../gate/checks/load-checks.ts'
import { judgeEvidence } from '../../../gate/judge-evidence.ts'
import { resolvePolicy } from '../../../gate/policy.ts'
import {
  ignoreUnusable,
  POLICY_PATHS,
  type PolicyFiles,
  readPolicyFiles,
  unlessInvalid,
} from '../../../gate/policy-files.ts'
import type { GitReader } from '../../../gate/ports.ts'
import { readSession } from '../../../gate/sdd/session.ts'
import { explainVerdict } from '../../../gate/why/explain-verdict.ts'
import type { VerdictExplanation, VerdictRequest } from '../../../gate/why/explanation.ts'
import type { ReceiptSummary } from '../../../gate/why/rests-on.ts'
import type { PolicyVersion } from '../../../gate/why/threshold-lines.ts'
import { Fault } from '../../../kernel/fault.ts'
import { DECISION_LOG } from '../../../lineage/origin.ts'
import { gitConfig } from '../../../platform/git/config.ts'
import { gitReader } from '../../../platform/git/reader.ts'
import { repositoryFiles } from '../../../platform/git/worktree.ts'
import { type EvidenceCheck, readCheckInput } from '../check-evidence.ts'
import { policyVariables, requireUsablePolicy } from '../read-policy.ts'

const COMMIT = /^[0-9a-f]{40,64}$/

const toVersion = async (commit: string | undefined, files: PolicyFiles): Promise<PolicyVersion> => ({
  commit,
  files,
  checks: (await unlessInvalid(loadChecks(files.checks), [])).map(({ check }) => check),
})

/** The policy at a commit; undefined when this clone does not have it. What cannot be used counts as absent. */
const readVersion = async (
  git: GitReader,
  commit: string,
  signal: AbortSignal,
): Promise<PolicyVersion | undefined> => {
  try {
    const files = await git.filesAt(commit, POLICY_PATHS, signal)
    if (files === undefined) return undefined
    const read = await readPolicyFiles(ignoreUnusable(files))
    const isValid = await unlessInvalid((async () => resolvePolicy('CI', read) !== undefined)(), false)
    return toVersion(commit, isValid ? read : { ...read, hardFile: undefined, skillsFile: undefined })
  } catch (thrown) {
    if (thrown instanceof Fault) return undefined
    throw thrown
  }
}

/** The fault that would stop a run of the gate; undefined when there is none. */
const findProblem = async (root: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> => {
  try {
    await requireUsablePolicy(root, environment)
    return undefined
  } catch (thrown) {
    if (thrown instanceof Fault) return `${thrown.message}. ${thrown.fix}`
    throw thrown
  }
}

/** The receipt of the newest run, by the keys of the last commit or else of the working tree. */
const readReceipt = async (
  envelope: string | undefined,
  versions: readonly PolicyVersion[],
): Promise<ReceiptSummary | undefined> => {
  if (envelope === undefined) return undefined
  const [present, committed] = versions
  const keys = committed?.files.keys ?? present?.files.keys
  const [{ parseKeys }, { verifyReceipt }] = await Promise.all([
    import('../../../receipts/keys-file.ts'),
    import('../../../receipts/verify-receipt.ts'),
  ])
  const listed = await unlessInvalid(parseKeys(keys), [])
  const { digest, trust, owner, role, why } = verifyReceipt(envelope, { listed })
  if (trust === 'trusted') return { digest, detail: `trusted: signed by ${owner} (${role})` }
  const isUnlisted = keys === undefined && trust === 'foreign'
  return {
    digest,
    detail: isUnlisted ? 'signed; the repository lists no keys' : `${trust}: ${why ?? 'unknown'}`,
  }
}

/** The change of the open session; undefined when there is none. */
const readChange = async ({
  root,
  context,
  signal,
}: Omit<EvidenceCheck, 'stage'>): Promise<string | undefined> => {
  const { environment, clock, gitFolders = [] } = context
  const keys = await gitConfig({ folder: root, environment, gitFolders }).read('pumuki.', signal)
  return readSession(keys, root, clock.now()).changeId
}

/** Explains the verdict of the evidence. Runs no rule and no check, and writes nothing. */
export const openWhy = async (
  check: Omit<EvidenceCheck, 'stage'>,
  { stage: asked, about }: VerdictRequest,
): Promise<VerdictExplanation> => {
  const { root, config, context, signal } = check
  const { environment, gitFolders = [] } = context
  const reading = await check.evidence.read()
  const evidence = reading.kind === 'valid' ? reading.evidence : undefined
  const made = evidence?.snapshot.stage
  const stage = asked ?? (made === undefined || made === 'STAGED' ? 'PRE_COMMIT' : made)
  const input = await readCheckInput({ ...check, stage })
  const git = gitReader({ folder: root, environment, gitFolders }, { sharesStatus: true })
  const isRepository = input.state.git.available
  const present = toVersion(undefined, await readPolicyFiles(repositoryFiles(root)))
  const base = evidence?.snapshot.policy_base
  const commits = new Set([
    isRepository ? await git.head(signal) : null,
    typeof base === 'string' && COMMIT.test(base) ? base : null,
  ])
  const before = await Promise.all(
    [...commits].flatMap((commit) =>
      commit === null || !isRepository ? [] : [readVersion(git, commit, signal)],
    ),
  )
  const versions = [await present, ...before.filter((one) => one !== undefined)]
  return explainVerdict({
    input,
    verdict: judgeEvidence(input),
    versions,
    receipt: await readReceipt(input.recorded?.envelope, versions),
    variables: policyVariables(environment),
    protectedBranches: config.protectedBranches,
    log: DECISION_LOG,
    change: evidence?.sdd_metrics === undefined ? undefined : await readChange(check),
    problem: await findProblem(root, environment),
    about,
    judges: config.check === 'judges',
  })
}
