import { readdir } from 'node:fs/promises'
import { type FileReading, type FolderNames, MAX_FILE_BYTES, type RepositoryFiles } from '../../gate/ports.ts'
import { type AsyncJail, openAsyncJail } from '../jail/async.ts'

/** A path that is not UTF-8 holds U+FFFD and cannot be opened by that name; the file exists all the same. */
const isUndecodable = (path: string): boolean => path.includes('\ufffd')

/** `absent`: no regular file inside the repository. `unreadable`: the file exists but cannot be read. */
type Content = Buffer | 'absent' | 'unreadable'

const readInside = async (jail: AsyncJail, path: string, most: number): Promise<Content> => {
  if (isUndecodable(path)) return 'unreadable'
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

/** Single files of the repository by path. */
export const repositoryFiles = (root: string): RepositoryFiles & FolderNames => ({
  exists: (path) => openAsyncJail(root).has(path),
  read: async (path, limit) => {
    const content = await readInside(openAsyncJail(root), path, limit + 1)
    return typeof content === 'string' || content.length > limit ? undefined : content
  },
  names: async (path) => {
    const names = await openAsyncJail(root)
      .within(path, (folder) => readdir(folder))
      .catch(() => undefined)
    return names?.sort() ?? []
  },
})
