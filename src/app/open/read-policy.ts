import { type GatePolicy, HARD_MODE_FILE, resolvePolicy, SKILLS_FILE } from '../../gate/policy.ts'
import type { RepositoryFiles } from '../../gate/ports.ts'
import type { GateStage } from '../../gate/stage.ts'

const MAX_POLICY_BYTES = 1024 * 1024

export const readText = async (
  files: RepositoryFiles,
  path: string,
  limit: number,
): Promise<string | undefined> => {
  const bytes = await files.read(path, limit)
  return bytes && Buffer.from(bytes).toString('utf8')
}

/** The policy of a stage, from the variables and the policy files of the repository. */
export const readPolicy = async (
  files: RepositoryFiles,
  environment: NodeJS.ProcessEnv,
  stage: GateStage,
): Promise<GatePolicy> => {
  const [hardFile, skillsFile] = await Promise.all(
    [HARD_MODE_FILE, SKILLS_FILE].map((path) => readText(files, path, MAX_POLICY_BYTES)),
  )
  const { PUMUKI_HARD_MODE: hardMode, PUMUKI_HARD_MODE_PROFILE: hardProfile } = environment
  return resolvePolicy(stage, { hardMode, hardProfile, hardFile, skillsFile })
}
