import { nextTurn } from '../../kernel/async/cooperative.ts'
import { type Doc, type DocRows, readDocAt, readDocRows } from '../format/docs.ts'
import type { ByteSource } from '../format/faiss.ts'

/** Where the rows of `docs.jsonl` are, as the word index says. */
interface DocPlaces {
  readonly rows: number
  docRange(row: number): Promise<readonly [start: number, end: number]>
  docStarts(): Promise<Float64Array>
}

const BLOCK = 1024 * 1024

/** The last row that starts at or before a byte. */
const rowAt = (starts: Float64Array, byte: number): number => {
  // The last number is the end of the last row.
  let [low, high] = [0, starts.length - 2]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] as number) <= byte) low = middle
    else high = middle - 1
  }
  return low
}

/** The chunks of `docs.jsonl`, of which only the rows that are asked for are read and parsed. */
export class IndexedDocs implements DocRows {
  readonly #source: ByteSource
  readonly #places: DocPlaces

  constructor(source: ByteSource, places: DocPlaces) {
    this.#source = source
    this.#places = places
  }

  get rows(): number {
    return this.#places.rows
  }

  async row(index: number): Promise<Doc> {
    if (!(index >= 0 && index < this.rows)) throw new RangeError(`there is no row ${index}`)
    return readDocAt(this.#source, index, await this.#places.docRange(index))
  }

  async rowsWith(text: string): Promise<readonly number[]> {
    const wanted = Buffer.from(text)
    const starts = await this.#places.docStarts()
    const rows: number[] = []
    for (let at = 0; at + wanted.length <= this.#source.size; ) {
      const block = Buffer.from(await this.#source.read(at, Math.min(BLOCK, this.#source.size - at)))
      const found = block.indexOf(wanted)
      if (found === -1) at += block.length - wanted.length + 1
      else {
        const row = rowAt(starts, at + found)
        rows.push(row)
        at = starts[row + 1] as number
      }
      await nextTurn()
    }
    return rows
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Doc> {
    for await (const rows of readDocRows(this.#source)) for (const { doc } of rows) yield doc
  }
}
