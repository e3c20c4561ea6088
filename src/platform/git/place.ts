import { lstat, readdir, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { optional } from '../../kernel/optional.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { quoteShellWord } from '../../kernel/text/shell-quote.ts'
import { followLinks, isAbsent } from '../files/git-metadata.ts'
import { readRegularFile } from '../jail/async.ts'
import { findRepositoryRoot } from './find-root.ts'
import { type ConfigRecord, parseConfig } from './parse.ts'
import { askGit, type GitFolders, type GitPlace, type GitSetting, gitFaults } from './run.ts'

/**
 * Where git keeps a repository, read without starting git. `.git`, `commondir`, alternates and links may come with an
 * archive and name a repository of the user: then git would read from it, and the installation would write into it.
 */

const MAX_FILE_BYTES = 64 * 1024
/** Alternates may have alternates; git follows as many. */
const MAX_DEPTH = 5

/** A small file of git without its last newline; undefined when there is none. A link is not followed. */
const readSmallFile = async (path: string): Promise<string | undefined> => {
  try {
    const bytes = await readRegularFile(path, MAX_FILE_BYTES)
    if (bytes !== undefined) return bytes.toString('utf8').replace(/\r?\n$/, '')
  } catch (cause) {
    if (isAbsent(cause)) return undefined
  }
  throw gitFaults.foreign_folder(`.git/${basename(path)} is a link, or too large, or cannot be read`)
}

const findOwnFolder = async (top: string): Promise<string> => {
  const path = join(top, '.git')
  const stats = await lstat(path)
  if (stats.isDirectory()) return path
  const named = stats.isFile() ? /^gitdir: (.+)$/s.exec((await readSmallFile(path)) ?? '')?.[1] : '.git'
  const folder = named === undefined ? undefined : await realpath(resolve(top, named)).catch(() => undefined)
  if (folder === undefined) throw gitFaults.repository('.git names a folder that does not exist')
  return folder
}

/** Whether the shared folder lists the working tree: the worktree's folder lies in it and names the working tree. */
const isLinkedWorktree = async (top: string, { own, common }: GitFolders): Promise<boolean> => {
  if (dirname(own) !== join(common, 'worktrees')) return false
  const named = await readSmallFile(join(own, 'gitdir'))
  return named !== undefined && (await followLinks(dirname(resolve(own, named)))) === top
}

/** The folders in which a repository may have its files: its top, its own git folder, and those that are allowed. */
type Allows = (path: string) => boolean

/** Refuses links to other places. Hooks have a check of their own, because a link to a tracked file is common. */
const rejectLinks = async (folder: string, allows: Allows): Promise<void> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (!entry.isSymbolicLink() || entry.name === 'hooks') continue
    const path = join(folder, entry.name)
    const word = quoteShellWord(path)
    if (!allows(await followLinks(resolve(folder, await readlink(path)))))
      throw gitFaults.foreign_folder(
        `${entry.name} in the git folder is a link to a place outside this repository`,
        {
          fix: `Put a copy in its place with \`cp -RL ${word} ${word}.new && rm ${word} && mv ${word}.new ${word}\`, or allow that place with --git-folders.`,
        },
      )
  }
}

