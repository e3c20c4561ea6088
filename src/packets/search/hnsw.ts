import { Beam } from './beam-search.ts'
import { byScore, checkQuestion, type ReadRows, rescore, type SearchHit } from './exact-search.ts'
import { MAX_BLOCK, type QuantizedVectors } from './quantized-vectors.ts'

/** Most neighbours of a row on the ground, where all rows are; above it half as many. */
const WIDE = 32
const NARROW = 16
/** How many of the nearest are looked at while a row is put in. */
const BUILD_WIDTH = 100
const MIN_WIDTH = 256
const MAX_LEVEL = 12

/** How high a row reaches: each level has a sixteenth of the rows below. The same row always reaches as high. */
export const levelOf = (row: number): number => {
  let mixed = Math.imul(row + 1, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  const unit = (((mixed ^ (mixed >>> 16)) >>> 0) + 1) / 2 ** 32
  return Math.min(MAX_LEVEL, Math.floor(-Math.log(unit) / Math.log(NARROW)))
}

const widthOf = (level: number): number => (level === 0 ? WIDE : NARROW)

/** Where the links of rows lie, one list behind the other: its length, then its rows. */
const layOut = (rows: number): Uint32Array => {
  const starts = new Uint32Array(rows + 1)
  for (let row = 0; row < rows; row++)
    starts[row + 1] = (starts[row] as number) + 1 + WIDE + levelOf(row) * (1 + NARROW)
  return starts
}

const findPeaks = (rows: number): readonly number[] => {
  const peaks: number[] = []
  let highest = -1
  for (let row = 0; row < rows && highest < MAX_LEVEL; row++) {
    if (levelOf(row) <= highest) continue
    highest = levelOf(row)
    peaks.push(row)
  }
  return peaks
}

/**
 * Rows that know their neighbours (HNSW): a search walks from row to row towards the question and sees a small
 * part of them. It may miss some of the best; whoever must not miss any searches exactly. Rows are put in one
 * after the other and how high each reaches follows from its number, so the same rows always give the same graph.
 */
export class HnswIndex {
  readonly #table: QuantizedVectors
  readonly #starts: Uint32Array
  /** The links of every row, as they are kept in a file. */
  readonly links: Uint32Array
  /** In which search a row was last seen. */
  readonly #seen: Uint32Array
  readonly #fresh = new Uint32Array(MAX_BLOCK)
  readonly #scores = new Float64Array(MAX_BLOCK)
  /** Rows that reach higher than all before them; few. */
  readonly #peaks: readonly number[]
  #search = 0
  #count = 0

  constructor(table: QuantizedVectors) {
    this.#table = table
    this.#starts = layOut(table.rows)
    this.links = new Uint32Array(this.#starts[table.rows] as number)
    this.#seen = new Uint32Array(table.rows)
    this.#peaks = findPeaks(table.rows)
  }

  /** Takes links that were kept. False when they cannot be those of so many rows. */
  restore(links: Uint32Array): boolean {
    if (links.length !== this.links.length) return false
    this.links.set(links)
    for (let row = 0; row < this.#table.rows; row++) {
      for (let level = 0; level <= levelOf(row); level++) {
        const at = this.#at(row, level)
        const count = this.links[at] as number
        if (count > widthOf(level)) return false
        for (let i = 1; i <= count; i++) {
          const other = this.links[at + i] as number
          if (other >= this.#table.rows || levelOf(other) < level) return false
        }
      }
    }
    this.#count = this.#table.rows
    return true
  }

  get whole(): boolean {
    return this.#count === this.#table.rows
  }

  /** Puts in the next rows, so many of them. */
  grow(count: number): void {
    const last = Math.min(this.#count + count, this.#table.rows)
    for (; this.#count < last; this.#count++) this.#add(this.#count)
  }

  /** Nearly always the `k` best rows, their scores exact, ties by ascending row. */
  nearest(query: Float32Array, k: number, read: ReadRows): SearchHit[] {
    checkQuestion(query, this.#table.dim)
    if (this.#count === 0) return []
    this.#table.loadQuestion(query)
    const ground = this.#walk(this.#descend(this.#top(), 0), 0, Math.max(4 * k, MIN_WIDTH))
    const rows = [...ground.rows].sort((a, b) => a - b)
    return rescore(query, rows, read).sort(byScore).slice(0, k)
  }

  #at(row: number, level: number): number {
    const start = this.#starts[row] as number
    return level === 0 ? start : start + 1 + WIDE + (level - 1) * (1 + NARROW)
  }

  /** The first of the rows that reach highest: where every search begins. */
  #top(): { readonly row: number; readonly level: number } {
    let best = { row: 0, level: levelOf(0) }
    for (const row of this.#peaks) if (row < this.#count) best = { row, level: levelOf(row) }
    return best
  }

  /** Goes down to just above `level`, to the nearest of each level. */
  #descend(from: { readonly row: number; readonly level: number }, level: number): number {
    let { row } = from
    for (let at = from.level; at > level; at--) row = this.#walk(row, at, 1).rows[0] as number
    return row
  }

  /** The nearest rows of a level that can be reached from `entry`, as many as the beam is wide. */
  #walk(entry: number, level: number, width: number): Beam {
    this.#search += 1
    const beam = new Beam(width)
    this.#visit(beam, Uint32Array.of(entry), 1)
    for (let row = beam.next(); row !== undefined; row = beam.next()) {
      const at = this.#at(row, level)
      const count = this.links[at] as number
      this.#visit(beam, this.links.subarray(at + 1, at + 1 + count), count)
    }
    return beam
  }

  #visit(beam: Beam, rows: Uint32Array, count: number): void {
    let fresh = 0
    for (let i = 0; i < count; i++) {
      const row = rows[i] as number
      if (this.#seen[row] === this.#search) continue
      this.#seen[row] = this.#search
      this.#fresh[fresh++] = row
    }
    this.#table.scoreRows(this.#fresh, fresh, this.#scores)
    for (let i = 0; i < fresh; i++) beam.add(this.#fresh[i] as number, this.#scores[i] as number)
  }

  #add(row: number): void {
    if (row === 0) return
    const top = this.#top()
    this.#table.loadRow(row)
    let entry = this.#descend(top, Math.min(levelOf(row), top.level))
    for (let level = Math.min(levelOf(row), top.level); level >= 0; level--) {
      this.#table.loadRow(row)
      const near = this.#walk(entry, level, BUILD_WIDTH)
      entry = near.rows[0] as number
      const chosen = this.#choose(near, widthOf(level) >> 1)
      this.#link(row, level, chosen)
      for (const other of chosen) this.#linkBack(other, level, row)
    }
  }

  /** Neighbours in different directions: one that lies nearer to another neighbour is reached through that. */
  #choose(near: Beam, most: number): number[] {
    const chosen: number[] = []
    const { rows, scores } = near
    for (let i = 0; i < rows.length && chosen.length < most; i++) {
      const row = rows[i] as number
      if (chosen.length > 0) {
        this.#table.loadRow(row)
        this.#table.scoreRows(Uint32Array.from(chosen), chosen.length, this.#scores)
      }
      const own = scores[i] as number
      if (chosen.every((_, j) => (this.#scores[j] as number) <= own)) chosen.push(row)
    }
    return chosen
  }

  #link(row: number, level: number, others: readonly number[]): void {
    const at = this.#at(row, level)
    this.links[at] = others.length
    this.links.set(others, at + 1)
  }

  #linkBack(row: number, level: number, other: number): void {
    const at = this.#at(row, level)
    const count = this.links[at] as number
    if (count < widthOf(level)) {
      this.links[at] = count + 1
      this.links[at + 1 + count] = other
      return
    }
    const rows = Uint32Array.of(...this.links.subarray(at + 1, at + 1 + count), other)
    this.#table.loadRow(row)
    this.#table.scoreRows(rows, rows.length, this.#scores)
    const near = new Beam(rows.length)
    for (const [i, one] of rows.entries()) near.add(one, this.#scores[i] as number)
    this.#link(row, level, this.#choose(near, widthOf(level)))
  }
}
