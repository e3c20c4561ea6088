import type { EvidenceReader } from '../../evidence/store.ts'
import { readRepoState } from '../../gate/facts/repo-state.ts'
import { repoLifecycle } from '../../gate/install/installation.ts'
import { type GateVerdict, judgeEvidence } from '../../gate/judge.ts'
import type { GateStage } from '../../gate/stage.ts'
import { gitReader } from '../../platform/git/reader.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { readPolicy } from './read-policy.ts'
import { openRepository, type RepositoryContext } from './repository.ts'

interface EvidenceCheck {
  /** Need not be a repository. */
  readonly root: string
  readonly evidence: EvidenceReader
  readonly context: RepositoryContext
  readonly stage: GateStage
  readonly signal: AbortSignal
}

/** Judges the evidence of a folder and the state of its repository under the policy of the stage. */
export const checkEvidence = async (check: EvidenceCheck): Promise<GateVerdict> => {
  const { root, evidence, context, stage, signal } = check
  const { environment, clock, gitFolders = [] } = context
  const git = gitReader({ folder: root, environment, gitFolders })
  const lifecycle = (top: string) => repoLifecycle(openRepository(top, context).lifecycle, signal)
  const [reading, state, policy] = await Promise.all([
    evidence.read(),
    readRepoState({ git, folder: root, lifecycle }, signal),
    readPolicy(repositoryFiles(root), environment, stage),
  ])
  return judgeEvidence({ reading, state, stage, policy, now: clock.now() })
}
