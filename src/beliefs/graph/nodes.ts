import { checksumCell } from './checksum.ts'
import { capacityFor, grow } from './columns.ts'
import { type Amount, CELL, readAmount, showAmount, writeAmount } from './energy.ts'

export type NodeState = {
  readonly id: number
  readonly belief: number
  readonly energy: number
  /** 1 minus the last change of the belief. */
  readonly stability: number
  /** Time of the last write, in milliseconds since the epoch. */
  readonly at: number
}

interface NodeWrite {
  readonly belief: number
  readonly amount: Amount
  readonly at: number
}

/** Doubles to save a node: cell, stability and time. The checksum is computed from the cell. */
const ROW = CELL + 2

const copyCell = (from: Float64Array, at: number, to: Float64Array, cell: number): void => {
  to[cell] = from[at] ?? 0
  to[cell + 1] = from[at + 1] ?? 0
  to[cell + 2] = from[at + 2] ?? 0
  to[cell + 3] = from[at + 3] ?? 0
}

/** The nodes by id. Only the commit path (`write`, `replaceCells`) writes cells, and it sets their checksums. */
export class NodeTable {
  count = 0
  // Belief and limbs of a node are adjacent for cache locality: a tick accesses nodes in random order.
  cells = new Float64Array(0)
  words = new Int32Array(0)
  checksums = new Float64Array(0)
  stability = new Float64Array(0)
  /** Milliseconds since the epoch. */
  writtenAt = new Float64Array(0)

  /** Allocates before anything is written, so that an operation cannot fail half-way. */
  reserve(rows: number): void {
    const capacity = this.writtenAt.length
    if (rows <= capacity) return
    const newCapacity = capacityFor(rows, capacity)
    const cells = grow(this.cells, newCapacity * CELL)
    const checksums = grow(this.checksums, newCapacity)
    const stability = grow(this.stability, newCapacity)
    this.writtenAt = grow(this.writtenAt, newCapacity)
    this.cells = cells
    this.words = new Int32Array(cells.buffer)
    this.checksums = checksums
    this.stability = stability
  }

  push(first: NodeWrite): number {
    const id = this.count
    this.count += 1
    this.cells[id * CELL] = first.belief
    this.write(id, first)
    return id
  }

  pop(): void {
    this.count -= 1
  }

  write(id: number, { belief, amount, at }: NodeWrite): void {
    this.stability[id] = 1 - Math.abs(belief - this.belief(id))
    this.cells[id * CELL] = belief
    writeAmount(this.cells, id * CELL, amount)
    this.writtenAt[id] = at
    this.checksums[id] = checksumCell(this.words, id)
  }

  /**
   * Copies the cells of `ids` from an array with the same layout, whose other cells equal ours. When more than half of
   * the cells change, the table takes that array instead of copying. Returns the undo function.
   */
  replaceCells(ids: Uint32Array, from: Float64Array<ArrayBuffer>, at: number): () => void {
    if (ids.length * 2 > this.count) return this.#swapCells(ids, from, at)
    const restore = this.capture(ids)
    const { cells } = this
    for (let n = 0; n < ids.length; n += 1) {
      const cell = (ids[n] ?? 0) * CELL
      this.stability[ids[n] ?? 0] = 1 - Math.abs((from[cell] ?? 0) - (cells[cell] ?? 0))
      copyCell(from, cell, cells, cell)
    }
    this.#markWritten(ids, at)
    return restore
  }

  #swapCells(ids: Uint32Array, from: Float64Array<ArrayBuffer>, at: number): () => void {
    const { cells: before, stability, count } = this
    const kept = { stability: stability.slice(0, count), at: this.writtenAt.slice(0, count) }
    for (let n = 0; n < ids.length; n += 1) {
      const id = ids[n] ?? 0
      stability[id] = 1 - Math.abs((from[id * CELL] ?? 0) - (before[id * CELL] ?? 0))
    }
    this.cells = from
    this.words = new Int32Array(from.buffer)
    this.#markWritten(ids, at)
    return () => {
      // Copied, because the current arrays may have grown since.
      this.cells.set(before.subarray(0, count * CELL))
      this.stability.set(kept.stability)
      this.writtenAt.set(kept.at)
      for (const id of ids) this.checksums[id] = checksumCell(this.words, id)
    }
  }

  #markWritten(ids: Uint32Array, at: number): void {
    const { words, checksums, writtenAt: times } = this
    for (let n = 0; n < ids.length; n += 1) {
      const id = ids[n] ?? 0
      times[id] = at
      checksums[id] = checksumCell(words, id)
    }
  }

  /** Saves these rows, whose checksums must be right, and returns the function that restores them. */
  capture(ids: Uint32Array): () => void {
    const { cells, stability, writtenAt } = this
    const kept = new Float64Array(ids.length * ROW)
    for (let n = 0, row = 0; n < ids.length; n += 1, row += ROW) {
      const id = ids[n] ?? 0
      copyCell(cells, id * CELL, kept, row)
      kept[row + CELL] = stability[id] ?? 0
      kept[row + CELL + 1] = writtenAt[id] ?? 0
    }
    return () => this.#restore(ids, kept)
  }

  #restore(ids: Uint32Array, kept: Float64Array): void {
    for (let n = 0, row = 0; n < ids.length; n += 1, row += ROW) {
      const id = ids[n] ?? 0
      copyCell(kept, row, this.cells, id * CELL)
      this.stability[id] = kept[row + CELL] ?? 0
      this.writtenAt[id] = kept[row + CELL + 1] ?? 0
      this.checksums[id] = checksumCell(this.words, id)
    }
  }

  belief(id: number): number {
    return this.cells[id * CELL] ?? 0
  }

  amount(id: number): Amount {
    return readAmount(this.cells, id * CELL)
  }

  isIntact(id: number): boolean {
    return this.checksums[id] === checksumCell(this.words, id)
  }

  /** The first node with a wrong checksum; -1 when there is none. */
  firstBroken(): number {
    const { words, checksums, count } = this
    for (let id = 0; id < count; id += 1) if (checksums[id] !== checksumCell(words, id)) return id
    return -1
  }

  // Members in the order of canonical JSON, in which every write is recorded.
  state(id: number): NodeState {
    return {
      at: this.writtenAt[id] ?? 0,
      belief: this.belief(id),
      energy: showAmount(this.amount(id)),
      id,
      stability: this.stability[id] ?? 0,
    }
  }
}
