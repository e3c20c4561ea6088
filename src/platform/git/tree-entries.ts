import type { FileChange, TreeEntry } from '../../gate/ports.ts'
import { objectId } from './blobs.ts'
import type { RawChange } from './parse.ts'
import { readWorktree } from './worktree.ts'

/** The id of a changed file by its blob. An unmerged path has none. */
export const blobId = (change: FileChange['change'], oid: string | undefined): string =>
  change === 'deleted' ? 'deleted' : (oid ?? 'unmerged')

const SHA1_DIGITS = 40

/** What changed files hold on disk, as ids of blobs: the same ids as in the index when all of it is staged. */
export const identifyOnDisk = async (
  root: string,
  changes: readonly Pick<RawChange, 'path' | 'change'>[],
  signal: AbortSignal,
): Promise<readonly TreeEntry[]> => {
  const paths = changes.filter(({ change }) => change !== 'deleted').map(({ path }) => path)
  const ids = new Map<string, string>()
  for await (const { path, bytes } of readWorktree(root, paths, signal))
    ids.set(path, bytes === undefined ? 'unreadable' : objectId('blob', bytes, SHA1_DIGITS))
  return changes.map(({ path, change }) => ({
    path,
    id: change === 'deleted' ? 'deleted' : (ids.get(path) ?? 'absent'),
  }))
}
