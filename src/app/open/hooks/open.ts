import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { MAX_FILE_BYTES } from '../../../gate/ports.ts'
import { GIT_PARTS, OWN_FILES } from '../../../hooks/own-files.ts'
import type { AgentHookPorts, JudgedFiles } from '../../../hooks/ports.ts'
import { lazyAsync } from '../../../kernel/async/once.ts'
import { isPathInside } from '../../../kernel/text/path-inside.ts'
import { findWriteTarget } from '../../../platform/files/setup-files.ts'
import { userStateFolder } from '../../../platform/files/user-state.ts'
import { findPlace } from '../../../platform/git/place.ts'
import { gitReader } from '../../../platform/git/reader.ts'
import { askGit, type GitPlace } from '../../../platform/git/run.ts'
import { openRegularFile, readBytes } from '../../../platform/jail/async.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import type { Config } from '../../config/settings.ts'
import type { JudgeRange, MovedTips } from './find-unjudged.ts'

/** The program itself, where it is installed as a dependency: its files decide what is answered. */
const programFolder = (program: string | undefined): string[] => {
  const [folder] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(program ?? '') ?? []
  return folder === undefined || !isAbsolute(folder) ? [] : [folder]
}

interface OwnPlaces {
  readonly place: GitPlace
  readonly home: string
  readonly environment: NodeJS.ProcessEnv
  readonly program: string | undefined
  /** Hooks, and settings of clients with our entry. */
  readonly entries: readonly string[]
}

/** Absolute paths that only a person and this program change. */
const listOwnPaths = ({ place, home, environment, program, entries }: OwnPlaces): readonly string[] => {
  const root = place.folder
  const folders = [...new Set([join(root, '.git'), place.folders?.own, place.folders?.common])].filter(
    (one) => one !== undefined,
  )
  return [
    ...OWN_FILES.map((path) => join(root, path)),
    ...folders.flatMap((folder) => GIT_PARTS.map((part) => join(folder, part))),
    userStateFolder(environment, process.platform, () => home),
    ...entries,
    ...programFolder(program),
  ]
}

interface HookContext {
  readonly environment: NodeJS.ProcessEnv
  readonly cwd: string
  /** The file of this program. */
  readonly program: string | undefined
  readonly signal: AbortSignal
  /** How long an answer may take, in milliseconds. */
  readonly budget: number
}

const NOTHING_FOUND: JudgedFiles = { blocking: [], exceptions: [], others: [] }

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])

/** The first bytes of a regular file, as many as the gate reads. */
const readFileBytes = async (path: string): Promise<Uint8Array | undefined> => {
  const opened = await openRegularFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (ABSENT.has(cause.code ?? '')) return undefined
    throw cause
  })
  if (opened === undefined) return undefined
  return readBytes(opened.file, Math.min(opened.size, MAX_FILE_BYTES)).finally(() => opened.file.close())
}

const MAX_LOOKED_AT = 200
const POLICY_FOLDER = '.warrant/'
/** What a comment that accepts a finding contains. */
const MARK = 'warrant-ignore'

/**
 * Whether the working tree may hold an exception that the last commit has not. To answer no costs one question to git
 * and the bytes of the changed files; the gate is loaded only for a yes.
 */
const mayBringException = async (place: GitPlace, signal: AbortSignal): Promise<boolean> => {
  const args = ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames']
  const { code, text } = await askGit(place, args, { signal })
  const paths = text.split('\0').flatMap((line) => (line.length > 3 ? [line.slice(3)] : []))
  if (code !== 0 || paths.length > MAX_LOOKED_AT) return true
  if (paths.some((path) => path.startsWith(POLICY_FOLDER))) return true
  for (const path of paths) {
    const bytes = await readFileBytes(join(place.folder, path)).catch(() => Buffer.from(MARK))
    // Without NUL bytes a text of two bytes a character reads like one of single bytes.
    if (bytes && Buffer.from(bytes).toString('latin1').replaceAll('\0', '').includes(MARK)) return true
  }
  return false
}

/** Opens the repository around the working folder for one event. Undefined outside of a repository. */
export const openAgentHook = async (
  config: Config,
  { environment, cwd, program, signal, budget }: HookContext,
): Promise<AgentHookPorts | undefined> => {
  const { gitFolders } = config
  const start = { folder: resolve(cwd, config.root), environment, gitFolders }
  const place = await findPlace(start, signal)
  if (place === undefined) return undefined
  const root = place.folder
  const home = environment.HOME ?? environment.USERPROFILE ?? root
  const judging = lazyAsync(async () => {
    const { openFileJudge } = await import('./evaluate-proposed-files.ts')
    const git = gitReader({ ...start, found: place })
    return openFileJudge({ config, root, git, environment, signal })
  })
  const compare = lazyAsync(async () => {
    const { compareGuard } = await import('./compare-guard.ts')
    const { folders } = place
    if (folders === undefined) return { change: undefined, paths: [] }
    const findUnjudged = async (tips: Omit<MovedTips, 'budget'>) => {
      const { findUnjudged } = await import('./find-unjudged.ts')
      const git = gitReader({ ...start, found: place })
      const judge: JudgeRange = async (range) => (await judging.get()).judgeRange(range)
      return findUnjudged({ root, config, git, signal }, place, { ...tips, budget }, judge)
    }
    const now = () => systemClock.now()
    return compareGuard({ place, folders, home, signal, now, findUnjudged }, config.readOnly)
  })
  return {
    root,
    home,
    cwd,
    locate: async (path) => {
      const real = await findWriteTarget(path)
      const inside = isPathInside(root, real) ? relative(root, real).split(sep).join('/') : ''
      return { real, path: inside === '' ? undefined : inside }
    },
    read: readFileBytes,
    ownPaths: async () =>
      listOwnPaths({ place, home, environment, program, entries: (await compare.get()).paths }),
    judge: async (files) => (await judging.get()).judge(files),
    judgeWritten: async (files) => (await judging.get()).judgeWritten(files),
    judgeCommit: async () => {
      const isPossible = await mayBringException(place, signal)
      return isPossible ? (await judging.get()).judgeCommit() : NOTHING_FOUND
    },
    compareGuard: async () => (await compare.get()).change,
    state: async () => (await import('./hook-state.ts')).readGateState({ config, root, environment, signal }),
  }
}
