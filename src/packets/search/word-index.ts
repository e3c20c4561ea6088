import { crc32 } from 'node:zlib'
import { packetFaults } from '../faults.ts'
import type { ByteSource } from '../format/faiss.ts'
import type { WordPostings } from './posting-lists.ts'
import type { RankingKind } from './tokens.ts'
import { ByteReader, ByteWriter } from './varint.ts'

/**
 * A file of ours that is read by offset and in which damage is noticed: every part has a CRC-32 where its place is
 * written. A word has a list in each run in which it was collected, so that the file is written in one pass. The
 * description of the file and its trailer come last: a file that was cut off has none.
 */

const MAGIC = Buffer.from('WRNT-WI\x02', 'latin1')
const TRAILER = 16
const MAX_DESCRIPTION = 64 * 1024
/** Rows whose places are read together. */
const PLACE_ROWS = 1024
const PLACE_BYTES = 8 * (PLACE_ROWS + 1) + 4

/** A part of the file. */
interface Piece {
  readonly at: number
  readonly length: number
  readonly check: number
}

/** The words by their hashes: where the places of the buckets are. */
export interface WordTable {
  readonly buckets: number
  readonly at: number
}

interface Description {
  readonly kind: RankingKind
  readonly rows: number
  /** What the index was made of; a reader compares it before anything else. */
  readonly madeFrom: string
  /** A warning that every answer from this index repeats. */
  readonly warning: string
  readonly words: WordTable
  readonly lengths: Piece
  /** Where the places of the rows begin. */
  readonly places: number
}

const damaged = (why: string): Error => packetFaults.index(`the word index is damaged: ${why}`)

/** The bucket of a word, of a power of two. */
export const bucketOf = (word: string, buckets: number): number => crc32(word) % buckets

export const writeBucketPlace = (table: Buffer, bucket: number, { at, length, check }: Piece): void => {
  table.writeDoubleLE(at, 16 * bucket)
  table.writeUInt32LE(length, 16 * bucket + 8)
  table.writeUInt32LE(check, 16 * bucket + 12)
}

const readBucketPlace = (place: Buffer): Piece => ({
  at: place.readDoubleLE(0),
  length: place.readUInt32LE(8),
  check: place.readUInt32LE(12),
})

