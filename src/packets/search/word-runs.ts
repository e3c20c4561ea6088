import type { ByteSource } from '../format/faiss.ts'
import { type EncodedList, ListEncoder } from './posting-encoder.ts'
import { ByteWriter } from './varint.ts'
import type { RankingKind } from './word-fields.ts'

/** Occurrences that are kept in memory: twelve bytes each, and eight while they are sorted. */
const RUN_OCCURRENCES = 6_000_000
const FIRST_OCCURRENCES = 65_536

/** Where runs are kept until they are merged: a file, or memory where none can be written. */
export interface RunStore {
  /** Keeps bytes behind those that are kept, and returns their offset. The bytes are lent until then. */
  append(bytes: Uint8Array): Promise<number>
  readonly source: ByteSource
}

/** Appends a list with the numbers that the merge needs. */
const writeList = (out: ByteWriter, word: string, list: EncodedList): void => {
  const name = Buffer.from(word)
  out.varint(name.length)
  out.append(name)
  for (const number of [list.rows, list.first, list.last]) out.varint(number)
  const parts = [list.directory, list.postings, list.positions]
  for (const part of parts) out.varint(part.length)
  for (const part of parts) out.append(part)
}

export interface StoredRun {
  readonly at: number
  readonly length: number
}

/**
 * Collects the occurrences of words and writes them in sorted runs, so that an index of any size is made in bounded
 * memory. Rows must come in ascending order.
 */
export class WordRuns {
  readonly kind: RankingKind
  readonly #store: RunStore
  readonly #most: number
  readonly #runs: StoredRun[] = []
  #names = new Map<string, number>()
  #words = new Uint32Array(FIRST_OCCURRENCES)
  #rows = new Uint32Array(FIRST_OCCURRENCES)
  #values = new Uint32Array(FIRST_OCCURRENCES)
  #count = 0

  /** `most` is the number of occurrences in a run. */
  constructor(kind: RankingKind, store: RunStore, most = RUN_OCCURRENCES) {
    this.kind = kind
    this.#store = store
    this.#most = most
  }

  /** Makes room for the occurrences of one row, which are never divided between two runs. */
  async reserve(occurrences: number): Promise<void> {
    if (this.#count > 0 && this.#count + occurrences > this.#most) await this.flush()
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

  /** Writes what was collected as a run. */
  async flush(): Promise<void> {
    if (this.#count === 0) return
    const names = [...this.#names.keys()]
    const { starts, rows, values } = this.#sortByWord(names.length)
    const encoder = new ListEncoder(this.kind)
    const out = new ByteWriter(1 << 20)
    let at = -1
    let length = 0
    const write = async () => {
      const place = await this.#store.append(out.written)
      if (at === -1) at = place
      length += out.length
      out.clear()
    }
    for (const number of names
      .map((_, i) => i)
      .sort((a, b) => ((names[a] as string) < (names[b] as string) ? -1 : 1))) {
      for (let i = starts[number] as number; i < (starts[number + 1] as number); i++) {
        encoder.add(rows[i] as number, values[i] as number)
      }
      writeList(out, names[number] as string, encoder.finish())
      encoder.reset()
      if (out.length > 1 << 20) await write()
    }
    await write()
    this.#runs.push({ at, length })
    this.#names = new Map()
    this.#count = 0
  }

  /** The runs, after the last one was written. */
  async finish(): Promise<readonly StoredRun[]> {
    await this.flush()
    return this.#runs
  }

  /** A stable counting sort: the occurrences of a word stay in the order of rows and positions. */
  #sortByWord(words: number) {
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
