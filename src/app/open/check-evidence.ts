import type { EvidenceReader } from '../../evidence/store.ts'
import { readRepoState } from '../../gate/facts/repo-state.ts'
import { repoLifecycle } from '../../gate/install/installation.ts'
import { type GateVerdict, judgeEvidence } from '../../gate/judge.ts'
import { HARD_MODE_FILE, resolvePolicy, SKILLS_FILE } from '../../gate/policy.ts'
import type { GateStage } from '../../gate/stage.ts'
import { gitReader } from '../../platform/git/reader.ts'
import { repositoryFiles } from '../../platform/git/worktree.ts'
import { openRepository, type RepositoryContext } from './repository.ts'

const POLICY_BYTES = 1024 * 1024

/** The verdict over the evidence that lies in `root`, which need not be a repository. */
export const checkEvidence = async (
  root: string,
  evidence: EvidenceReader,
  context: RepositoryContext,
  stage: GateStage,
  signal: AbortSignal,
): Promise<GateVerdict> => {
  const { environment, clock } = context
  const files = repositoryFiles(root)
  const text = async (path: string) => {
    const bytes = await files.read(path, POLICY_BYTES)
    return bytes && Buffer.from(bytes).toString('utf8')
  }
  const git = gitReader({ folder: root, environment })
  const lifecycle = (top: string) => repoLifecycle(openRepository(top, context).lifecycle, signal)
  const [reading, state, hardFile, skillsFile] = await Promise.all([
    evidence.read(),
    readRepoState({ git, folder: root, lifecycle }, signal),
    text(HARD_MODE_FILE),
    text(SKILLS_FILE),
  ])
  const { PUMUKI_HARD_MODE: hardMode, PUMUKI_HARD_MODE_PROFILE: hardProfile } = environment
  const policy = resolvePolicy(stage, { hardMode, hardProfile, hardFile, skillsFile })
  return judgeEvidence({ reading, state, stage, policy, now: clock.now() })
}
