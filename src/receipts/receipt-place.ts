import { canonicalJson } from '../kernel/encoding/canonical.ts'
import { digestBytes } from '../kernel/encoding/hash.ts'
import { isRecord, jsonOf } from '../kernel/encoding/json.ts'
import { decodeTreeHash, openSignedCheckpoint } from '../lineage/tlog/note.ts'
import { checkInclusion, leafHashOf, readLeaf } from '../lineage/verify.ts'
import { detailsOf, type ProvenPlace, type VerifiedReceipt } from './verify-receipt.ts'

/**
 * The line beside a receipt in a note that proves its place in the log: the entry that recorded it, the path to a
 * checkpoint, and the checkpoint. The payload of the entry holds the receipt, which is left out here. Readers that look
 * for receipts alone skip the line.
 */

interface LoggedEntry {
  readonly entry: string
  readonly payload: string | null
}

interface SignedSize {
  /** The signed note. */
  readonly note: string
  /** Hashes in hexadecimal, from the entry to the root of the checkpoint. */
  readonly path: readonly string[]
}

/** The line; undefined when the entry did not record this receipt, or its payload was erased. */
export const writePlaceProof = (
  digest: string,
  { entry, payload: text }: LoggedEntry,
  { note, path }: SignedSize,
): string | undefined => {
  const payload = jsonOf(text ?? '')
  if (!isRecord(payload) || !isRecord(payload.receipt) || payload.receipt.digest !== digest) return undefined
  const { envelope: _, ...receipt } = payload.receipt
  return canonicalJson({
    receipt: digest,
    entry,
    payload: { ...payload, receipt },
    path: path.map((hash) => Buffer.from(hash, 'hex').toString('base64')),
    checkpoint: note,
  })
}

export interface PlaceLine {
  readonly receipt: string
  readonly entry: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly path: readonly string[]
  readonly checkpoint: string
}

/** The parts of such a line; undefined for any other line. Verifies nothing. */
export const readPlaceProof = (line: string): PlaceLine | undefined => {
  const value = jsonOf(line ?? '')
  if (!isRecord(value)) return undefined
  const { receipt, entry, payload, path, checkpoint } = value
  if (typeof receipt !== 'string' || typeof entry !== 'string' || typeof checkpoint !== 'string')
    return undefined
  if (!isRecord(payload) || !Array.isArray(path)) return undefined
  const hashes = path.map((hash) => (typeof hash === 'string' ? decodeTreeHash(hash) : undefined))
  return hashes.every((hash) => hash !== undefined)
    ? { receipt, entry, payload, path: hashes, checkpoint }
    : undefined
}

/** The place of a receipt, if the line proves it: by one of these keys, or by the key that signed the receipt. */
export const verifyPlace = (
  { line, digest, key, receipt }: VerifiedReceipt,
  proof: PlaceLine,
  keys: readonly string[],
): ProvenPlace | undefined => {
  const place = receipt && detailsOf(receipt).lineage
  const recorded = proof.payload.receipt
  if (place === undefined || proof.receipt !== digest || !isRecord(recorded)) return undefined
  if (recorded.digest !== digest) return undefined
  const entry = readLeaf(proof.entry, place.index)
  const payload = canonicalJson({ ...proof.payload, receipt: { ...recorded, envelope: line } })
  if (entry === undefined || digestBytes(payload) !== `sha256:${entry.payload_hash}`) return undefined
  const signed = openSignedCheckpoint(proof.checkpoint, key === undefined ? keys : [...keys, key.text])
  if (signed?.origin !== place.origin) return undefined
  const { size, root } = signed
  const inclusion = { index: place.index, size, root, leaf: leafHashOf(proof.entry), path: proof.path }
  return checkInclusion(inclusion) ? { ...place, size, root, checkpoint: proof.checkpoint } : undefined
}
