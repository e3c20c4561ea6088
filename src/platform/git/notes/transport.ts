import { runProgram } from '../../programs/program.ts'
import { trustedPath } from '../../programs/trusted-path.ts'
import type { GitPlace } from '../run.ts'

/**
 * Git with the network and the credentials of the user: the same that `git push` would use, without hooks, prompts and
 * background work.
 */

/** Variables that a hook passes for its repository; the repository is that of the folder. */
const OF_REPOSITORY =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|PREFIX|NAMESPACE|GRAFT_FILE|SHALLOW_FILE|QUARANTINE_PATH|IMPLICIT_WORK_TREE|REFLOG_ACTION)$/
const MAX_BYTES = 1024 * 1024
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'push.recurseSubmodules=no',
  'push.followTags=false',
].flatMap((one) => ['-c', one])

const userEnvironment = ({ environment, folder }: GitPlace): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => !OF_REPOSITORY.test(name))),
  PATH: trustedPath(environment.PATH, folder),
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GCM_INTERACTIVE: 'never',
})

/** How git ended: its output, or why there is none. */
interface TransportResult {
  readonly isDone: boolean
  readonly stdout: string
  /** Why it failed, in one line, without passwords and control characters. */
  readonly reason: string
}

/** The lines of git that say what went wrong; hints and progress are left out. */
const failureReason = (stderr: string): string => {
  const lines = stderr.split('\n').map((line) => line.trim())
  const told = lines.filter((line) => /^(fatal|error|remote|ssh|! )|denied|refused|not found/i.test(line))
  return (told.length > 0 ? told : lines.filter((line) => line !== ''))
    .slice(0, 3)
    .join('; ')
    .replace(/\/\/[^@/\s']+@/g, '//')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, 300)
}

/** Asks for no password: of ssh only where the user has not set a command of their own. */
const withBatchMode = async (place: GitPlace, signal: AbortSignal): Promise<NodeJS.ProcessEnv> => {
  const env = userEnvironment(place)
  if (env.GIT_SSH_COMMAND !== undefined || env.GIT_SSH !== undefined) return env
  const limits = { cwd: place.folder, env, ms: 5_000, bytes: MAX_BYTES, signal }
  const configured = await runProgram('git', ['config', '--get', 'core.sshCommand'], limits)
  const isOwn = configured?.exitCode === 0 && configured.stdout.trim() !== ''
  return isOwn ? env : { ...env, GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=10' }
}

/** Runs `git push` or `git fetch`; how long it may take is up to the signal. */
export const runTransport = async (
  place: GitPlace,
  args: readonly string[],
  signal: AbortSignal,
): Promise<TransportResult> => {
  const env = await withBatchMode(place, signal)
  const limits = { cwd: place.folder, env, ms: 60_000, bytes: MAX_BYTES, signal }
  const result = await runProgram('git', [...SETTINGS, ...args], limits)
  if (result === undefined) return { isDone: false, stdout: '', reason: 'git cannot be started' }
  const { exitCode, stdout, stderr, cut } = result
  const reason = cut === 'time' ? 'it took too long' : failureReason(stderr)
  return { isDone: exitCode === 0 && cut === undefined, stdout, reason }
}
