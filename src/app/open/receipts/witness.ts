import { createHash } from 'node:crypto'
import { isRecord } from '../../../kernel/encoding/json.ts'
import { noteSigner, writeCheckpoint } from '../../../lineage/checkpoint.ts'
import { DECISION_LOG, logOrigin } from '../../../lineage/origin.ts'
import { proveConsistency, rootAt } from '../../../lineage/proof.ts'
import type { LogReader } from '../../../lineage/store.ts'
import { cosignCheckpoint, verifyCosignatures } from '../../../lineage/tlog/cosignature.ts'
import { openSignedCheckpoint } from '../../../lineage/tlog/note.ts'
import { checkWitnessChain, unseenLog } from '../../../lineage/tlog/witness-chain.ts'
import {
  parseWitnessRequest,
  type WitnessRequest,
  writeWitnessRequest,
} from '../../../lineage/tlog/witness-request.ts'
import type { GitNotes } from '../../../platform/git/notes/git-notes.ts'
import type { CommitResult } from '../../../receipts/judge-commits.ts'
import type { ReceiptSigner } from '../../../receipts/verifier-key.ts'
import { detailsOf } from '../../../receipts/verify-receipt.ts'

/**
 * Checkpoints of logs travel in git notes on an object that is named by the origin of the log. The hook of a push, and CI,
 * demand that each log continues what a witness signed last, and sign the newest checkpoint in turn.
 */

const RECEIPTS = 'warrant'
const WITNESSED = 'warrant-witness'
const SIGNATURE_BYTES = 64

/** The id of the blob that holds the origin; it need not exist. */
export const originObject = (origin: string, format: 'sha1' | 'sha256'): string =>
  createHash(format)
    .update(`blob ${Buffer.byteLength(origin)}\0${origin}`)
    .digest('hex')

/** The hash of a repository, by the length of one of its object ids. */
export const hashOf = (id: string): 'sha1' | 'sha256' => (id.length === 64 ? 'sha256' : 'sha1')

const parseNoteLine = (line: string): string[] => {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) && typeof value.checkpoint === 'string' ? [value.checkpoint] : []
  } catch {
    return []
  }
}

/** The largest checkpoint that one of the keys cosigned; the empty log where there is none. */
const lastWitnessed = (origin: string, lines: readonly string[], keys: readonly string[]) => {
  const seen = lines.flatMap(parseNoteLine).flatMap((note) => {
    const checkpoint = openSignedCheckpoint(note, keys)
    const cosigned = verifyCosignatures(note, keys)?.length ?? 0
    return checkpoint?.origin === origin && cosigned > 0 ? [{ ...checkpoint, note }] : []
  })
  return seen.sort((a, b) => b.size - a.size)[0] ?? unseenLog(origin)
}

/** What became of one log since a witness saw it. */
type WitnessedLog = ReturnType<typeof checkWitnessChain> & { readonly origin: string }

/** The logs that the receipts of commits are in. */
export const originsOf = (results: readonly CommitResult[]): string[] => {
  const origins = results.flatMap((result) =>
    'receipts' in result
      ? result.receipts.flatMap(({ receipt }) => (receipt ? [detailsOf(receipt).lineage.origin] : []))
      : [],
  )
  return [...new Set(origins)].sort()
}

interface WitnessContext {
  readonly notes: GitNotes
  /** Verifier keys that may sign checkpoints and cosignatures. */
  readonly keys: readonly string[]
  readonly format: 'sha1' | 'sha256'
  readonly signal: AbortSignal
}

/** Compares the published checkpoints of logs with what witnesses signed. */
export const checkLogs = async (
  { notes, keys, format, signal }: WitnessContext,
  origins: readonly string[],
): Promise<readonly WitnessedLog[]> => {
  const objects = new Map(origins.map((origin) => [origin, originObject(origin, format)]))
  const ids = [...objects.values()]
  const [published, witnessed] = await Promise.all([
    notes.read(RECEIPTS, ids, signal),
    notes.read(WITNESSED, ids, signal),
  ])
  return origins.map((origin) => {
    const object = objects.get(origin) ?? ''
    const requests = (published.notes.get(object) ?? []).flatMap((line) => parseWitnessRequest(line) ?? [])
    const seen = lastWitnessed(origin, witnessed.notes.get(object) ?? [], keys)
    return { origin, ...checkWitnessChain(seen, requests, keys) }
  })
}

