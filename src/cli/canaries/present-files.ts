import { runProgram } from '../../platform/programs/program.ts'
import { LEFTHOOK_FILES, PRE_COMMIT_FILE } from '../../setup/git-hooks/hooks.ts'

/** What decides about hooks and policy, and may not be committed yet. */
const DECIDING = ['.warrant', '.husky', '.githooks', 'package.json', PRE_COMMIT_FILE, ...LEFTHOOK_FILES]
const LIST_MS = 60_000
const BYTES = 4 * 1024 * 1024

/** Files of the hooks and of the policy that differ from the last commit, without those that git ignores. */
export const presentFiles = async (
  top: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const words = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '--literal-pathspecs', 'ls-files', '-z']
  const listed = ['-m', '-d', '-o', '--exclude-standard', '--', ...DECIDING]
  const options = { cwd: top, env, ms: LIST_MS, bytes: BYTES, signal }
  const result = await runProgram('git', [...words, ...listed], options)
  return [...new Set((result?.stdout ?? '').split('\0'))].filter((path) => path !== '')
}
