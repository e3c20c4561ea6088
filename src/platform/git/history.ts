import { type ChangeSet, EMPTY_TREE, type GitReader } from '../../gate/ports.ts'
import { GitBlobReader, objectId } from './blobs.ts'
import { changeSet } from './change-set.ts'
import { diffTrees } from './merge-tree.ts'
import { type GitPlace, gitFaults } from './run.ts'

/** A content that is missing here is no finding about an old commit: it was there when the commit was made. */
const requireContents = (read: ChangeSet['read']): ChangeSet['read'] =>
  async function* (paths, signal) {
    for await (const reading of read(paths, signal)) {
      if (reading.bytes === undefined) throw gitFaults.revision(`${reading.path} is not in this clone`)
      yield reading
    }
  }

/** Reads past commits. Ranges start at their first commit, both ends named by id: nothing has to be looked up. */
export const historyReader = (place: GitPlace, git: GitReader): GitReader => {
  const blobs = new GitBlobReader()
  return {
    ...git,
    // Of no commit that is judged; asking would read the working tree.
    head: async () => null,
    changes: async (scope, signal) => {
      if (scope.kind !== 'range') return git.changes(scope, signal)
      const { from, to } = scope
      const base = from === EMPTY_TREE ? undefined : from
      const start = base ?? objectId('tree', Buffer.of(), to.length)
      const raw = await diffTrees(place, [start, to], signal).catch((cause: unknown) => {
        signal.throwIfAborted()
        throw gitFaults.revision('git cannot compare it: a commit or a content is not in this clone', {
          cause,
        })
      })
      const collected = { base, head: to, target: base, raw }
      const set = changeSet({ place, scope, collected, blobs, readStatus: async () => Buffer.of() })
      return { ...set, read: requireContents(set.read), readBefore: requireContents(set.readBefore) }
    },
  }
}
