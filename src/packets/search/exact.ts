import { type ByteTable, MAX_BLOCK } from './byte-table.ts'

export interface Hit {
  readonly row: number
  readonly score: number
}

/** Where the floats of rows are read from; adjacent rows are asked for together. */
export type ReadRows = (first: number, count: number) => Float32Array

const FIRST_BLOCK = 256
const BATCH = 64

/** Better first: the higher score, then the lower row. */
export const byScore = (a: Hit, b: Hit): number => b.score - a.score || a.row - b.row

/** The sum of products in the order of the values, in double precision: the score by which all are measured. */
export const dotProduct = (query: Float32Array, values: Float32Array, at: number): number => {
  let sum = 0
  for (let i = 0; i < query.length; i++) sum += (query[i] as number) * (values[at + i] as number)
  return sum
}

/** The highest `size` numbers seen. */
class Highest {
  readonly #size: number
  readonly #kept: number[] = []

  constructor(size: number) {
    this.#size = size
  }

  /** The lowest of them, once there are enough. */
  get least(): number {
    return this.#kept.length < this.#size ? Number.NEGATIVE_INFINITY : (this.#kept[0] as number)
  }

  add(value: number): void {
    if (this.#kept.length === this.#size) {
      if (value <= this.least) return
      this.#kept.shift()
    }
    let at = this.#kept.length
    while (at > 0 && (this.#kept[at - 1] as number) > value) at--
    this.#kept.splice(at, 0, value)
  }
}

interface Possible {
  readonly row: number
  readonly high: number
}

/** Every row that can be among the best: those whose highest possible score reaches the least of the best. */
const findPossible = (table: ByteTable, query: Float32Array, k: number): Possible[] => {
  const walk = table.prepare(query)
  const lows = new Highest(k)
  const found: Possible[] = []
  for (
    let first = 0, size = FIRST_BLOCK;
    first < table.rows;
    first += size, size = Math.min(2 * size, MAX_BLOCK)
  ) {
    const seen = walk(first, Math.min(first + size, table.rows), lows.least)
    for (let i = 0; i < seen.count; i++) {
      const row = seen.row(i)
      // The last group of rows may be filled up with some that do not exist.
      if (row >= table.rows) continue
      found.push({ row, high: seen.high(i) })
      lows.add(seen.low(i))
    }
  }
  return found.filter(({ high }) => high >= lows.least)
}

/** Exact scores of rows in ascending order. */
const rescore = (query: Float32Array, rows: readonly number[], read: ReadRows): Hit[] => {
  const hits: Hit[] = []
  for (let i = 0; i < rows.length; ) {
    const first = rows[i] as number
    let count = 1
    while (rows[i + count] === first + count) count++
    const values = read(first, count)
    for (let j = 0; j < count; j++)
      hits.push({ row: first + j, score: dotProduct(query, values, j * query.length) })
    i += count
  }
  return hits
}

/**
 * The `k` rows with the highest inner product, ties by ascending row: exactly those that a loop over all floats
 * would find. The bytes only decide which floats need not be looked at.
 */
export const searchExact = (table: ByteTable, query: Float32Array, k: number, read: ReadRows): Hit[] => {
  const wanted = Math.min(k, table.rows)
  if (wanted <= 0) return []
  const possible = findPossible(table, query, wanted).sort((a, b) => b.high - a.high || a.row - b.row)
  const best = new Highest(wanted)
  let hits: Hit[] = []
  for (let at = 0, size = BATCH; at < possible.length; at += size, size = Math.min(2 * size, MAX_BLOCK)) {
    // Sorted by what they can reach: when the next cannot reach the best, none after it can.
    if ((possible[at] as Possible).high < best.least) break
    const rows = possible.slice(at, at + size).map(({ row }) => row)
    const scored = rescore(
      query,
      rows.sort((a, b) => a - b),
      read,
    )
    for (const { score } of scored) best.add(score)
    hits = [...hits, ...scored].sort(byScore).slice(0, wanted)
  }
  return hits
}
