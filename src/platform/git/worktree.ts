import type { Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gateFaults } from '../../gate/faults.ts'
import { type FileReading, type FolderNames, MAX_FILE_BYTES } from '../../gate/ports.ts'
import { errorCode } from '../../kernel/fault.ts'
import type { RepositoryFiles } from '../../kernel/ports.ts'
import { type AsyncJail, openAsyncJail } from '../jail/async.ts'
import { isEscapedPath } from './path-bytes.ts'
import { findPlace, type GitStart } from './place.ts'
import { askGit } from './run.ts'

/** More working trees than this are not looked at. */
const MAX_WORKTREES = 100
const LABEL = 'worktree '

/** The folders of all working trees of a repository; none where git cannot tell. */
export const listWorktreeRoots = async (start: GitStart, signal: AbortSignal): Promise<readonly string[]> => {
  const place = await findPlace(start, signal)
  if (place === undefined) return []
  const { code, text } = await askGit(place, ['worktree', 'list', '--porcelain'], { signal })
  const lines = code === 0 ? text.split('\n') : []
  return lines
    .filter((line) => line.startsWith(LABEL))
    .map((line) => line.slice(LABEL.length))
    .slice(0, MAX_WORKTREES)
}

/** `absent`: no regular file inside the repository. `unreadable`: the file exists but cannot be read. */
type Content = Buffer | 'absent' | 'unreadable'

const readInside = async (jail: AsyncJail, path: string, most: number): Promise<Content> => {
  if (isEscapedPath(path)) return 'unreadable'
  try {
    return (await jail.read(path, most)) ?? 'absent'
  } catch {
    return 'unreadable'
  }
}

const CONCURRENCY = 16

/** Regular files inside the repository, as they are on disk. Anything else is left out. */
export async function* readWorktree(
  root: string,
  paths: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<FileReading> {
  const jail = openAsyncJail(root)
  for (let at = 0; at < paths.length; at += CONCURRENCY) {
    signal.throwIfAborted()
    const page = paths.slice(at, at + CONCURRENCY)
    const contents = await Promise.all(page.map((path) => readInside(jail, path, MAX_FILE_BYTES)))
    for (const [index, content] of contents.entries()) {
      const path = page[index]
      if (path !== undefined && content !== 'absent')
        yield { path, bytes: content === 'unreadable' ? undefined : content }
    }
  }
}

const unusable = (path: string, why: string, cause?: unknown) =>
  gateFaults.file_unusable(`${path} ${why}`, { cause })

/** What a path names, undefined when nothing; throws at a link, and at a file in the place of a folder. */
const findEntry = async (root: string, path: string): Promise<Stats | undefined> => {
  const names = path.split('/')
  if (path.includes('\0') || names.includes('..')) return undefined
  let entry: Stats | undefined
  for (const at of names.keys()) {
    const parent = names.slice(0, at).join('/')
    if (entry !== undefined && !entry.isDirectory()) throw unusable(parent, 'is not a folder')
    const present = names.slice(0, at + 1).join('/')
    try {
      entry = await lstat(join(root, present))
    } catch (cause) {
      if (errorCode(cause) === 'ENOENT') return undefined
      throw unusable(present, 'cannot be read', cause)
    }
    if (entry.isSymbolicLink()) throw unusable(present, 'is a symbolic link')
  }
  return entry
}

/** Single files of the repository by path. */
export const repositoryFiles = (root: string): RepositoryFiles & FolderNames => ({
  exists: async (path) => (await findEntry(root, path)) !== undefined,
  read: async (path, limit) => {
    const entry = await findEntry(root, path)
    if (entry === undefined) return undefined
    if (!entry.isFile()) throw unusable(path, 'is not a regular file')
    const content = await readInside(openAsyncJail(root), path, limit + 1)
    if (typeof content === 'string') throw unusable(path, 'cannot be read')
    if (content.length > limit) throw unusable(path, `is longer than ${limit} bytes`)
    return content
  },
  names: async (path) => {
    const entry = await findEntry(root, path)
    if (entry === undefined) return []
    if (!entry.isDirectory()) throw unusable(path, 'is not a folder')
    const names = await openAsyncJail(root)
      .within(path, (folder) => readdir(folder))
      .catch(() => undefined)
    if (names === undefined) throw unusable(path, 'cannot be read')
    return names.sort()
  },
})