/**
 * What contradicts the log of this machine, if it does not continue the largest checkpoint that was published of it. A
 * log that was set back publishes nothing until it has grown again, so others would see this later.
 */
export const checkOwnLog = async ({ notes, keys, format, signal }: WitnessContext, log: LogReader) => {
  const { size } = await log.head()
  if (size === 0) return []
  const origin = await logOrigin(DECISION_LOG, log)
  const object = originObject(origin, format)
  const lines = (await notes.read(RECEIPTS, [object], signal)).notes.get(object) ?? []
  const [older] = lines
    .flatMap((line) => parseWitnessRequest(line) ?? [])
    .flatMap(({ checkpoint }) => openSignedCheckpoint(checkpoint, keys) ?? [])
    .filter((one) => one.origin === origin)
    .sort((a, b) => b.size - a.size)
  if (older === undefined) return []
  const newer = await rootAt(log, Math.min(size, older.size))
  if (newer.size === older.size && newer.root === older.root) return []
  const outcome = newer.size < older.size ? 'rollback' : 'forked'
  return [{ origin, outcome, older, newer } as const]
}

/** Makes a note with a key that may answer later, such as that of an ssh-agent: `make` is told the signature of what it signs. */
const signNote = async (
  { key, sign }: ReceiptSigner,
  name: string,
  make: (signer: ReturnType<typeof noteSigner>) => string,
): Promise<string> => {
  const publicKey = Buffer.from(key.id, 'hex')
  let message: Uint8Array = Buffer.alloc(0)
  make(
    noteSigner(name, publicKey, (bytes) => {
      message = bytes
      return Buffer.alloc(SIGNATURE_BYTES)
    }),
  )
  const signature = await sign(message)
  return make(noteSigner(name, publicKey, () => signature))
}

/** Cosigns the newest checkpoint of each log that only grew. */
export const cosignLogs = async (
  { notes, format, signal }: WitnessContext,
  logs: readonly WitnessedLog[],
  signer: ReceiptSigner,
  seconds: number,
): Promise<void> => {
  const lines = new Map<string, readonly string[]>()
  for (const log of logs) {
    const note = log.outcome === 'consistent' ? log.newest.note : undefined
    if (note === undefined) continue
    const checkpoint = await signNote(signer, signer.key.name, (by) => cosignCheckpoint(by, note, seconds))
    lines.set(originObject(log.origin, format), [JSON.stringify({ checkpoint })])
  }
  if (lines.size > 0) await notes.append(WITNESSED, lines, signal)
}

/**
 * Lines that publish the present size of a log: a checkpoint, and a proof from each checkpoint that was published
 * before and that no proof connects with it yet. Clones that share a log publish at the same time.
 */
export const publishLines = async (
  log: LogReader,
  signer: ReceiptSigner,
  published: readonly string[],
): Promise<readonly string[]> => {
  const origin = await logOrigin(DECISION_LOG, log)
  const requests = published.flatMap((line) => parseWitnessRequest(line) ?? [])
  const known = requests.flatMap((one) => {
    const checkpoint = openSignedCheckpoint(one.checkpoint, [signer.key.text])
    return checkpoint?.origin === origin ? [{ old: one.old, ...checkpoint }] : []
  })
  const { size, root } = await rootAt(log)
  if (known.some((one) => one.size >= size)) return []
  const continued = new Set(known.map(({ old }) => old))
  const ends = [...new Set(known.map((one) => one.size))].filter((one) => !continued.has(one))
  const checkpoint = await signNote(signer, origin, (by) => writeCheckpoint(by, size, root))
  const from = async (old: number): Promise<WitnessRequest> => {
    const { path } = await proveConsistency(log, old, size)
    return { origin, old, proof: path.map((hash) => Buffer.from(hash, 'hex').toString('base64')), checkpoint }
  }
  const made = await Promise.all((ends.length === 0 ? [0] : ends).map(from))
  return made.map(writeWitnessRequest)
}
