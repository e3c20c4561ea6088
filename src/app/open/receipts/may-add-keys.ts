import { readCommitKeys } from '../../../gate/policy-files.ts'
import type { ChangeSet } from '../../../gate/ports.ts'
import type { CheckedCommit } from '../../../receipts/judge-commits.ts'
import { parseKeys } from '../../../receipts/keys-file.ts'
import { KEYS_FILE } from '../../../receipts/keys-path.ts'
import { ReceiptFinder, type ReceiptPlace } from './find-receipts.ts'
import { findReceiptSigner } from './signing-key.ts'

const isAlone = ({ changes }: Pick<ChangeSet, 'changes'>): boolean =>
  changes.every(({ path }) => path === KEYS_FILE)

/** Whether a commit has another list of keys than each of its parents. */
const changesKeys = async ({ git, signal }: ReceiptPlace, { id, parents }: CheckedCommit) => {
  const [own, ...before] = await Promise.all([id, ...parents].map((one) => readCommitKeys(git, one, signal)))
  return before.length === 0 || before.every((text) => text !== own)
}

/**
 * Whether every change of the list of keys is the work of a developer whose key the target lists: not committed yet,
 * the key of this machine is one; in commits, a receipt of one covers each, and they change nothing else.
 */
export const mayAddKeys = async (
  place: ReceiptPlace,
  set: Pick<ChangeSet, 'base' | 'target' | 'head' | 'changes'>,
): Promise<boolean> => {
  const { git, signal, config, root } = place
  const target = set.target ?? set.base
  const listed = await parseKeys(await readCommitKeys(git, target, signal))
  const developers = listed.filter(({ role, revoked }) => role === 'developer' && revoked === undefined)
  if (set.head === undefined) {
    const own = await findReceiptSigner(config, root)
    return isAlone(set) && developers.some(({ key }) => key.id === own?.key.id)
  }
  const range = { from: target === undefined ? [] : [target], to: [set.head] }
  const commits = await git.commits(range, signal)
  const judge = new ReceiptFinder(place, developers).judge(commits)
  for (const commit of commits) {
    if (!(await changesKeys(place, commit))) continue
    const [from] = commit.parents
    if (from === undefined || 'problem' in (await judge.judge(commit))) return false
    const own = await git.changes({ kind: 'range', from, to: commit.id }, signal)
    try {
      if (!isAlone(own)) return false
    } finally {
      await own.close?.()
    }
  }
  return true
}
