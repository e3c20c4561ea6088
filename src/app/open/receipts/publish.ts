import { resolve } from 'node:path'
import { DECISION_LOG, logOrigin } from '../../../lineage/origin.ts'
import { proveInclusion } from '../../../lineage/proof.ts'
import type { LogReader } from '../../../lineage/store.ts'
import { readReceipts } from '../../../platform/files/receipt-files.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import { writePlaceProof } from '../../../receipts/receipt-place.ts'
import { detailsOf, treeOf, type VerifiedReceipt, verifyReceipt } from '../../../receipts/verify-receipt.ts'
import { checkCommits, RECEIPT_NOTES, type ReceiptPlace, readTrustedKeys } from './find-receipts.ts'
import { withLoggedReceipts } from './log-receipts.ts'
import { openNotes } from './open-notes.ts'
import { openReceiptSigner } from './signing-key.ts'
import {
  checkLogs,
  cosignLogs,
  hashOf,
  originObject,
  originsOf,
  publishCheckpoint,
  readWitnessed,
} from './witness.ts'

/** A receipt and the tree that it speaks of, by which notes hold it. */
type TreeLine = readonly [tree: string | undefined, line: string]

const groupByTree = (lines: readonly TreeLine[]): Map<string, string[]> => {
  const groups = new Map<string, Set<string>>()
  for (const [tree, line] of lines)
    if (tree !== undefined) groups.set(tree, (groups.get(tree) ?? new Set()).add(line))
  return new Map([...groups].map(([tree, set]) => [tree, [...set]]))
}

/** Proves the places of receipts that this log recorded, as far as notes do not have the proof. */
const proveReceipts = async (
  log: LogReader,
  origin: string,
  receipts: readonly VerifiedReceipt[],
  { note, size }: { readonly note: string; readonly size: number },
): Promise<TreeLine[]> => {
  const lines: TreeLine[] = []
  for (const { receipt, place, digest } of receipts) {
    const recorded = receipt && detailsOf(receipt).lineage
    if (receipt === undefined || recorded?.origin !== origin || recorded.index >= size || place !== undefined)
      continue
    const [row] = await log.read(recorded.index, 1)
    const { path } = await proveInclusion(log, recorded.index, size)
    const line = row && writePlaceProof(digest, row, { note, path })
    if (line !== undefined) lines.push([treeOf(receipt), line])
  }
  return lines
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
): Promise<readonly VerifiedReceipt[]> => {
  if (run?.tree === undefined || run.receipt === undefined) return []
  const kept = await readReceipts(resolve(root, config.stateDir), run.tree)
  return kept
    .map((line) => verifyReceipt(line, { listed: [] }))
    .filter(({ digest }) => digest === run.receipt)
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
  const listed = await readTrustedKeys(place, base)
  // Without keys no receipt is asked for, and a push should send what it was asked to send.
  if (listed.length === 0) return { isSent: false, warnings: [] }
  const results = await checkCommits(place, { base, head }, listed)
  const notes = openNotes(place)
  const format = hashOf(head)
  const signer = await openReceiptSigner(config, root)
  const context = { notes, keys: [...listed.map(({ key }) => key.text), signer.key.text], format, signal }
  const receipts = [
    ...results.flatMap((result) => ('receipts' in result ? result.receipts : [])),
    ...(await readRunReceipt(place, range)),
  ]
  const own = await withLoggedReceipts(config, root, async (_, log) => {
    if (log === undefined || (await log.head()).size === 0) return undefined
    const origin = await logOrigin(DECISION_LOG, log)
    const object = originObject(origin, format)
    const published = (await notes.read(RECEIPT_NOTES, [object], signal)).notes.get(object) ?? []
    const seen = (await readWitnessed(context, origin)).map(({ size }) => size)
    const checkpoint = await publishCheckpoint(log, signer, published, seen)
    return {
      origin,
      object,
      ...checkpoint,
      proofs: await proveReceipts(log, origin, receipts, checkpoint.newest),
    }
  })
  const lines = groupByTree([
    ...receipts.map(({ receipt, line }): TreeLine => [receipt && treeOf(receipt), line]),
    ...(own?.proofs ?? []),
  ])
  if (own !== undefined && own.added.length > 0) lines.set(own.object, [...own.added])
  const dropped = new Map(own === undefined ? [] : [[own.object, own.dropped]])
  const full = lines.size === 0 ? [] : await notes.append(RECEIPT_NOTES, lines, signal, dropped)
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
