import type { ChildProcess } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { defineFaults } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import { childProcess } from '../programs/process-groups.ts'
import { trustedPath } from '../programs/trusted-path.ts'

export const gitFaults = defineFaults('git', {
  absent: { kind: 'unavailable', fix: 'Install git and make sure that it is on the PATH.' },
  repository: { kind: 'missing', fix: 'Run this inside a git repository.' },
  failed: { kind: 'unavailable', fix: 'Run `git status` in the repository to see what is wrong.' },
  revision: {
    kind: 'invalid',
    fix: 'Name commits that exist in this clone, or fetch them first; a CI job fetches them with `fetch-depth: 0`.',
  },
  foreign_folder: {
    kind: 'refused',
    fix: 'Run this in the repository that the folder belongs to. If this repository is meant to use it, allow it with --git-folders.',
  },
  foreign_worktree: {
    kind: 'refused',
    fix: 'Remove the setting with `git config --unset core.worktree`, or run this in the folder that it names.',
  },
  above_root: {
    kind: 'refused',
    fix: 'Name the top of the repository with --root, or start in this folder without --root.',
  },
})

// The repository is untrusted: its configuration must not run programs, take locks or change the output.
export const SAFE_CONFIG = [
  '--no-optional-locks',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'status.renameLimit=1000',
    // A file that git wrote to find commits faster can name other parents and other contents.
    'core.commitGraph=false',
    // With these three, a changed file can look unchanged.
    'core.ignoreStat=false',
    'core.trustctime=true',
    'core.checkStat=default',
    // git-lfs is a filter of the user, but it runs programs that the configuration of the repository names.
    'filter.lfs.process=',
    'filter.lfs.clean=',
    'filter.lfs.required=false',
    // Committed files can form a bare repository with a configuration of its own.
    'safe.bareRepository=explicit',
  ].flatMap((one) => ['-c', one]),
]
/** Dirty submodules are ignored: git would start another git in each, which uses the configuration it finds there. */
export const STATUS_ARGS = ['status', '--porcelain=v2', '--branch', '-z', '--ignore-submodules=dirty']
const MAX_BYTES = 256 * 1024 * 1024
const MAX_MS = 30_000

// In a hook, GIT_DIR and similar variables may point to another repository. The paths of the user's settings are kept.
const DROPPED_VARIABLES = /^GIT_(?!CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)$)/

/**
 * The environment of git in the repository at `folder`. Missing objects of a partial clone must not be fetched from
 * the network: GIT_NO_LAZY_FETCH forbids it in newer versions, GIT_ALLOW_PROTOCOL in all others. Replacements and
 * grafts would put other objects and other parents in the place of those that are pushed.
 */
const cleanEnvironment = (environment: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv => {
  const clean: NodeJS.ProcessEnv = {}
  for (const name of Object.keys(environment))
    if (!DROPPED_VARIABLES.test(name)) clean[name] = environment[name]
  return Object.assign(clean, {
    PATH: trustedPath(environment.PATH, folder),
    LC_ALL: 'C',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null',
    // Git must not find a repository in a parent folder, nor files in the folder that core.worktree names.
    GIT_CEILING_DIRECTORIES: dirname(folder),
    GIT_WORK_TREE: folder,
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  })
}

export type GitSetting = readonly [key: string, value: string]

/** Where git keeps a repository: the folder of this working tree, and the one that all its worktrees share. */
export interface GitFolders {
  readonly own: string
  readonly common: string
}

export interface GitPlace {
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  /** Known once they were inspected. */
  readonly folders?: GitFolders
  /** Another index than `.git/index`: `git commit -a` passes a temporary one to its hook. */
  readonly indexFile?: string
  /** Settings that override the configuration. */
  readonly settings?: readonly GitSetting[]
  /** A git folder without a working tree, in the place of the one in `folder`. */
  readonly gitFolder?: string
  /** Further folders of objects, in quotes: those of merges that are still read. */
  readonly objects?: Set<string>
}

/** As environment variables, because a key on the command line cannot hold an equals sign. */
const settingVariables = (settings: readonly GitSetting[]): NodeJS.ProcessEnv =>
  Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(settings.length)],
    ...settings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ])

