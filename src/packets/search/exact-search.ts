import { packetFaults } from '../faults.ts'
import { checkFinite } from '../format/vectors.ts'
import { MAX_BLOCK, type QuantizedVectors } from './quantized-vectors.ts'

export interface SearchHit {
  readonly row: number
  readonly score: number
}

/** Fills `target` with the floats of adjacent rows, from `first` on. */
export type ReadRows = (first: number, target: Float32Array) => void

const FIRST_BLOCK = 64
const MIN_BATCH = 16

type Four = [number, number, number, number]

const checkQuery = (query: Float32Array, dim: number): void => {
  if (query.length !== dim)
    throw packetFaults.vectors(`the query has ${query.length} values, the rows have ${dim}`)
  checkFinite(query)
}

/** Higher score first, then lower row. */
export const byScore = (a: SearchHit, b: SearchHit): number => b.score - a.score || a.row - b.row

/**
 * Inner products of the query and each row, added in the order of the values in double precision: the reference
 * scores. Four rows at a time, because the additions of one sum depend on each other.
 */
const dotProducts = (query: Float32Array, values: Float32Array, scores: Float64Array): void => {
  const dim = query.length
  const last = scores.length - 1
  for (let row = 0; row <= last; row += 4) {
    const [a, b, c, d] = [0, 1, 2, 3].map((i) => Math.min(row + i, last) * dim) as Four
    let [sumA, sumB, sumC, sumD] = [0, 0, 0, 0]
    for (let i = 0; i < dim; i++) {
      const value = query[i] ?? 0
      sumA += value * (values[a + i] ?? 0)
      sumB += value * (values[b + i] ?? 0)
      sumC += value * (values[c + i] ?? 0)
      sumD += value * (values[d + i] ?? 0)
    }
    scores.set([sumA, sumB, sumC, sumD].slice(0, last - row + 1), row)
  }
}

/** The highest `size` numbers seen, in ascending order. */
class Highest {
  readonly #size: number
  readonly #kept: Float64Array
  #count = 0

  constructor(size: number) {
    this.#size = size
    this.#kept = new Float64Array(size)
  }

  /** The lowest of them; minus infinity until there are `size`. */
  get least(): number {
    return this.#count < this.#size ? Number.NEGATIVE_INFINITY : (this.#kept[0] ?? 0)
  }

  add(value: number): void {
    const kept = this.#kept
    if (this.#count < this.#size) {
      let at = this.#count++
      for (; at > 0 && (kept[at - 1] ?? 0) > value; at--) kept[at] = kept[at - 1] ?? 0
      kept[at] = value
      return
    }
    if (value <= (kept[0] ?? 0)) return
    let at = 0
    for (; at + 1 < this.#size && (kept[at + 1] ?? 0) < value; at++) kept[at] = kept[at + 1] ?? 0
    kept[at] = value
  }
}

interface RowBound {
  readonly row: number
  readonly high: number
}

/** Rows that can be among the best: their upper bound reaches the k-th best lower bound. */
const findCandidates = (table: QuantizedVectors, query: Float32Array, k: number): RowBound[] => {
  const scan = table.prepare(query)
  const lows = new Highest(k)
  const rows: number[] = []
  const highs: number[] = []
  const { layout } = table
  for (let first = 0, size = FIRST_BLOCK; first < table.rows; size = Math.min(2 * size, MAX_BLOCK)) {
    const last = Math.min(first + size, layout.endOf(layout.blockOf(first)))
    const seen = scan(first, last, lows.least)
    first = last
    for (let i = 0; i < seen.count; i++) {
      const row = seen.row(i)
      // The last group is padded with rows that do not exist.
      if (row >= table.rows) continue
      rows.push(row)
      highs.push(seen.high(i))
      lows.add(seen.low(i))
    }
  }
  const found: RowBound[] = []
  rows.forEach((row, i) => {
    const high = highs[i] ?? 0
    if (high >= lows.least) found.push({ row, high })
  })
  return found
}

/** Exact scores of rows, which must be in ascending order. */
const rescore = (query: Float32Array, rows: readonly number[], read: ReadRows): SearchHit[] => {
  const dim = query.length
  const values = new Float32Array(rows.length * dim)
  for (let i = 0, count = 1; i < rows.length; i += count, count = 1) {
    const first = rows[i] ?? 0
    while (rows[i + count] === first + count) count++
    read(first, values.subarray(i * dim, (i + count) * dim))
  }
  const scores = new Float64Array(rows.length)
  dotProducts(query, values, scores)
  return rows.map((row, i) => ({ row, score: scores[i] ?? 0 }))
}

/**
 * The `k` rows with the highest inner product, ties by ascending row: exactly the result of a loop over all
 * floats. The quantized rows are a prefilter that decides which floats need not be read.
 */
export const searchExact = (
  table: QuantizedVectors,
  query: Float32Array,
  k: number,
  read: ReadRows,
): SearchHit[] => {
  checkQuery(query, table.dim)
  const wanted = Math.min(k, table.rows)
  if (wanted <= 0) return []
  const candidates = findCandidates(table, query, wanted).sort((a, b) => b.high - a.high || a.row - b.row)
  const best = new Highest(wanted)
  let hits: SearchHit[] = []
  const start = Math.max(wanted, MIN_BATCH)
  for (let at = 0, size = start; at < candidates.length; at += size, size = Math.min(2 * size, MAX_BLOCK)) {
    // Sorted by upper bound: when this one cannot reach the best, none after it can.
    if ((candidates[at]?.high ?? 0) < best.least) break
    const rows = candidates.slice(at, at + size).map(({ row }) => row)
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
