import { ListEncoder } from './posting-encoder.ts'
import { ByteWriter } from './varint.ts'
import type { RankingKind } from './word-fields.ts'
import { bucketOf, type IndexWriter, type WordRun, writeBucketPlace } from './word-index.ts'

/** Occurrences that are kept in memory: twelve bytes each, and eight while they are sorted. */
const RUN_OCCURRENCES = 6_000_000
const FIRST_OCCURRENCES = 65_536
/** Words of one bucket: what is decoded to find a word. */
const BUCKET_WORDS = 64
/** Bytes between two writes. */
const STEP = 1024 * 1024

/** Rows and values in the order of words; `starts` has where each word begins. */
interface SortedOccurrences {
  readonly starts: Uint32Array
  readonly rows: Uint32Array
  readonly values: Uint32Array
}

/**
 * Collects the occurrences of words and writes them in runs, each with a table of its words, so that an index of any
 * size is made in bounded memory. Rows must come in ascending order.
 */
export class WordRuns {
  readonly kind: RankingKind
  readonly #out: IndexWriter
  readonly #most: number
  readonly #runs: WordRun[] = []
  #names = new Map<string, number>()
  #words = new Uint32Array(FIRST_OCCURRENCES)
  #rows = new Uint32Array(FIRST_OCCURRENCES)
  #values = new Uint32Array(FIRST_OCCURRENCES)
  #count = 0

  /** `most` is the number of occurrences in a run. */
  constructor(kind: RankingKind, out: IndexWriter, most = RUN_OCCURRENCES) {
    this.kind = kind
    this.#out = out
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

  /** The runs, after the last one was written. */
  async finish(): Promise<readonly WordRun[]> {
    if (this.#count > 0) await this.#flush()
    return this.#runs
  }

  /** Writes what was collected: the lists of each bucket, the words of the bucket, and the places of all buckets. */
  async #flush(): Promise<void> {
    const out = this.#out
    const names = [...this.#names.keys()]
    const occurrences = this.#sortByWord(names.length)
    const count = 2 ** Math.ceil(Math.log2(Math.max(names.length / BUCKET_WORDS, 1)))
    const buckets = Array.from({ length: count }, (): number[] => [])
    names.forEach((name, number) => {
      buckets[bucketOf(name, count)]?.push(number)
    })
    const table = Buffer.alloc(16 * count)
    for (const [i, numbers] of buckets.entries()) {
      const words = this.#writeLists(names, numbers, occurrences)
      writeBucketPlace(table, i, out.add(words))
      if (out.waiting > STEP) await out.flush()
    }
    this.#runs.push({ buckets: count, table: out.add(table) })
    this.#names = new Map()
    this.#count = 0
  }

  /** Writes the lists of some words, and returns where each is. */
  #writeLists(
    names: readonly string[],
    numbers: readonly number[],
    { starts, rows, values }: SortedOccurrences,
  ): Uint8Array {
    const encoder = new ListEncoder(this.kind)
    const words = new ByteWriter()
    const start = this.#out.length
    for (const number of numbers) {
      for (let i = starts[number] as number; i < (starts[number + 1] as number); i++)
        encoder.add(rows[i] as number, values[i] as number)
      const { rows: seen, directory, postings, positions } = encoder.finish()
      const name = Buffer.from(names[number] as string)
      words.varint(name.length)
      words.append(name)
      const checks = [this.#out.add(directory, postings).check, this.#out.add(positions).check]
      for (const value of [seen, directory.length, postings.length, positions.length, ...checks])
        words.varint(value)
      encoder.reset()
    }
    const head = new ByteWriter(16)
    head.varint(this.#out.length - start)
    head.append(words.written)
    return head.written
  }

  /** A stable counting sort: the occurrences of a word stay in the order of rows and positions. */
  #sortByWord(words: number): SortedOccurrences {
    const starts = new Uint32Array(words + 1)
    for (let i = 0; i < this.#count; i++) {
      const next = (this.#words[i] as number) + 1
      starts[next] = (starts[next] as number) + 1
    }
    for (let i = 0; i < words; i++) starts[i + 1] = (starts[i + 1] as number) + (starts[i] as number)
    const free = starts.slice()
    const [rows, values] = [new Uint32Array(this.#count), new Uint32Array(this.#count)]
    for (let i = 0; i < this.#count; i++) {
      const word = this.#words[i] as number
      const at = free[word] as number
      rows[at] = this.#rows[i] as number
      values[at] = this.#values[i] as number
      free[word] = at + 1
    }
    return { starts, rows, values }
  }
}