export const gitOptions = ({ folder, environment, indexFile, settings, gitFolder, objects }: GitPlace) => ({
  cwd: gitFolder ?? folder,
  env: {
    ...cleanEnvironment(environment, folder),
    ...optional({ GIT_INDEX_FILE: indexFile }),
    ...(objects?.size && { GIT_ALTERNATE_OBJECT_DIRECTORIES: [...objects].join(delimiter) }),
    ...(gitFolder !== undefined && { GIT_DIR: gitFolder, GIT_WORK_TREE: undefined }),
    ...(settings !== undefined && settingVariables(settings)),
  },
})

interface RunOptions {
  readonly signal: AbortSignal
  readonly input?: string | Uint8Array
}

interface RawOutput {
  /** The exit code of git. */
  readonly code: number
  readonly bytes: Buffer
}

/** Node.js gives a child no pipes when this process has too many open files, and says so after the fact. */
export const requirePipes = <T extends ChildProcess>(child: T): T => {
  if (child.stdout !== undefined) return child
  child.on('error', () => {})
  throw gitFaults.absent('git cannot be started: too many files are open', {
    fix: 'Close other programs, or raise the limit of open files (`ulimit -n`).',
  })
}

/** Opens only the pipes that are needed: a pipe costs more than reading a short output. */
const launch = (place: GitPlace, args: readonly string[], { signal, input }: RunOptions) => {
  const options = { ...gitOptions(place), signal }
  if (input === undefined)
    return requirePipes(
      childProcess().spawn('git', args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] }),
    )
  const child = requirePipes(
    childProcess().spawn('git', args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] }),
  )
  // EPIPE is ignored: if git exits before it has read everything, its exit code says so.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return child
}

/** Runs git and returns its output, whatever the exit code. Throws when it cannot start or is killed. */
export const spawnGit = (place: GitPlace, args: readonly string[], options: RunOptions): Promise<RawOutput> =>
  new Promise((resolve, reject) => {
    const { signal } = options
    const child = launch(place, [...SAFE_CONFIG, ...args], options)
    // Not spawn's `timeout`: its timer keeps the process alive for 30 s when git could not be started.
    const timer = setTimeout(() => child.kill(), MAX_MS)
    const parts: Buffer[] = []
    let bytesLeft = MAX_BYTES
    child.stdout.on('data', (part: Buffer) => {
      bytesLeft -= part.length
      if (bytesLeft >= 0) parts.push(part)
      else child.kill()
    })
    child.once('error', (cause) => {
      clearTimeout(timer)
      reject(signal.aborted ? signal.reason : gitFaults.absent('git cannot be started', { cause }))
    })
    child.once('close', (code) => {
      clearTimeout(timer)
      if (code !== null && bytesLeft >= 0) return resolve({ code, bytes: Buffer.concat(parts) })
      reject(
        signal.aborted
          ? signal.reason
          : gitFaults.failed(`git ${args[0]} was killed: it took too long or wrote too much`),
      )
    })
  })

export const askGit = async (
  place: GitPlace,
  args: readonly string[],
  options: RunOptions,
): Promise<{ readonly code: number; readonly text: string }> => {
  const { code, bytes } = await spawnGit(place, args, options)
  return { code, text: bytes.toString('utf8') }
}

/** The output of a git that has to succeed. */
export const readGit = async (
  place: GitPlace,
  args: readonly string[],
  options: RunOptions,
): Promise<Buffer> => {
  const { code, bytes } = await spawnGit(place, args, options)
  if (code === 0) return bytes
  throw gitFaults.failed(`git ${args[0]} exited with code ${code}`)
}

export const runGit = async (
  place: GitPlace,
  args: readonly string[],
  options: RunOptions,
): Promise<string> => (await readGit(place, args, options)).toString('utf8')
