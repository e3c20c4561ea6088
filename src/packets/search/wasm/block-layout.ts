import { GROUP_ROWS, PIECE_BYTES, STATS_BYTES } from './scan-module.ts'

/** Size of a block: so small that a block which was just read is still in the cache of the processor. */
export const BLOCK_BYTES = 1024 * 1024
/** Statistics and rows of a block start at multiples of it. */
const ALIGN = 64

export const alignTo = (value: number, step: number): number => Math.ceil(value / step) * step

/**
 * The bytes of quantized rows, in memory and in the file: blocks of equally many rows (the last has the rest), each
 * with the statistics of its rows before the rows.
 */
export class BlockLayout {
  /** Bytes of a row. */
  readonly stride: number
  readonly blockRows: number
  /** Bytes of all blocks. */
  readonly bytes: number
  readonly #rows: number
  readonly #fullBytes: number

  constructor(rows: number, dim: number, blockBytes = BLOCK_BYTES) {
    this.#rows = rows
    this.stride = alignTo(dim, PIECE_BYTES)
    const fitting = Math.floor(blockBytes / (this.stride + STATS_BYTES))
    this.blockRows = Math.max(ALIGN, fitting - (fitting % ALIGN))
    this.#fullBytes = this.#sizeOf(this.blockRows)
    this.bytes = Math.floor(rows / this.blockRows) * this.#fullBytes + this.#sizeOf(rows % this.blockRows)
  }

  /** The block of a row. */
  blockOf(row: number): number {
    return Math.floor(row / this.blockRows)
  }

  /** The row after the last of a block. */
  endOf(block: number): number {
    return Math.min((block + 1) * this.blockRows, this.#rows)
  }

  /** Offset of a block; the end of the last one for the block after it. */
  offsetOf(block: number): number {
    return Math.min(block * this.#fullBytes, this.bytes)
  }

  /** Bytes of the statistics of a block. */
  statsOf(block: number): number {
    return this.#statsSize(this.endOf(block) - block * this.blockRows)
  }

  #statsSize(rows: number): number {
    return alignTo(alignTo(rows, GROUP_ROWS) * STATS_BYTES, ALIGN)
  }

  #sizeOf(rows: number): number {
    return this.#statsSize(rows) + alignTo(rows, GROUP_ROWS) * this.stride
  }
}
