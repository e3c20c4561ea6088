import type { GitState, Scope } from '../../../gate/ports.ts'
import type { GateStage } from '../../../gate/stage.ts'

const isOn = (word: string | undefined): boolean => word !== undefined && !/^(|0|false)$/i.test(word.trim())

interface Inferred {
  readonly stage: GateStage
  /** What the caller's surroundings say is to be judged, when they do. */
  readonly scope: Scope | undefined
}

/**
 * Where we probably are, when nobody says. A build server says so itself; a hook shows by what git or its runner
 * hands it; otherwise what is staged is about to be committed, and without that somebody is still writing.
 */
export const inferStage = async (
  environment: NodeJS.ProcessEnv,
  state: () => Promise<GitState>,
): Promise<Inferred> => {
  const { CI, PRE_COMMIT_FROM_REF: from, PRE_COMMIT_TO_REF: to, GIT_INDEX_FILE } = environment
  if (isOn(CI)) return { stage: 'CI', scope: undefined }
  if (from && to) return { stage: 'PRE_PUSH', scope: { kind: 'range', from, to } }
  if (GIT_INDEX_FILE) return { stage: 'PRE_COMMIT', scope: undefined }
  return { stage: (await state()).staged > 0 ? 'PRE_COMMIT' : 'PRE_WRITE', scope: undefined }
}
