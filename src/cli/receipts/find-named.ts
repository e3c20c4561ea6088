import { ReceiptFinder, type ReceiptPlace, readTrustedKeys } from '../../app/open/receipts/find-receipts.ts'
import { withLoggedReceipts } from '../../app/open/receipts/log-receipts.ts'
import { readOwnKey } from '../../app/open/receipts/signing-key.ts'
import { receiptFaults } from '../../receipts/faults.ts'
import { type VerifiedReceipt, verifyReceipt } from '../../receipts/verify-receipt.ts'

export const DIGEST = /^sha256:[0-9a-f]{64}$/

export const knownKeys = async (place: ReceiptPlace) => {
  const [listed, own] = await Promise.all([readTrustedKeys(place), readOwnKey().catch(() => undefined)])
  return { listed, own }
}

/** The receipts that an argument names: a digest, a commit, a tree; without one, those of the last commit. */
export const findNamed = async (place: ReceiptPlace, name = 'HEAD'): Promise<readonly VerifiedReceipt[]> => {
  const { root, config, git, signal } = place
  const keys = await knownKeys(place)
  if (DIGEST.test(name)) {
    const line = await withLoggedReceipts(config, root, async (receipts) => {
      for await (const one of receipts) if (one.digest === name) return one.envelope
      return undefined
    })
    if (line === undefined) throw receiptFaults.unknown(`the log of this machine has no receipt ${name}`)
    return [verifyReceipt(line, keys)]
  }
  const finder = new ReceiptFinder(place, keys.listed)
  const commit = await git.resolve([name], signal)
  const tree = commit ? (await git.filesAt(commit.hash, { files: [], folders: [] }, signal))?.tree : name
  const found = /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(tree ?? '') ? await finder.of(tree ?? '') : []
  if (found.length === 0)
    throw receiptFaults.unknown(`no receipt names ${commit ? `the tree of ${name}` : name}`)
  return found
}
