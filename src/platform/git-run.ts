import { type ExecFileException, execFile } from 'node:child_process'
import { defineFaults } from '../kernel/fault.ts'

export const gitFaults = defineFaults('git', {
  absent: { kind: 'unavailable', fix: 'Install git and put it on the path.' },
  repository: { kind: 'missing', fix: 'Run this inside a git repository.' },
  failed: { kind: 'unavailable', fix: 'Run `git status` in the repository to see what is wrong with it.' },
  revision: { kind: 'invalid', fix: 'Name commits that exist here; fetch them if they are elsewhere.' },
})

// The repository is not ours: its configuration must not run programs, take locks on our account or change answers.
export const SAFE = [
  '--no-optional-locks',
  ...['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'status.renameLimit=1000'].flatMap((one) => [
    '-c',
    one,
  ]),
]
const MAX_BYTES = 256 * 1024 * 1024
const MAX_MS = 30_000

// In a hook GIT_DIR and its kin point elsewhere; which files hold the user's settings stays as it is.
const FOREIGN = /^GIT_(?!CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)$)/

/** What git inherits. A missing object must not be fetched from the network behind anybody's back. */
const cleanEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const kept = Object.entries(environment).filter(([name]) => !FOREIGN.test(name))
  return { ...Object.fromEntries(kept), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1' }
}

export interface GitPlace {
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  /** Another index than the repository's own: `git commit -a` hands its hook a temporary one. */
  readonly indexFile?: string
}

export const gitOptions = ({ folder, environment, indexFile }: GitPlace) => ({
  cwd: folder,
  env: {
    ...cleanEnvironment(environment),
    ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
  },
})

export interface GitAnswer {
  /** 0 when it went well; git's own exit code otherwise. */
  readonly code: number
  readonly text: string
}

interface RunOptions {
  readonly signal: AbortSignal
  readonly input?: string
}

const failureOf = (failure: ExecFileException, args: readonly string[], stderr: string) => {
  if (failure.code === 'ENOENT') return gitFaults.absent('git cannot be started', { cause: failure })
  const [words = ''] = stderr.split('\n')
  return gitFaults.failed(`git ${args[0]} did not finish${words === '' ? '' : `: ${words}`}`, {
    cause: failure,
  })
}

/** Runs git and gives its answer, whatever its exit code. Not starting, dying or taking too long is a fault. */
export const askGit = (
  place: GitPlace,
  args: readonly string[],
  { signal, input }: RunOptions,
): Promise<GitAnswer> =>
  new Promise((resolve, reject) => {
    const options = { ...gitOptions(place), maxBuffer: MAX_BYTES, timeout: MAX_MS, signal }
    const child = execFile('git', [...SAFE, ...args], options, (failure, stdout, stderr) => {
      if (failure === null) return resolve({ code: 0, text: stdout })
      if (typeof failure.code === 'number') return resolve({ code: failure.code, text: stdout })
      reject(signal.aborted ? signal.reason : failureOf(failure, args, stderr))
    })
    // A git that ends before it has read everything is heard through its exit code.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input ?? '')
  })

/** The same where anything but success is a fault. */
export const runGit = async (
  place: GitPlace,
  args: readonly string[],
  options: RunOptions,
): Promise<string> => {
  const { code, text } = await askGit(place, args, options)
  if (code === 0) return text
  throw gitFaults.failed(`git ${args[0]} ended with ${code}`)
}
