import { crc32 } from 'node:zlib'
import { isRecord } from '../../kernel/encoding/json.ts'
import { packetFaults } from '../faults.ts'
import type { ByteSource } from '../format/faiss.ts'

/**
 * A file of ours that is read by offset and in which damage is noticed: pages with a CRC-32 each, then the checksums,
 * then a JSON description, then a trailer with its length, its checksum and the magic number. The description comes
 * last, so that the file is written in one pass, and a file that was cut off has none.
 */

const PAGE_BYTES = 16 * 1024
const BATCH_BYTES = 32 * PAGE_BYTES
const MAGIC = Buffer.from('WRNT-WI\x01', 'latin1')
const TRAILER = 16
const MAX_DESCRIPTION = 64 * 1024

const damaged = (why: string): Error => packetFaults.index(`the word index is damaged: ${why}`)

/** Collects bytes into pages. The caller writes what the methods return, in that order. */
export class PageWriter {
  #batch = new Uint8Array(BATCH_BYTES)
  #used = 0
  #before = 0
  readonly #checks: number[] = []

  /** Bytes so far: the offset of the next one. */
  get length(): number {
    return this.#before + this.#used
  }

  /** Adds bytes, and returns the batches that are full. */
  *add(bytes: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + BATCH_BYTES - this.#used)
      this.#batch.set(part, this.#used)
      this.#used += part.length
      at += part.length
      if (this.#used === BATCH_BYTES) yield this.#flush()
    }
  }

  /** The last pages, the checksums, the description and the trailer. */
  *finish(description: object): Generator<Uint8Array> {
    const size = this.length
    yield this.#flush()
    const checks = Buffer.from(Uint32Array.from(this.#checks).buffer)
    const text = Buffer.from(JSON.stringify({ ...description, size, checks: crc32(checks) }))
    const trailer = Buffer.alloc(TRAILER)
    trailer.writeUInt32LE(text.length, 0)
    trailer.writeUInt32LE(crc32(text), 4)
    MAGIC.copy(trailer, 8)
    yield Buffer.concat([checks, text, trailer])
  }

  #flush(): Uint8Array {
    const full = this.#batch.subarray(0, this.#used)
    for (let at = 0; at < full.length; at += PAGE_BYTES)
      this.#checks.push(crc32(full.subarray(at, at + PAGE_BYTES)))
    this.#before += full.length
    this.#batch = new Uint8Array(BATCH_BYTES)
    this.#used = 0
    return full
  }
}

/** Reads pages and compares each with its checksum; damage is a fault. */
export class CheckedPages {
  readonly description: Readonly<Record<string, unknown>>
  readonly #source: ByteSource
  readonly #size: number
  readonly #checks: Uint32Array

  private constructor(
    source: ByteSource,
    size: number,
    checks: Uint32Array,
    description: Readonly<Record<string, unknown>>,
  ) {
    this.#source = source
    this.#size = size
    this.#checks = checks
    this.description = description
  }

  static async open(source: ByteSource): Promise<CheckedPages> {
    const text = await readDescription(source)
    const description: unknown = JSON.parse(text.toString('utf8'))
    const { size, checks: expected } = isRecord(description) ? description : {}
    if (!isRecord(description) || !Number.isSafeInteger(size)) throw damaged('it does not say its size')
    const pages = Math.ceil((size as number) / PAGE_BYTES)
    if (source.size !== (size as number) + 4 * pages + text.length + TRAILER)
      throw damaged('it has another size than it says')
    const checks = Buffer.from(await source.read(size as number, 4 * pages))
    if (crc32(checks) !== expected) throw damaged('its checksums are not what was written')
    const numbers = new Uint32Array(checks.buffer.slice(checks.byteOffset, checks.byteOffset + checks.length))
    return new CheckedPages(source, size as number, numbers, description)
  }

  /** Memory use. */
  get bytes(): number {
    return this.#checks.byteLength
  }

  async read(at: number, length: number): Promise<Uint8Array> {
    if (!(at >= 0 && length >= 0 && at + length <= this.#size))
      throw damaged('it refers to bytes behind its end')
    if (length === 0) return new Uint8Array()
    const first = Math.floor(at / PAGE_BYTES)
    const start = first * PAGE_BYTES
    const end = Math.min(Math.ceil((at + length) / PAGE_BYTES) * PAGE_BYTES, this.#size)
    const bytes = await this.#source.read(start, end - start)
    for (let page = first, from = 0; from < bytes.length; page++, from += PAGE_BYTES)
      if (crc32(bytes.subarray(from, from + PAGE_BYTES)) !== this.#checks[page])
        throw damaged(`page ${page} is not what was written`)
    return bytes.subarray(at - start, at - start + length)
  }
}

const readDescription = async (source: ByteSource): Promise<Buffer> => {
  if (source.size < TRAILER) throw damaged('it is too short')
  const trailer = Buffer.from(await source.read(source.size - TRAILER, TRAILER))
  const length = trailer.readUInt32LE(0)
  if (!trailer.subarray(8).equals(MAGIC)) throw damaged('it does not end as it should')
  if (length > MAX_DESCRIPTION || length + TRAILER > source.size) throw damaged('its description is too long')
  const text = Buffer.from(await source.read(source.size - TRAILER - length, length))
  if (crc32(text) !== trailer.readUInt32LE(4)) throw damaged('its description is not what was written')
  return text
}