/** Refuses objects of other repositories. */
const rejectAlternates = async (objects: string, allows: Allows, depth = 0): Promise<void> => {
  await rejectLinks(objects, allows)
  const path = join(objects, 'info', 'alternates')
  const text = await readSmallFile(path)
  const lines = (text ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  for (const line of lines) {
    const folder = await followLinks(resolve(objects, line))
    if (!allows(folder) || depth === MAX_DEPTH)
      throw gitFaults.foreign_folder('objects/info/alternates names objects outside this repository', {
        fix: `Remove it with \`rm ${quoteShellWord(path)}\`, or allow that place with --git-folders.`,
      })
    await rejectAlternates(folder, allows, depth + 1)
  }
}

interface InspectOptions {
  /** Further folders that the operator allows. */
  readonly allowed: readonly string[]
  /** The value of core.worktree in the configuration of a git folder, where it is set. */
  readonly worktreeSetting: (gitFolder: string) => Promise<string | undefined>
}

/** A git folder outside that belongs to this working tree, such as that of a submodule, names it in core.worktree. */
const namesWorktree = async (own: string, top: string, { worktreeSetting }: InspectOptions) => {
  const named = await worktreeSetting(own)
  return named !== undefined && (await followLinks(resolve(own, named))) === top
}

/** The git folders of the working tree at `top`, a real path. Refuses those that belong to another repository. */
const inspectGitFolder = async (top: string, options: InspectOptions): Promise<GitFolders> => {
  const own = await findOwnFolder(top)
  const shared = await readSmallFile(join(own, 'commondir'))
  const common = shared === undefined ? own : await followLinks(resolve(own, shared))
  const folders = { own, common }
  const allowed = await Promise.all(options.allowed.map((folder) => followLinks(resolve(folder))))
  const inside: Allows = (path) => [top, ...allowed].some((folder) => isPathInside(folder, path))
  const linked = shared !== undefined && (await isLinkedWorktree(top, folders))
  if (!linked && !inside(own) && !(await namesWorktree(own, top, options)))
    throw gitFaults.foreign_folder(
      '.git names a git folder outside this folder that does not name this folder',
      {
        fix: 'Run this in the repository that the git folder belongs to. After moving a worktree, run `git worktree repair`. If the git folder is separate on purpose, allow it with --git-folders.',
      },
    )
  if (!linked && common !== own && !inside(common))
    throw gitFaults.foreign_folder('commondir names a git folder outside this repository')
  const allows: Allows = (path) => inside(path) || isPathInside(common, path) || isPathInside(own, path)
  await Promise.all([
    rejectLinks(own, allows),
    common === own ? undefined : rejectLinks(common, allows),
    rejectAlternates(join(common, 'objects'), allows),
  ])
  return folders
}

/**
 * To detect changes, `git status` runs the programs of `filter.<name>.clean` and similar settings. Those of the user
 * and the system are trusted; a filter from the repository's configuration would run a program of an untrusted author.
 */

const MAX_BYTES = 1024 * 1024
/** A configuration without these words has no filter and includes no other file. They cannot be written in escapes. */
const MAY_MATTER = /filter|include|worktree/i

/** A check without starting git: most repositories have one configuration file without such settings. */
const isPlain = async ({ own, common }: GitFolders): Promise<boolean> => {
  if (own !== common) return false
  const bytes = await readRegularFile(join(common, 'config'), MAX_BYTES).catch(() => undefined)
  return bytes !== undefined && !MAY_MATTER.test(bytes.toString('latin1'))
}

const isFromRepository = ({ scope }: ConfigRecord): boolean => scope === 'local' || scope === 'worktree'

/** Settings that restore the user's value for every filter that the repository sets. */
const overrideFilters = (records: readonly ConfigRecord[]): GitSetting[] => {
  const filters = records.filter(({ key }) => key.startsWith('filter.'))
  const fromUser = new Map(
    filters.filter((one) => !isFromRepository(one)).map(({ key, value = 'true' }) => [key, value]),
  )
  const fallback = (key: string) => (key.endsWith('.required') ? 'false' : '')
  const fromRepository = new Set(filters.filter(isFromRepository).map(({ key }) => key))
  return [...fromRepository].map((key) => [key, fromUser.get(key) ?? fallback(key)])
}

/** In a linked worktree, git itself ignores the core.worktree that it shares with the others. */
const rejectForeignWorktree = async (
  records: readonly ConfigRecord[],
  { own, common }: GitFolders,
  top: string,
): Promise<void> => {
  const isUsed = ({ scope }: ConfigRecord) => scope === 'worktree' || (scope === 'local' && own === common)
  const record = records.filter((one) => one.key === 'core.worktree' && isUsed(one)).at(-1)
  if (record !== undefined && (await followLinks(resolve(own, record.value ?? 'true'))) !== top)
    throw gitFaults.foreign_worktree(
      'core.worktree in the configuration of the repository names another folder',
    )
}

const NOTHING_FOUND = 1
const QUESTION = ['config', '--show-scope', '-z', '--get-regexp', '^(filter\\..*|core\\.worktree)$']

/** The same place with settings under which git runs no program that the repository chose. */
const withoutFilters = async (
  place: GitPlace & { readonly folders: GitFolders },
  signal: AbortSignal,
): Promise<GitPlace> => {
  const { folders } = place
  if (await isPlain(folders)) return place
  const { code, text } = await askGit(place, QUESTION, { signal })
  if (code === NOTHING_FOUND) return place
  if (code !== 0) throw gitFaults.failed('git could not read the configuration of the repository')
  const records = parseConfig(text, 1)
  await rejectForeignWorktree(records, folders, place.folder)
  return { ...place, settings: overrideFilters(records) }
}

export interface GitStart extends GitPlace {
  /** Folders outside the repository that git may use: separate git folders and alternates. */
  readonly gitFolders?: readonly string[]
  /** The place, where the caller has found it. */
  readonly found?: GitPlace
}

/** The real path of the root, as git reports it, without starting git. */
const findRoot = async (folder: string): Promise<string | undefined> => {
  const top = await findRepositoryRoot(folder)
  return top === undefined ? undefined : realpath(top)
}

/** The indexes that git itself passes to a hook: the usual one, and those of `git commit -a` and `git commit FILE`. */
const HOOK_INDEX = /^(index(\.lock)?|next-index-\d+\.lock)$/

/** The index of a hook. Any other GIT_INDEX_FILE is ignored: it would hide staged changes. */
const hookIndex = (place: GitPlace, root: string, { own }: GitFolders): string | undefined => {
  if (place.indexFile === undefined) return undefined
  const file = resolve(root, place.indexFile)
  const isOfHook = dirname(file) === own && HOOK_INDEX.test(basename(file))
  return isOfHook && basename(file) !== 'index' ? file : undefined
}

/** The repository that contains a folder, as a place to run git in; undefined outside of a repository. */
export const findPlace = async (start: GitStart, signal: AbortSignal): Promise<GitPlace | undefined> => {
  const { environment, gitFolders = [], found } = start
  if (found !== undefined) return found
  const folder = await findRoot(start.folder)
  if (folder === undefined) return undefined
  const place = { folder, environment }
  const worktreeSetting = async (gitFolder: string) => {
    const question = ['config', '--file', join(gitFolder, 'config'), '--get', 'core.worktree']
    // Asked outside the repository: its configuration is not read before it is known whose it is.
    const { code, text } = await askGit({ ...place, folder: dirname(folder) }, question, { signal })
    return code === 0 ? text.replace(/\n$/, '') : undefined
  }
  const folders = await inspectGitFolder(folder, { allowed: gitFolders, worktreeSetting })
  const indexFile = hookIndex(start, folder, folders)
  return withoutFilters({ ...place, folders, ...optional({ indexFile }) }, signal)
}
