import { type GateStage, isBuildServer } from '../../evidence/stage.ts'
import type { GitState, Scope } from '../../gate/ports.ts'

interface Inferred {
  readonly stage: GateStage
  /** Set when the environment names the commits. */
  readonly scope: Scope | undefined
}

/**
 * The stage when no option names it. `CI` marks a build server, the variables of the pre-commit framework a push,
 * `GIT_INDEX_FILE` a commit hook. Otherwise staged changes mean PRE_COMMIT, and none mean PRE_WRITE.
 */
export const inferStage = async (
  environment: NodeJS.ProcessEnv,
  state: () => Promise<GitState>,
): Promise<Inferred> => {
  const { PRE_COMMIT_FROM_REF: from, PRE_COMMIT_TO_REF: to, GIT_INDEX_FILE } = environment
  if (isBuildServer(environment)) return { stage: 'CI', scope: undefined }
  if (from && to) return { stage: 'PRE_PUSH', scope: { kind: 'range', from, to } }
  if (GIT_INDEX_FILE) return { stage: 'PRE_COMMIT', scope: undefined }
  return { stage: (await state()).staged > 0 ? 'PRE_COMMIT' : 'PRE_WRITE', scope: undefined }
}