const toBytes = ({ buffer, byteOffset, byteLength }: Uint32Array | Float64Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

/** Copied, because numbers in a file are not aligned. */
const aligned = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer

/** Takes the next bytes of a file. They are lent until the promise is kept. */
export type Append = (bytes: Uint8Array) => Promise<void>

/** Writes the parts of a word index. */
export class IndexWriter {
  readonly #append: Append
  readonly #batch = new ByteWriter(1024 * 1024)
  #before = 0

  constructor(append: Append) {
    this.#append = append
  }

  /** Bytes so far: the offset of the next one. */
  get length(): number {
    return this.#before + this.#batch.length
  }

  /** Bytes that are not written yet. */
  get waiting(): number {
    return this.#batch.length
  }

  add(...parts: readonly Uint8Array[]): Piece {
    const [at, from] = [this.length, this.#batch.length]
    for (const part of parts) this.#batch.append(part)
    const bytes = this.#batch.written.subarray(from)
    return { at, length: bytes.length, check: crc32(bytes) }
  }

  async flush(): Promise<void> {
    await this.#append(this.#batch.written)
    this.#before += this.#batch.length
    this.#batch.clear()
  }

  /**
   * Writes what is not about words: how many each row has, and the offset of each row in `docs.jsonl` with the end of the
   * last one.
   */
  async finish(
    description: Omit<Description, 'rows' | 'lengths' | 'places'>,
    lengths: Uint32Array,
    starts: Float64Array,
  ): Promise<void> {
    const rows = lengths.length
    const lengthsPiece = this.add(toBytes(lengths))
    const places = this.length
    const check = Buffer.alloc(4)
    for (let row = 0; row === 0 || row < rows; row += PLACE_ROWS) {
      check.writeUInt32LE(this.add(toBytes(starts.subarray(row, row + PLACE_ROWS + 1))).check)
      this.add(check)
    }
    const text = Buffer.from(JSON.stringify({ ...description, rows, lengths: lengthsPiece, places }))
    const trailer = Buffer.alloc(TRAILER)
    trailer.writeUInt32LE(text.length, 0)
    trailer.writeUInt32LE(crc32(text), 4)
    MAGIC.copy(trailer, 8)
    this.add(text, trailer)
    await this.flush()
  }
}

/** Where the postings of a word are in one run. */
interface RunList {
  /** Number of rows that have the word. */
  readonly rows: number
  readonly directory: number
  /** Directory and postings. */
  readonly head: Piece
  readonly positions: Piece
}

/** Where the postings of a word are. */
export interface WordList {
  /** Number of rows that have the word. */
  readonly rows: number
  readonly lists: readonly RunList[]
}

const readDescription = async (source: ByteSource): Promise<Description> => {
  if (source.size < TRAILER) throw damaged('it is too short')
  const trailer = Buffer.from(await source.read(source.size - TRAILER, TRAILER))
  const length = trailer.readUInt32LE(0)
  if (!trailer.subarray(8).equals(MAGIC)) throw damaged('it does not end as it should')
  if (length > MAX_DESCRIPTION || length + TRAILER > source.size) throw damaged('its description is too long')
  const text = Buffer.from(await source.read(source.size - TRAILER - length, length))
  if (crc32(text) !== trailer.readUInt32LE(4)) throw damaged('its description is not what was written')
  // What was written, by its checksum; a forged one was not made from these files.
  return JSON.parse(text.toString('utf8'))
}

/** A word index in a file, of which only the parts that a question needs are read. Damage is a fault. */
export class WordIndexFile {
  readonly #source: ByteSource
  readonly #description: Description

  private constructor(source: ByteSource, description: Description) {
    this.#source = source
    this.#description = description
  }

  static async open(source: ByteSource): Promise<WordIndexFile> {
    return new WordIndexFile(source, await readDescription(source))
  }

  get rows(): number {
    return this.#description.rows
  }

  get kind(): RankingKind {
    return this.#description.kind
  }

  get madeFrom(): string {
    return this.#description.madeFrom
  }

  get warning(): string {
    return this.#description.warning
  }

  /** Words in the text of each row. */
  async lengths(): Promise<Uint32Array> {
    return new Uint32Array(aligned(await this.#read(this.#description.lengths)))
  }

  /** The bytes of a row in `docs.jsonl`: where it begins, and where the next one does. */
  async docRange(row: number): Promise<readonly [start: number, end: number]> {
    const [start = 0, end = 0] = (await this.#places(row)).subarray(row % PLACE_ROWS)
    return [start, end]
  }

  /** The offsets of all rows in `docs.jsonl`, and the end of the last one. */
  async docStarts(): Promise<Float64Array> {
    const starts = new Float64Array(this.rows + 1)
    for (let row = 0; row === 0 || row < this.rows; row += PLACE_ROWS)
      starts.set(await this.#places(row), row)
    return starts
  }

  /** Finds a word; undefined when no row has it. */
  async find(word: string): Promise<WordList | undefined> {
    const { at, buckets } = this.#description.words
    const place = Buffer.from(await this.#source.read(at + 16 * bucketOf(word, buckets), 16))
    const lists = findInBucket(await this.#read(readBucketPlace(place)), Buffer.from(word))
    return lists.length === 0 ? undefined : { rows: lists.reduce((sum, { rows }) => sum + rows, 0), lists }
  }

  /** The directories and the postings of a word, and its positions when they are wanted, by ascending rows. */
  read({ lists }: WordList, withPositions: boolean): Promise<readonly WordPostings[]> {
    return Promise.all(
      lists.map(async ({ directory, head, positions }) => {
        const bytes = await this.#source.read(head.at, head.length + (withPositions ? positions.length : 0))
        const postings = this.#check(bytes.subarray(0, head.length), head.check)
        return {
          directory: postings.subarray(0, directory),
          postings: postings.subarray(directory),
          positions: withPositions
            ? this.#check(bytes.subarray(head.length), positions.check)
            : new Uint8Array(),
        }
      }),
    )
  }

  /** The places of the rows that are kept together with a row. */
  async #places(row: number): Promise<Float64Array> {
    const block = Math.floor(row / PLACE_ROWS)
    const length = 8 * (Math.min(this.rows - block * PLACE_ROWS, PLACE_ROWS) + 1)
    const at = this.#description.places + block * PLACE_BYTES
    const bytes = await this.#source.read(at, length + 4)
    const check = Buffer.from(bytes.subarray(length)).readUInt32LE(0)
    return new Float64Array(aligned(this.#check(bytes.subarray(0, length), check)))
  }

  async #read({ at, length, check }: Piece): Promise<Uint8Array> {
    if (!(at >= 0 && at + length <= this.#source.size)) throw damaged('it refers to bytes behind its end')
    return this.#check(length === 0 ? new Uint8Array() : await this.#source.read(at, length), check)
  }

  #check(bytes: Uint8Array, check: number): Uint8Array {
    if (crc32(bytes) !== check) throw damaged('a part is not what was written')
    return bytes
  }
}

/** The lists of a word in its bucket, by ascending rows. */
const findInBucket = (bucket: Uint8Array, word: Buffer): readonly RunList[] => {
  const reader = new ByteReader(bucket)
  const lists: RunList[] = []
  while (!reader.atEnd) {
    const name = reader.take(reader.varint())
    const entry = new ByteReader(reader.take(reader.varint()))
    if (name.length === word.length && word.equals(name)) lists.push(readEntry(entry))
  }
  return lists
}

const readEntry = (entry: ByteReader): RunList => {
  const [rows, at, directory] = [entry.varint(), entry.varint(), entry.varint()]
  const [postings, positions] = [entry.varint(), entry.varint()]
  const head = { at, length: directory + postings, check: entry.varint() }
  return {
    rows,
    directory,
    head,
    positions: { at: at + head.length, length: positions, check: entry.varint() },
  }
}
