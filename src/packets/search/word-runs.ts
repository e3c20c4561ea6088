import { ListEncoder } from './posting-lists.ts'
import type { RankingKind } from './tokens.ts'
import { ByteWriter } from './varint.ts'
import { bucketOf, type IndexWriter, type WordTable, writeBucketPlace } from './word-index.ts'

/** Occurrences that are kept in memory: twelve bytes each, and eight while they are sorted. */
const RUN_OCCURRENCES = 6_000_000
const FIRST_OCCURRENCES = 65_536
/** Bytes of documents for one bucket of words: what is decoded to find a word. */
const BUCKET_BYTES = 32 * 1024
/** Bytes between two writes. */
const STEP = 1024 * 1024

/**
 * Collects the occurrences of words and writes their lists in runs, so that only the places of the lists stay in memory.
 * Rows must come in ascending order.
 */
export class WordRuns {
  readonly kind: RankingKind
  readonly #out: IndexWriter
  readonly #most: number
  /** The words by their hashes, each with the places of its lists. */
  readonly #buckets: readonly ByteWriter[]
  #names = new Map<string, number>()
  #words = new Uint32Array(FIRST_OCCURRENCES)
  #rows = new Uint32Array(FIRST_OCCURRENCES)
  #values = new Uint32Array(FIRST_OCCURRENCES)
  #count = 0

  /** `bytes` is the size of the documents, `most` the number of occurrences in a run. */
  constructor(kind: RankingKind, out: IndexWriter, bytes: number, most = RUN_OCCURRENCES) {
    this.kind = kind
    this.#out = out
    const buckets = 2 ** Math.ceil(Math.log2(Math.max(bytes / BUCKET_BYTES, 1)))
    this.#buckets = Array.from({ length: buckets }, () => new ByteWriter(64))
    this.#most = most
  }

  /** Makes room for the occurrences of one row, which are never divided between two runs. */
  async reserve(occurrences: number): Promise<void> {
    if (this.#count > 0 && this.#count + occurrences > this.#most) await this.#flush()
    const needed = this.#count + occurrences
    if (needed <= this.#words.length) return
    const space = Math.max(needed, Math.min(4 * this.#words.length, this.#most))
    const grow = (numbers: Uint32Array) => {
      const larger = new Uint32Array(space)
      larger.set(numbers.subarray(0, this.#count))
      return larger
    }
    this.#words = grow(this.#words)
    this.#rows = grow(this.#rows)
    this.#values = grow(this.#values)
  }

  /** Adds one occurrence: `value` is a count, or a field and a position. */
  add(word: string, row: number, value: number): void {
    let number = this.#names.get(word)
    if (number === undefined) {
      number = this.#names.size
      this.#names.set(word, number)
    }
    const at = this.#count++
    this.#words[at] = number
    this.#rows[at] = row
    this.#values[at] = value
  }

  /** Writes the last run, then the words of each bucket and where the buckets are. */
  async finish(): Promise<WordTable> {
    if (this.#count > 0) await this.#flush()
    const places = Buffer.alloc(16 * this.#buckets.length)
    for (const [i, { written }] of this.#buckets.entries()) {
      writeBucketPlace(places, i, this.#out.add(written))
      if (this.#out.waiting > STEP) await this.#out.flush()
    }
    return { buckets: this.#buckets.length, at: this.#out.add(places).at }
  }

  /** Writes the list of each word that was collected. */
  async #flush(): Promise<void> {
    const names = [...this.#names.keys()]
    const { starts, rows, values } = this.#sortByWord(names.length)
    const encoder = new ListEncoder(this.kind)
    for (const [number, word] of names.entries()) {
      for (let i = starts[number] ?? 0; i < (starts[number + 1] ?? 0); i++)
        encoder.add(rows[i] ?? 0, values[i] ?? 0)
      this.#writeList(word, encoder.finish())
      encoder.reset()
      if (this.#out.waiting > STEP) await this.#out.flush()
    }
    this.#names = new Map()
    this.#count = 0
  }

  #writeList(
    word: string,
    { rows, directory, postings, positions }: ReturnType<ListEncoder['finish']>,
  ): void {
    const head = this.#out.add(directory, postings)
    const checks = [head.check, this.#out.add(positions).check]
    const entry = new ByteWriter(64)
    for (const value of [rows, head.at, directory.length, postings.length, positions.length, ...checks])
      entry.varint(value)
    const bucket = this.#buckets[bucketOf(word, this.#buckets.length)]
    for (const part of [Buffer.from(word), entry.written]) {
      bucket?.varint(part.length)
      bucket?.append(part)
    }
  }

  /** A stable counting sort: the occurrences of a word stay in the order of rows and positions. */
  #sortByWord(words: number) {
    const starts = new Uint32Array(words + 1)
    for (let i = 0; i < this.#count; i++) {
      const next = (this.#words[i] ?? 0) + 1
      starts[next] = (starts[next] ?? 0) + 1
    }
    for (let i = 0; i < words; i++) starts[i + 1] = (starts[i + 1] ?? 0) + (starts[i] ?? 0)
    const free = starts.slice()
    const [rows, values] = [new Uint32Array(this.#count), new Uint32Array(this.#count)]
    for (let i = 0; i < this.#count; i++) {
      const word = this.#words[i] ?? 0
      const at = free[word] ?? 0
      rows[at] = this.#rows[i] ?? 0
      values[at] = this.#values[i] ?? 0
      free[word] = at + 1
    }
    return { starts, rows, values }
  }
}
