import { DECISION_LOG, logOrigin } from '../../../lineage/origin.ts'
import { gitNotes } from '../../../platform/git/notes/git-notes.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import type { CommitResult } from '../../../receipts/judge-commits.ts'
import { treeOf } from '../../../receipts/verify-receipt.ts'
import { checkCommits, RECEIPT_NOTES, type ReceiptPlace, readTrustedKeys } from './find-receipts.ts'
import { withLoggedReceipts } from './log-receipts.ts'
import { openReceiptSigner } from './signing-key.ts'
import { checkLogs, cosignLogs, hashOf, originObject, originsOf, publishLines } from './witness.ts'

/** Receipts by tree, as notes hold them. */
const linesByTree = (results: readonly CommitResult[]): Map<string, string[]> => {
  const lines = new Map<string, Set<string>>()
  for (const result of results)
    for (const { receipt, line } of 'receipts' in result ? result.receipts : []) {
      const tree = receipt && treeOf(receipt)
      if (tree === undefined) continue
      lines.set(tree, (lines.get(tree) ?? new Set()).add(line))
    }
  return new Map([...lines].map(([tree, set]) => [tree, [...set]]))
}

interface PublishedRange {
  readonly base: string | undefined
  readonly head: string
  /** Where the notes are sent; undefined keeps them in this clone. */
  readonly remote: string | undefined
}

/**
 * Writes the receipts of a range and the checkpoint of this machine's log into git notes, cosigns the logs that the
 * receipts are in, and sends the notes. Returns what a person has to know.
 */
export const publishReceipts = async (
  place: ReceiptPlace,
  { base, head, remote }: PublishedRange,
): Promise<readonly string[]> => {
  const { root, config, signal } = place
  const listed = await readTrustedKeys(place)
  // Without keys no receipt is asked for, and a push should send what it was asked to send.
  if (listed.length === 0) return []
  const results = await checkCommits(place, { base, head }, listed)
  const start = { folder: root, environment: process.env, gitFolders: config.gitFolders }
  const notes = gitNotes(start, () => systemClock.now())
  const format = hashOf(head)
  const signer = await openReceiptSigner(config, root)
  const own = await withLoggedReceipts(config, root, async (_, log) => {
    if (log === undefined || (await log.head()).size === 0) return undefined
    const origin = await logOrigin(DECISION_LOG, log)
    const object = originObject(origin, format)
    const published = (await notes.read(RECEIPT_NOTES, [object], signal)).notes.get(object) ?? []
    return { origin, object, lines: await publishLines(log, signer, published) }
  })
  const lines = linesByTree(results)
  if (own !== undefined && own.lines.length > 0) lines.set(own.object, [...own.lines])
  const full = lines.size === 0 ? [] : await notes.append(RECEIPT_NOTES, lines, signal)
  const context = { notes, keys: [...listed.map(({ key }) => key.text), signer.key.text], format, signal }
  const origins = new Set([...originsOf(results), ...(own === undefined ? [] : [own.origin])])
  await cosignLogs(context, await checkLogs(context, [...origins]), signer, systemClock.now() / 1_000)
  const exchange = remote === undefined ? undefined : await notes.push(remote, signal)
  return [
    ...full.map((object) => `the note of ${object} is full; its newest receipts stay in the state folder.`),
    ...(exchange?.warnings ?? []),
  ]
}
