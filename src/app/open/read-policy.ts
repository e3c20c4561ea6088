import type { GateStage } from '../../evidence/stage.ts'
import { ACCEPTANCES_FILE, parseAcceptances } from '../../gate/findings/acceptances.ts'
import { type GatePolicy, type PolicySources, stricterPolicy } from '../../gate/policy.ts'
import {
  POLICY_PATHS,
  readPolicyFile,
  readPolicyFiles,
  readThresholds,
  unlessInvalid,
} from '../../gate/policy-files.ts'
import { OPENSPEC_FOLDER, parseLayer } from '../../gate/policy-layer.ts'
import type { GitReader } from '../../gate/ports.ts'
import type { RepositoryFiles } from '../../kernel/ports.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { KEYS_FILE } from '../../receipts/keys-path.ts'
import { loadShippedRules } from './load-rules.ts'

/** The variables that take precedence over the policy files. */
export const policyVariables = ({
  PUMUKI_HARD_MODE: hardMode,
  PUMUKI_HARD_MODE_PROFILE: hardProfile,
}: NodeJS.ProcessEnv): Pick<PolicySources, 'hardMode' | 'hardProfile'> => ({ hardMode, hardProfile })

interface PolicyPorts {
  readonly files: RepositoryFiles
  readonly git: GitReader
  readonly environment: NodeJS.ProcessEnv
}

interface StagePolicy {
  readonly policy: GatePolicy
  /** The keys file of the last commit, or else of the working tree; undefined when neither has one. */
  readonly keys: string | undefined
}

/** The policy of a stage: the stricter one of the working tree and the last commit. */
export const readPolicy = async (
  { files, git, environment }: PolicyPorts,
  stage: GateStage,
  signal: AbortSignal,
): Promise<StagePolicy> => {
  const variables = policyVariables(environment)
  const read = async (from: RepositoryFiles) => {
    const [policy, keys] = await Promise.all([
      readThresholds(from, stage, variables),
      readPolicyFile(from, KEYS_FILE),
    ])
    return { policy, keys }
  }
  const readCommitted = async () => {
    const isRepository = (await git.root(signal)) !== undefined
    const head = isRepository ? await git.filesAt('HEAD', POLICY_PATHS, signal) : undefined
    return head && unlessInvalid(read(head), undefined)
  }
  const [present, committed] = await Promise.all([read(files), readCommitted()])
  if (committed === undefined) return present
  return {
    policy: stricterPolicy(present.policy, committed.policy),
    keys: committed.keys ?? present.keys,
  }
}

/** Throws the fault that would stop the gate: a policy file that exists and cannot be used. */
export const requireUsablePolicy = async (root: string, environment: NodeJS.ProcessEnv): Promise<void> => {
  const files = repositoryFiles(root)
  const [sources] = await Promise.all([readPolicyFiles(files), files.exists(OPENSPEC_FOLDER)])
  await parseAcceptances(sources.get(ACCEPTANCES_FILE))
  await parseLayer(sources, {
    stage: 'CI',
    policyVariables: policyVariables(environment),
    shippedRules: loadShippedRules,
    profile: 'default',
  })
}
