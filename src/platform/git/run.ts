import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { defineFaults } from '../../kernel/fault.ts'
import { absolutePath } from '../programs/program.ts'

export const gitFaults = defineFaults('git', {
  absent: { kind: 'unavailable', fix: 'Install git and put it on the path.' },
  repository: { kind: 'missing', fix: 'Run this inside a git repository.' },
  failed: { kind: 'unavailable', fix: 'Run `git status` in the repository to see what is wrong with it.' },
  revision: { kind: 'invalid', fix: 'Name commits that exist here; fetch them if they are elsewhere.' },
})

// The repository is not ours: its configuration must not run programs, take locks on our account or change answers.
export const SAFE_CONFIG = [
  '--no-optional-locks',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'status.renameLimit=1000',
    // Files that were committed can look like a repository, with a configuration of their own.
    'safe.bareRepository=explicit',
  ].flatMap((one) => ['-c', one]),
]
/** In a submodule git would start another of its kind, which goes by the configuration it finds there. */
export const STATUS_ARGS = ['status', '--porcelain=v2', '--branch', '-z', '--ignore-submodules=dirty']
const MAX_BYTES = 256 * 1024 * 1024
const MAX_MS = 30_000

// In a hook GIT_DIR and its kin point elsewhere; which files hold the user's settings stays as it is.
const FOREIGN = /^GIT_(?!CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)$)/

/**
 * What git inherits. A missing object must not be fetched from the network behind anybody's back: the first word
 * says so to a git that knows it, the second to any other.
 */
export const cleanEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const clean: NodeJS.ProcessEnv = {}
  for (const name of Object.keys(environment)) if (!FOREIGN.test(name)) clean[name] = environment[name]
  return Object.assign(clean, {
    PATH: absolutePath(environment.PATH),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  })
}

/** A key of git's configuration and its value. */
export type GitSetting = readonly [key: string, value: string]

export interface GitPlace {
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  /** Another index than the repository's own: `git commit -a` hands its hook a temporary one. */
  readonly indexFile?: string
  /** What holds here whatever the configuration says. */
  readonly settings?: readonly GitSetting[]
}

/** As variables, because on the command line a key cannot hold an equals sign. */
const settingVariables = (settings: readonly GitSetting[]): NodeJS.ProcessEnv =>
  Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(settings.length)],
    ...settings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ])

export const gitOptions = ({ folder, environment, indexFile, settings }: GitPlace) => ({
  cwd: folder,
  env: {
    ...cleanEnvironment(environment),
    // The repository we looked at is the one that git takes, or none.
    GIT_CEILING_DIRECTORIES: dirname(folder),
    ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
    ...(settings !== undefined && settingVariables(settings)),
  },
})

interface RunOptions {
  readonly signal: AbortSignal
  readonly input?: string
}

interface RawAnswer {
  /** 0 when it went well; git's own exit code otherwise. */
  readonly code: number
  readonly bytes: Buffer
}

/** A pipe that nobody needs is not opened: each costs more than a short answer of git. */
const launch = (place: GitPlace, args: readonly string[], { signal, input }: RunOptions) => {
  const options = { ...gitOptions(place), signal }
  if (input === undefined) return spawn('git', args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] })
  const child = spawn('git', args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] })
  // A git that ends before it has read everything is heard through its exit code.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return child
}

/** Runs git and gives its answer, whatever its exit code. Not starting, dying or taking too long is a fault. */
const hearGit = (place: GitPlace, args: readonly string[], options: RunOptions): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { signal } = options
    const child = launch(place, [...SAFE_CONFIG, ...args], options)
    // Not spawn's `timeout`: its timer keeps the process alive for 30 s when git could not be started.
    const timer = setTimeout(() => child.kill(), MAX_MS)
    const parts: Buffer[] = []
    let room = MAX_BYTES
    child.stdout.on('data', (part: Buffer) => {
      room -= part.length
      if (room >= 0) parts.push(part)
      else child.kill()
    })
    child.once('error', (cause) => {
      clearTimeout(timer)
      reject(signal.aborted ? signal.reason : gitFaults.absent('git cannot be started', { cause }))
    })
    child.once('close', (code) => {
      clearTimeout(timer)
      if (code !== null && room >= 0) return resolve({ code, bytes: Buffer.concat(parts) })
      reject(signal.aborted ? signal.reason : gitFaults.failed(`git ${args[0]} did not finish`))
    })
  })

export interface GitAnswer {
  readonly code: number
  readonly text: string
}

export const askGit = async (
  place: GitPlace,
  args: readonly string[],
  options: RunOptions,
): Promise<GitAnswer> => {
  const { code, bytes } = await hearGit(place, args, options)
  return { code, text: bytes.toString('utf8') }
}

/** The same where anything but success is a fault. */
export const readGit = async (
  place: GitPlace,
  args: readonly string[],
  options: RunOptions,
): Promise<Buffer> => {
  const { code, bytes } = await hearGit(place, args, options)
  if (code === 0) return bytes
  throw gitFaults.failed(`git ${args[0]} ended with ${code}`)
}

export const runGit = async (
  place: GitPlace,
  args: readonly string[],
  options: RunOptions,
): Promise<string> => (await readGit(place, args, options)).toString('utf8')
