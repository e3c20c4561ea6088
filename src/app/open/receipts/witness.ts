import { createHash } from 'node:crypto'
import { isRecord, jsonOf } from '../../../kernel/encoding/json.ts'
import { signNote, writeCheckpoint } from '../../../lineage/checkpoint.ts'
import { DECISION_LOG, logOrigin } from '../../../lineage/origin.ts'
import { proveConsistency, rootAt } from '../../../lineage/proof.ts'
import type { LogReader } from '../../../lineage/store.ts'
import { cosignCheckpoint, verifyCosignatures } from '../../../lineage/tlog/cosignature.ts'
import { openSignedCheckpoint } from '../../../lineage/tlog/note.ts'
import {
  checkWitnessChain,
  parseWitnessRequest,
  unseenLog,
  type WitnessRequest,
  writeWitnessRequest,
} from '../../../lineage/tlog/witness-chain.ts'
import type { GitNotes } from '../../../platform/git/notes/git-notes.ts'
import type { CommitResult } from '../../../receipts/judge-commits.ts'
import type { ReceiptSigner } from '../../../receipts/verifier-key.ts'
import { detailsOf } from '../../../receipts/verify-receipt.ts'
import { noteKeyOf } from './signing-key.ts'

// Which checkpoints a note keeps: each push adds one, and a note has a largest size. The rest is in its history.

/** The newest of a log, and of a witness, that are kept in any case: clones fetch late. */
export const KEPT_CHECKPOINTS = 64

/** A line of the note of a log, and the size of its checkpoint. */
interface PublishedSize {
  readonly line: string
  readonly size: number
}

interface CompactedLog {
  readonly dropped: readonly string[]
  /** Sizes that need a proof to the next checkpoint, because the lines that connected them are dropped. */
  readonly relinked: readonly number[]
}

const UNCHANGED: CompactedLog = { dropped: [], relinked: [] }

/**
 * Keeps the newest checkpoints of a log; older ones that a witness signed are connected with the next one directly. Waits
 * until there is twice as much as would be kept, so that most pushes only add a line.
 */
export const compactPublished = (
  published: readonly PublishedSize[],
  witnessed: readonly number[],
): CompactedLog => {
  const sizes = [...new Set(published.map(({ size }) => size))].sort((a, b) => b - a)
  const oldest = sizes[KEPT_CHECKPOINTS - 1] ?? 0
  const relinked = [...new Set(witnessed)].filter((size) => size > 0 && size < oldest)
  if (published.length <= 2 * (KEPT_CHECKPOINTS + relinked.length)) return UNCHANGED
  return { dropped: published.flatMap(({ line, size }) => (size < oldest ? [line] : [])), relinked }
}

/** A line of the note of witnesses: who signed, which size, and when, in seconds. */
interface WitnessedSize {
  readonly line: string
  readonly size: number
  readonly cosigned: readonly { readonly key: string; readonly time: number }[]
}

const MAX_WITNESSED = 4 * KEPT_CHECKPOINTS
const DAY_SECONDS = 86_400

/** Keeps the newest of each witness, and the last of each day before: what was there when a key was revoked. */
export const compactWitnessed = (witnessed: readonly WitnessedSize[]): readonly string[] => {
  if (witnessed.length <= MAX_WITNESSED) return []
  const newestFirst = witnessed.toSorted((a, b) => b.size - a.size)
  const kept = new Set<string>()
  const counts = new Map<string, number>()
  const days = new Set<string>()
  for (const { line, cosigned } of newestFirst)
    for (const { key, time } of cosigned) {
      const count = counts.get(key) ?? 0
      counts.set(key, count + 1)
      const day = `${key} ${Math.floor(time / DAY_SECONDS)}`
      if (count < KEPT_CHECKPOINTS || !days.has(day)) kept.add(line)
      days.add(day)
    }
  return newestFirst.flatMap(({ line }) => (kept.has(line) ? [] : [line]))
}

const RECEIPTS = 'warrant'
const WITNESSED = 'warrant-witness'

/** The id of the blob that holds the origin; it need not exist. */
export const originObject = (origin: string, format: 'sha1' | 'sha256'): string =>
  createHash(format)
    .update(`blob ${Buffer.byteLength(origin)}\0${origin}`)
    .digest('hex')

