import { type CommitRange, EMPTY_TREE } from '../../../gate/ports.ts'
import type { CheckedCommit } from '../../../receipts/judge-commits.ts'
import type { GitBlobReader } from '../blobs.ts'
import { OBJECT_ID } from '../revisions.ts'
import { askGit, type GitPlace, gitFaults } from '../run.ts'
import { readCommits } from './tree-object.ts'

/** More commits are not checked one by one. */
const MAX_COMMITS = 10_000

/** The commits that `to` has and `from` has not, oldest first. */
export const listCommits = async (
  { place, blobs }: { readonly place: GitPlace; readonly blobs: GitBlobReader },
  { from, to, newest = MAX_COMMITS + 1 }: CommitRange,
  signal: AbortSignal,
): Promise<readonly CheckedCommit[]> => {
  const excluded = from.filter((id) => id !== EMPTY_TREE)
  const wrong = [...excluded, ...to].find((id) => !OBJECT_ID.test(id))
  if (wrong !== undefined) throw gitFaults.revision(`${JSON.stringify(wrong)} is not the id of a commit`)
  const args = ['rev-list', '--topo-order', '--reverse', `--max-count=${newest}`, '--stdin']
  const input = [...to, ...excluded.map((id) => `^${id}`)].map((one) => `${one}\n`).join('')
  const { code, text } = await askGit(place, args, { signal, input })
  if (code !== 0) throw gitFaults.revision('a commit of the range is not in this clone')
  const ids = text.split('\n').filter((id) => id !== '')
  if (ids.length > MAX_COMMITS)
    throw gitFaults.revision(`the range has more than ${MAX_COMMITS} commits`, {
      fix: 'Name a shorter range: one that starts at the branch that the change is merged into.',
    })
  const commits: CheckedCommit[] = []
  for await (const commit of readCommits(blobs, place, ids, signal)) commits.push(commit)
  return commits
}
