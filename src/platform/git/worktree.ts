import { readdir } from 'node:fs/promises'
import { type FileReading, type FolderNames, MAX_FILE_BYTES, type RepositoryFiles } from '../../gate/ports.ts'
import { type AsyncJail, openAsyncJail } from '../jail/async.ts'

/** Where git gave bytes that are no text we cannot give them back to the system: the file is there all the same. */
const isGarbled = (path: string): boolean => path.includes('\ufffd')

/** `nothing` there that is a file of ours, or a file that is `closed` to us. */
type Look = Buffer | 'nothing' | 'closed'

const readInside = async (jail: AsyncJail, path: string, most: number): Promise<Look> => {
  if (isGarbled(path)) return 'closed'
  try {
    return (await jail.read(path, most)) ?? 'nothing'
  } catch {
    return 'closed'
  }
}

const AT_ONCE = 16

/** Files as they lie on disk: regular ones, inside the repository. Anything else is left out. */
export async function* readWorktree(
  root: string,
  paths: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<FileReading> {
  const jail = openAsyncJail(root)
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    signal.throwIfAborted()
    const page = paths.slice(at, at + AT_ONCE)
    const looks = await Promise.all(page.map((path) => readInside(jail, path, MAX_FILE_BYTES)))
    for (const [index, look] of looks.entries()) {
      const path = page[index]
      if (path !== undefined && look !== 'nothing')
        yield { path, bytes: look === 'closed' ? undefined : look }
    }
  }
}

/** The repository's own files, for whoever needs one by its name. */
export const repositoryFiles = (root: string): RepositoryFiles & FolderNames => ({
  exists: (path) => openAsyncJail(root).has(path),
  read: async (path, limit) => {
    const look = await readInside(openAsyncJail(root), path, limit + 1)
    return typeof look === 'string' || look.length > limit ? undefined : look
  },
  names: async (path) => {
    const names = await openAsyncJail(root)
      .within(path, (reach) => readdir(reach))
      .catch(() => undefined)
    return names?.sort() ?? []
  },
})