/** The hash of a repository, by the length of one of its object ids. */
export const hashOf = (id: string): 'sha1' | 'sha256' => (id.length === 64 ? 'sha256' : 'sha1')

const parseNoteLine = (line: string): string[] => {
  const value = jsonOf(line)
  return isRecord(value) && typeof value.checkpoint === 'string' ? [value.checkpoint] : []
}

/** The checkpoints of a log that the keys cosigned, largest first. */
const openWitnessed = (origin: string, lines: readonly string[], keys: readonly string[]) =>
  lines
    .flatMap((line) => parseNoteLine(line).map((note) => ({ line, note })))
    .flatMap(({ line, note }) => {
      const checkpoint = openSignedCheckpoint(note, keys)
      const cosigned = verifyCosignatures(note, keys) ?? []
      return checkpoint?.origin === origin && cosigned.length > 0
        ? [{ ...checkpoint, line, note, cosigned }]
        : []
    })
    .sort((a, b) => b.size - a.size)

/** What became of one log since a witness saw it. */
type WitnessedLog = ReturnType<typeof checkWitnessChain> & {
  readonly origin: string
  /** Lines of witnesses that are no longer needed. */
  readonly unneeded: readonly string[]
}

/** The logs that the receipts of commits are in. */
export const originsOf = (results: readonly CommitResult[]): string[] => {
  const origins = results.flatMap((result) =>
    'receipts' in result
      ? result.receipts.flatMap(({ receipt }) => (receipt ? [detailsOf(receipt).lineage.origin] : []))
      : [],
  )
  return [...new Set(origins)].sort()
}

interface LogPoint {
  readonly size: number
  readonly root: string
}

export interface WitnessContext {
  readonly notes: GitNotes
  /** Verifier keys that may sign checkpoints and cosignatures. */
  readonly keys: readonly string[]
  readonly format: 'sha1' | 'sha256'
  readonly signal: AbortSignal
}

/** The checkpoints of a log that witnesses signed, largest first. */
export const readWitnessed = async ({ notes, keys, format, signal }: WitnessContext, origin: string) => {
  const object = originObject(origin, format)
  const witnessed = await notes.read(WITNESSED, [object], signal)
  return openWitnessed(origin, witnessed.notes.get(object) ?? [], keys)
}

/** The checkpoints of a log that were published, with the proofs between them. Nothing of it is verified. */
export const readPublished = async ({ notes, format, signal }: WitnessContext, origin: string) => {
  const object = originObject(origin, format)
  const { notes: published } = await notes.read(RECEIPTS, [object], signal)
  return (published.get(object) ?? []).flatMap((line) => parseWitnessRequest(line) ?? [])
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
    const cosigned = openWitnessed(origin, witnessed.notes.get(object) ?? [], keys)
    const [seen = unseenLog(origin), ...earlier] = cosigned
    // Smaller ones have to be part of the log as well: they could belong to a history that was given up.
    const others = earlier.map(({ size, note }) => ({ origin, old: size, proof: [], checkpoint: note }))
    const all = requests.length === 0 ? [] : [...requests, ...others]
    return { origin, unneeded: compactWitnessed(cosigned), ...checkWitnessChain(seen, all, keys) }
  })
}

/** What one witness saw of a log, and whether the log still has it. */
interface WitnessedState {
  readonly witness: string
  readonly size: number
  readonly root: string
  readonly time: string
  readonly outcome: 'grown' | 'cut' | 'rewritten'
}

/** Which witness saw which size of a log last, and whether the log still has what it saw. */
export const listWitnesses = async (
  { notes, keys, format, signal }: WitnessContext,
  log: LogReader,
): Promise<readonly WitnessedState[]> => {
  const origin = await logOrigin(DECISION_LOG, log)
  const object = originObject(origin, format)
  const lines = (await notes.read(WITNESSED, [object], signal)).notes.get(object) ?? []
  const { size: present } = await log.head()
  const newest = new Map<string, { size: number; root: string; time: number }>()
  for (const { size, root, cosigned } of openWitnessed(origin, lines, keys))
    for (const { name, time } of cosigned) if (!newest.has(name)) newest.set(name, { size, root, time })
  return Promise.all(
    [...newest].map(async ([witness, { size, root, time }]) => {
      const same = size <= present && (await rootAt(log, size)).root === root
      const outcome = same ? 'grown' : size > present ? 'cut' : 'rewritten'
      return { witness, size, root, time: new Date(time * 1_000).toISOString(), outcome } as const
    }),
  )
}

