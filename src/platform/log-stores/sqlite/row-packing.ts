import { storeFaults } from '../../../lineage/faults.ts'
import type { Row } from '../../../lineage/store.ts'
import { decodeStored } from '../checks.ts'

/**
 * A run: several entries of one commit in one row. A call into SQLite and a row for each entry would cost more than the
 * bytes do.
 */
export interface Run {
  /** Sequence number of its last entry. */
  readonly seq: number
  /** For each entry its length and that of its payload in bytes, as little-endian u32. */
  readonly sizes: Uint8Array
  readonly bytes: Uint8Array
}

const MAX_ENTRIES = 64
/** In UTF-16 units. Limited, because reading or erasing one entry handles its whole run. */
const MAX_RUN_LENGTH = 256 * 1024
/** Marks an erased payload in `sizes`. */
const ERASED = 0xffff_ffff
const SIZE_PAIR_BYTES = 8

/** UTF-8 bytes per UTF-16 unit, at most. */
const MAX_UTF8_BYTES = 3
let scratch: Buffer | undefined

/** A buffer for one run. Runs of normal size share one, which the next run overwrites. */
const scratchFor = (most: number): Buffer => {
  if (most > MAX_UTF8_BYTES * MAX_RUN_LENGTH) return Buffer.allocUnsafeSlow(most)
  scratch ??= Buffer.allocUnsafeSlow(MAX_UTF8_BYTES * MAX_RUN_LENGTH)
  return scratch
}

/** Writes the texts and their sizes. Returns the total number of bytes. */
const writeTexts = (rows: readonly Row[], buffer: Buffer, sizes: Buffer): number => {
  let at = 0
  for (const [place, { entry, payload }] of rows.entries()) {
    const written = buffer.write(entry, at)
    const more = payload === null ? 0 : buffer.write(payload, at + written)
    sizes.writeUInt32LE(written, place * SIZE_PAIR_BYTES)
    sizes.writeUInt32LE(payload === null ? ERASED : more, place * SIZE_PAIR_BYTES + SIZE_PAIR_BYTES / 2)
    at += written + more
  }
  return at
}

/**
 * Fast path for ASCII texts without erased payloads, which is nearly all: one string in one write. False when the texts
 * are not ASCII.
 */
const writeAscii = (rows: readonly Row[], buffer: Buffer, sizes: Buffer): number | false => {
  let text = ''
  let at = 0
  for (const { entry, payload } of rows) {
    if (payload === null) return false
    text += entry + payload
    sizes.writeUInt32LE(entry.length, at)
    sizes.writeUInt32LE(payload.length, at + SIZE_PAIR_BYTES / 2)
    at += SIZE_PAIR_BYTES
  }
  return buffer.write(text, 0) === text.length && text.length
}

/** The returned bytes are valid until the next run is packed. */
export const packRun = (rows: readonly Row[]): Run => {
  const buffer = scratchFor(
    MAX_UTF8_BYTES * rows.reduce((sum, { entry, payload }) => sum + entry.length + (payload?.length ?? 0), 0),
  )
  const sizes = Buffer.allocUnsafe(rows.length * SIZE_PAIR_BYTES)
  const size = writeAscii(rows, buffer, sizes) || writeTexts(rows, buffer, sizes)
  return { seq: rows.at(-1)?.seq ?? 0, sizes, bytes: buffer.subarray(0, size) }
}

export function* packRuns(rows: readonly Row[]): Generator<Run> {
  let from = 0
  let length = 0
  for (const [at, { entry, payload }] of rows.entries()) {
    length += entry.length + (payload?.length ?? 0)
    if (at > from && (at - from === MAX_ENTRIES || length > MAX_RUN_LENGTH)) {
      yield packRun(rows.slice(from, at))
      from = at
      length = entry.length + (payload?.length ?? 0)
    }
  }
  if (from < rows.length) yield packRun(from === 0 ? rows : rows.slice(from))
}

const damaged = (seq: number) => storeFaults.damaged(`entry ${seq} is truncated`, { detail: { seq } })

/** Sequence number of its first entry. */
export const firstSeq = ({ seq, sizes }: Run): number => seq + 1 - sizes.length / SIZE_PAIR_BYTES

/** The entries of a run from `from` up to `to`. Damage in other entries is not reported. */
export const unpackRun = (run: Run, from: number, to: number): Row[] => {
  const { seq, sizes, bytes } = run
  const numbers = Buffer.from(sizes.buffer, sizes.byteOffset, sizes.length)
  const rows: Row[] = []
  let end = 0
  const take = (size: number, at: number): Uint8Array => {
    const start = end
    end += size
    if (end > bytes.length) throw damaged(at)
    return bytes.subarray(start, end)
  }
  for (let at = firstSeq(run), pair = 0; at <= seq && at < to; at += 1, pair += SIZE_PAIR_BYTES) {
    const entry = take(numbers.readUInt32LE(pair), at)
    const size = numbers.readUInt32LE(pair + SIZE_PAIR_BYTES / 2)
    const payload = size === ERASED ? null : take(size, at)
    if (at < from) continue
    if (at === seq && end !== bytes.length) throw damaged(at)
    rows.push({
      seq: at,
      entry: decodeStored(entry, `entry ${at}`),
      payload: payload === null ? null : decodeStored(payload, `payload ${at}`),
    })
  }
  return rows
}
