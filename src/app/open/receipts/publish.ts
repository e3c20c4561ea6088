import { resolve } from 'node:path'
import { digestBytes } from '../../../kernel/encoding/hash.ts'
import { DECISION_LOG, logOrigin } from '../../../lineage/origin.ts'
import { readReceipts } from '../../../platform/files/receipt-files.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import type { CommitResult } from '../../../receipts/judge-commits.ts'
import { treeOf } from '../../../receipts/verify-receipt.ts'
import { checkCommits, RECEIPT_NOTES, type ReceiptPlace, readBaseKeys } from './find-receipts.ts'
import { withLoggedReceipts } from './log-receipts.ts'
import { openNotes } from './open-notes.ts'
import { openReceiptSigner } from './signing-key.ts'
import { checkLogs, cosignLogs, hashOf, originObject, originsOf, publishLines } from './witness.ts'

/** A receipt and the tree that it speaks of, by which notes hold it. */
type TreeLine = readonly [tree: string | undefined, line: string]

const linesOf = (results: readonly CommitResult[]): TreeLine[] =>
  results.flatMap((result) =>
    'receipts' in result
      ? result.receipts.map(({ receipt, line }): TreeLine => [receipt && treeOf(receipt), line])
      : [],
  )

const groupByTree = (lines: readonly TreeLine[]): Map<string, string[]> => {
  const groups = new Map<string, Set<string>>()
  for (const [tree, line] of lines)
    if (tree !== undefined) groups.set(tree, (groups.get(tree) ?? new Set()).add(line))
  return new Map([...groups].map(([tree, set]) => [tree, [...set]]))
}

interface PublishedRange {
  readonly base: string | undefined
  readonly head: string
  /** Where the notes are sent; undefined keeps them in this clone. */
  readonly remote: string | undefined
  /** The run that publishes: its receipt goes along, also when it says FAILED. */
  readonly run?: { readonly tree: string | undefined; readonly receipt: string | undefined }
}

/** The receipt of the run, from the state folder. */
const readRunReceipt = async (
  { root, config }: ReceiptPlace,
  { run }: PublishedRange,
): Promise<readonly TreeLine[]> => {
  if (run?.tree === undefined || run.receipt === undefined) return []
  const kept = await readReceipts(resolve(root, config.stateDir), run.tree)
  return kept.filter((line) => digestBytes(line) === run.receipt).map((line) => [run.tree, line])
}

/** What became of a publication. */
interface Publication {
  /** Whether the remote has the notes; false where no key is listed, because then nothing is sent. */
  readonly isSent: boolean
  /** What a person has to know. */
  readonly warnings: readonly string[]
}

/**
 * Writes the receipts of a range and the checkpoint of this machine's log into git notes, cosigns the logs that the
 * receipts are in, and sends the notes.
 */
export const publishReceipts = async (place: ReceiptPlace, range: PublishedRange): Promise<Publication> => {
  const { root, config, signal } = place
  const { base, head, remote } = range
  const listed = await readBaseKeys(place, base)
  // Without keys no receipt is asked for, and a push should send what it was asked to send.
  if (listed.length === 0) return { isSent: false, warnings: [] }
  const results = await checkCommits(place, { base, head }, listed)
  const notes = openNotes(place)
  const format = hashOf(head)
  const signer = await openReceiptSigner(config, root)
  const own = await withLoggedReceipts(config, root, async (_, log) => {
    if (log === undefined || (await log.head()).size === 0) return undefined
    const origin = await logOrigin(DECISION_LOG, log)
    const object = originObject(origin, format)
    const published = (await notes.read(RECEIPT_NOTES, [object], signal)).notes.get(object) ?? []
    return { origin, object, lines: await publishLines(log, signer, published) }
  })
  const lines = groupByTree([...linesOf(results), ...(await readRunReceipt(place, range))])
  if (own !== undefined && own.lines.length > 0) lines.set(own.object, [...own.lines])
  const full = lines.size === 0 ? [] : await notes.append(RECEIPT_NOTES, lines, signal)
  const context = { notes, keys: [...listed.map(({ key }) => key.text), signer.key.text], format, signal }
  const origins = new Set([...originsOf(results), ...(own === undefined ? [] : [own.origin])])
  await cosignLogs(context, await checkLogs(context, [...origins]), signer, systemClock.now() / 1_000)
  const exchange = remote === undefined ? undefined : await notes.push(remote, signal)
  return {
    isSent: exchange?.isDone === true,
    warnings: [
      ...full.map((object) => `the note of ${object} is full; its newest receipts stay in the state folder.`),
      ...(exchange?.warnings ?? []),
    ],
  }
}
