import { createHash } from 'node:crypto'
import type { FileChange, TreeEntry } from '../../gate/ports.ts'
import type { RawChange } from './parse.ts'
import { readWorktree } from './worktree.ts'

/** The id of a changed file by its blob. An unmerged path has none. */
export const blobId = (change: FileChange['change'], oid: string | undefined): string =>
  change === 'deleted' ? 'deleted' : (oid ?? 'unmerged')

/** The id that git gives to a blob with these bytes. */
const hashBlob = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

/** What changed files hold on disk, as ids of blobs: the same ids as in the index when all of it is staged. */
export const identifyOnDisk = async (
  root: string,
  changes: readonly Pick<RawChange, 'path' | 'change'>[],
  signal: AbortSignal,
): Promise<readonly TreeEntry[]> => {
  const paths = changes.filter(({ change }) => change !== 'deleted').map(({ path }) => path)
  const ids = new Map<string, string>()
  for await (const { path, bytes } of readWorktree(root, paths, signal))
    ids.set(path, bytes === undefined ? 'unreadable' : hashBlob(bytes))
  return changes.map(({ path, change }) => ({
    path,
    id: change === 'deleted' ? 'deleted' : (ids.get(path) ?? 'absent'),
  }))
}
