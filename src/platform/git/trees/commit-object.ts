import type { CheckedCommit } from '../../../receipts/judge-commits.ts'
import type { GitBlobReader } from '../blobs.ts'
import { type GitPlace, gitFaults } from '../run.ts'

/** Longer commits exist in no real repository. */
const MAX_COMMIT_BYTES = 4 * 1024 * 1024

/** The header of a commit: `tree`, `parent` for each parent, `author`, `committer <name> <<address>> <seconds> <zone>`. */
const parseCommit = (id: string, bytes: Buffer): CheckedCommit | undefined => {
  const end = bytes.indexOf('\n\n')
  const header = bytes.toString('latin1', 0, end < 0 ? bytes.length : end).split('\n')
  const [tree] = header.flatMap((line) => /^tree ([0-9a-f]+)$/.exec(line)?.[1] ?? [])
  const [seconds] = header.flatMap((line) => /^committer .*> (\d+) [+-]\d+$/.exec(line)?.[1] ?? [])
  if (tree === undefined) return undefined
  const parents = header.flatMap((line) => /^parent ([0-9a-f]+)$/.exec(line)?.[1] ?? [])
  return { id, tree, parents, committed: Number(seconds ?? 0) * 1000 }
}

/** Commits by id, in this order. Their content is compared with their id, which git does not do when it reads. */
export async function* readCommits(
  blobs: GitBlobReader,
  place: GitPlace,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<CheckedCommit> {
  let at = 0
  for await (const object of blobs.objects(place, ids, signal, MAX_COMMIT_BYTES)) {
    const id = ids[at++] ?? ''
    const isWhole = object?.kind === 'commit' && object.bytes.length < MAX_COMMIT_BYTES
    const commit = isWhole ? parseCommit(id, object.bytes) : undefined
    if (commit === undefined) throw gitFaults.revision(`commit ${id} is damaged or not in this clone`)
    yield commit
  }
}