/** The log of this machine, compared with what witnesses saw of it: their notes may have more than the log has now. */
export const checkOwnLog = async (
  context: WitnessContext,
  log: LogReader,
): Promise<
  readonly { origin: string; outcome: 'rollback' | 'forked'; older: LogPoint; newer: LogPoint }[]
> => {
  const [origin, newer, witnesses] = await Promise.all([
    logOrigin(DECISION_LOG, log),
    rootAt(log),
    listWitnesses(context, log),
  ])
  const older = witnesses.filter(({ outcome }) => outcome !== 'grown').sort((a, b) => b.size - a.size)[0]
  if (older === undefined) return []
  const { size, root } = older
  return [{ origin, outcome: older.outcome === 'cut' ? 'rollback' : 'forked', older: { size, root }, newer }]
}

/** Cosigns the newest checkpoint of each log that only grew. */
export const cosignLogs = async (
  { notes, format, signal }: WitnessContext,
  logs: readonly WitnessedLog[],
  signer: ReceiptSigner,
  seconds: number,
): Promise<void> => {
  const lines = new Map<string, readonly string[]>()
  const removed = new Map<string, readonly string[]>()
  for (const log of logs) {
    const note = log.outcome === 'consistent' ? log.newest.note : undefined
    if (note === undefined) continue
    const checkpoint = await signNote(noteKeyOf(signer), signer.key.name, (by) =>
      cosignCheckpoint(by, note, seconds),
    )
    lines.set(originObject(log.origin, format), [JSON.stringify({ checkpoint })])
    removed.set(originObject(log.origin, format), log.unneeded)
  }
  if (lines.size > 0) await notes.append(WITNESSED, lines, signal, removed)
}

/** What publishes the present size of a log. */
interface PublishedCheckpoint {
  readonly added: readonly string[]
  readonly dropped: readonly string[]
  /** The newest checkpoint, whether it is new or not. */
  readonly newest: { readonly note: string; readonly size: number }
}

/**
 * Publishes the present size of a log: a checkpoint, and a proof from each checkpoint that was published before and that
 * no proof connects with it yet. Clones that share a log publish at the same time. `witnessed`: sizes that witnesses saw.
 */
export const publishCheckpoint = async (
  log: LogReader,
  signer: ReceiptSigner,
  published: readonly string[],
  witnessed: readonly number[],
): Promise<PublishedCheckpoint> => {
  const origin = await logOrigin(DECISION_LOG, log)
  const known = published.flatMap((line) => {
    const request = parseWitnessRequest(line)
    const checkpoint = request && openSignedCheckpoint(request.checkpoint, [signer.key.text])
    return checkpoint?.origin === origin
      ? [{ line, old: request?.old ?? 0, note: request?.checkpoint ?? '', ...checkpoint }]
      : []
  })
  const { size, root } = await rootAt(log)
  const last = known.toSorted((one, other) => other.size - one.size)[0]
  if (last !== undefined && last.size >= size)
    return { added: [], dropped: [], newest: { note: last.note, size: last.size } }
  const { dropped, relinked } = compactPublished(known, witnessed)
  const left = new Set(dropped)
  const kept = known.filter(({ line }) => !left.has(line))
  const continued = new Set(kept.map(({ old }) => old))
  const ends = [...new Set(kept.map((one) => one.size))].filter((one) => !continued.has(one))
  const checkpoint = await signNote(noteKeyOf(signer), origin, (by) => writeCheckpoint(by, size, root))
  const from = async (old: number): Promise<WitnessRequest> => {
    const { path } = await proveConsistency(log, old, size)
    return { origin, old, proof: path.map((hash) => Buffer.from(hash, 'hex').toString('base64')), checkpoint }
  }
  const starts = new Set([...ends, ...relinked.filter((one) => one <= size)])
  const made = await Promise.all((starts.size === 0 ? [0] : [...starts]).map(from))
  return { added: made.map(writeWitnessRequest), dropped, newest: { note: checkpoint, size } }
}
