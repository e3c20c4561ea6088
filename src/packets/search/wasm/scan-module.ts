import { SCAN_BYTES } from './scan-bytes.ts'

/** The memory layout that `scan.wat` reads and writes. */

/** Rows of a group, scanned together with SIMD; a table is padded to a multiple of it. */
export const GROUP_ROWS = 4
/** Adjacent bytes of one row; those of the next row of the group follow. */
export const PIECE_BYTES = 16
/** Scale, norm and residual norm of a row, as f32. */
export const STATS_BYTES = 12
/** Score and error as f64, row as i32, four bytes unused. */
export const CANDIDATE_BYTES = 24

/** Parameters in the order of `scan.wat`; those before `scale` but `first` and `last` are addresses. */
type Scan = (
  rows: number,
  groupBytes: number,
  stats: number,
  first: number,
  last: number,
  query: number,
  scale: number,
  byNorm: number,
  byResidual: number,
  least: number,
  out: number,
) => number

/** The scan function over a memory. */
export const loadScan = (memory: WebAssembly.Memory): Scan => {
  const module = new WebAssembly.Module(new Uint8Array(Buffer.from(SCAN_BYTES, 'base64')))
  return new WebAssembly.Instance(module, { host: { memory } }).exports.scan as Scan
}

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
