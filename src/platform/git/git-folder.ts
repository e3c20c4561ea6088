import { lstat, readdir, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { followLinks } from '../files/git-metadata.ts'
import { readRegularFile } from '../jail/async.ts'
import { type GitFolders, gitFaults } from './run.ts'

/**
 * Where git keeps a repository, read without starting git. `.git`, `commondir`, alternates and links may come with an
 * archive and name a repository of the user: then git would read from it, and the installation would write into it.
 */

const MAX_BYTES = 64 * 1024
/** Alternates may have alternates; git follows as many. */
const MAX_DEPTH = 5

const isAbsent = (cause: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')

/** A small file of git without its last newline; undefined when there is none. A link is not followed. */
const readSmallFile = async (path: string): Promise<string | undefined> => {
  try {
    const bytes = await readRegularFile(path, MAX_BYTES)
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
    const target = await followLinks(resolve(folder, await readlink(join(folder, entry.name))))
    if (!allows(target))
      throw gitFaults.foreign_folder(
        `${entry.name} in the git folder is a link to a place outside this repository`,
      )
  }
}

/** Refuses objects of other repositories. */
const rejectAlternates = async (objects: string, allows: Allows, depth = 0): Promise<void> => {
  await rejectLinks(objects, allows)
  const text = await readSmallFile(join(objects, 'info', 'alternates'))
  const lines = (text ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  for (const line of lines) {
    const folder = await followLinks(resolve(objects, line))
    if (!allows(folder) || depth === MAX_DEPTH)
      throw gitFaults.foreign_folder('objects/info/alternates names objects outside this repository')
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
export const inspectGitFolder = async (top: string, options: InspectOptions): Promise<GitFolders> => {
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
