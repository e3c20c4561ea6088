import { packetFaults } from '../faults.ts'
import {
  alignTo,
  BlockLayout,
  CANDIDATE_BYTES,
  GROUP_ROWS,
  loadScan,
  PIECE_BYTES,
  STATS_BYTES,
} from './wasm/scan-module.ts'

/** Most rows of one scan, and so the most candidates it can write. */
export const MAX_BLOCK = 4096
const PAGE = 65_536
const MAX_PAGES = 65_536
/** The scan counts rows in 32 bits. */
const MAX_ROWS = 2 ** 32 - MAX_BLOCK
const ALIGN = 64
const MAX_INT8 = 127
const MAX_INT16 = 32_767

/** The next float32 that is not smaller: a bound that was rounded down would not hold. */
const roundUp = (value: number): number => {
  const near = Math.fround(value)
  return near >= value ? near : Math.fround(value * (1 + 2 ** -22) + 2 ** -149)
}

/** How a row was quantized, and how far the result is from the row. */
interface Quantization {
  /** The value of one step. */
  readonly scale: number
  readonly norm: number
  /** Norm of the difference between the row and its quantized form. */
  readonly residual: number
}

interface QuantizeTarget {
  readonly numbers: Int8Array | Int16Array
  readonly at: number
  /** Places left free after every sixteen numbers. */
  readonly gap: number
  readonly most: number
  /** Round the scale to float32, because it is stored as one. */
  readonly single: boolean
}

/**
 * Scalar quantization: writes `dim` values as integers, `values ≈ scale × numbers`. Index loops, because every row
 * of an index passes through here when it is first opened.
 */
export const quantize = (
  values: Float32Array,
  from: number,
  dim: number,
  target: QuantizeTarget,
): Quantization => {
  const { numbers, at, gap, most, single } = target
  let peak = 0
  for (let i = from; i < from + dim; i++) {
    const value = values[i] ?? 0
    if (value > peak) peak = value
    else if (-value > peak) peak = -value
  }
  const scale = single ? Math.fround(peak / most) : peak / most
  // A tiny scale underflows to zero; then the whole row is residual.
  const inverse = scale === 0 ? 0 : 1 / scale
  let norm = 0
  let residual = 0
  for (let i = 0; i < dim; i++) {
    const value = values[from + i] ?? 0
    // Clamped: rounding the scale can carry a value beyond `most`.
    const near = Math.min(most, Math.max(-most, Math.floor(value * inverse + 0.5)))
    numbers[at + i + (i >> 4) * gap] = near
    const rest = value - scale * near
    norm += value * value
    residual += rest * rest
  }
  return { scale, norm: Math.sqrt(norm), residual: Math.sqrt(residual) }
}

interface QuantizedOptions {
  readonly blockBytes?: number
  /**
   * Fills `target` with the bytes of a block. With it one block is in memory at a time, loaded when its rows are
   * scanned; without it all of them are.
   */
  readonly load?: (block: number, target: Uint8Array) => void
}

/**
 * Rows as int8 in WebAssembly memory, with the statistics that bound the error of every score. A quarter of the
 * size of the floats, which stay on disk.
 */
export class QuantizedVectors {
  readonly rows: number
  readonly dim: number
  readonly layout: BlockLayout
  readonly #load: QuantizedOptions['load']
  readonly #memory: WebAssembly.Memory
  readonly #scan: ReturnType<typeof loadScan>
  readonly #outAt: number
  readonly #blocksAt: number
  /** The block in memory, where there is one at a time. */
  #loaded = -1

  constructor(rows: number, dim: number, { blockBytes, load }: QuantizedOptions = {}) {
    this.rows = rows
    this.dim = dim
    this.layout = new BlockLayout(rows, dim, blockBytes)
    this.#load = load
    this.#outAt = alignTo(2 * this.layout.stride, ALIGN)
    this.#blocksAt = alignTo(this.#outAt + MAX_BLOCK * CANDIDATE_BYTES, ALIGN)
    const pages = Math.ceil((this.#blocksAt + this.#held) / PAGE)
    if (pages > MAX_PAGES || rows > MAX_ROWS)
      throw packetFaults.too_large(`${rows} rows of ${dim} values do not fit into memory`)
    this.#memory = new WebAssembly.Memory({ initial: pages })
    this.#scan = loadScan(this.#memory)
  }

  /** The blocks in memory, as they are saved to a file and read back. */
  get contents(): Uint8Array {
    return new Uint8Array(this.#memory.buffer, this.#blocksAt, this.#held)
  }

  get #held(): number {
    return this.#load === undefined ? this.layout.bytes : this.layout.offsetOf(1)
  }

  /** Address of a block, which is in memory afterwards. */
  #blockAt(block: number): number {
    const at = this.layout.offsetOf(block)
    if (this.#load === undefined) return this.#blocksAt + at
    if (this.#loaded !== block) {
      // A block that fails to load leaves none.
      this.#loaded = -1
      this.#load(block, this.contents.subarray(0, this.layout.offsetOf(block + 1) - at))
      this.#loaded = block
    }
    return this.#blocksAt
  }

  /** Quantizes rows, starting at row `first`. All blocks have to be in memory. */
  fill(first: number, values: Float32Array): void {
    const { dim, layout } = this
    const numbers = new Int8Array(this.#memory.buffer)
    const stats = new Float32Array(this.#memory.buffer)
    const target = { numbers, gap: (GROUP_ROWS - 1) * PIECE_BYTES, most: MAX_INT8, single: true }
    for (let i = 0; i < values.length / dim; i++) {
      const block = layout.blockOf(first + i)
      const blockAt = this.#blockAt(block)
      const row = first + i - block * layout.blockRows
      const lane = row % GROUP_ROWS
      const at = blockAt + layout.statsOf(block) + (row - lane) * layout.stride + lane * PIECE_BYTES
      const { scale, norm, residual } = quantize(values, i * dim, dim, { ...target, at })
      const statsAt = blockAt / 4 + 3 * row
      stats[statsAt] = scale
      stats[statsAt + 1] = roundUp(norm)
      stats[statsAt + 2] = roundUp(residual)
    }
  }

  /**
   * Loads a query. The returned function scans a range of rows, which are of one block, for those whose score can
   * reach `least`.
   */
  prepare(query: Float32Array): (first: number, last: number, least: number) => Candidates {
    const { layout } = this
    const { stride } = layout
    const numbers = new Int16Array(this.#memory.buffer, 0, stride).fill(0)
    // Small enough that the sum of products cannot overflow int32.
    const most = Math.min(MAX_INT16, Math.floor(2 ** 31 / (MAX_INT8 * stride)) - 1)
    const { scale, norm, residual } = quantize(query, 0, this.dim, {
      numbers,
      at: 0,
      gap: 0,
      most,
      single: false,
    })
    // Far above the rounding errors of these sums and of the exact sum they are compared with.
    const slack = (2 * norm + residual) * (this.dim + 16) * 2 ** -50
    const byNorm = residual * (1 + 2 ** -40) + slack + Number.MIN_VALUE
    const byResidual = (norm + residual) * (1 + 2 ** -40) + Number.MIN_VALUE
    return (first, last, least) => {
      const block = layout.blockOf(first)
      const blockAt = this.#blockAt(block)
      const row = first - block * layout.blockRows
      const out = this.#scan(
        blockAt + layout.statsOf(block) + row * stride,
        GROUP_ROWS * stride,
        blockAt + row * STATS_BYTES,
        first,
        last,
        0,
        scale,
        byNorm,
        byResidual,
        least,
        this.#outAt,
      )
      return new Candidates(this.#memory.buffer, this.#outAt, (out - this.#outAt) / CANDIDATE_BYTES)
    }
  }
}

/** Rows whose score can reach the threshold, as the scan wrote them; valid until the next scan. */
class Candidates {
  readonly count: number
  readonly #numbers: Float64Array
  readonly #rows: Uint32Array

  constructor(buffer: ArrayBuffer, at: number, count: number) {
    this.count = count
    this.#numbers = new Float64Array(buffer, at, (count * CANDIDATE_BYTES) / 8)
    this.#rows = new Uint32Array(buffer, at, (count * CANDIDATE_BYTES) / 4)
  }

  row(i: number): number {
    return this.#rows[i * 6 + 4] ?? 0
  }

  /** Lower bound of the exact score. */
  low(i: number): number {
    return (this.#numbers[i * 3] ?? 0) - (this.#numbers[i * 3 + 1] ?? 0)
  }

  /** Upper bound of the exact score. */
  high(i: number): number {
    return (this.#numbers[i * 3] ?? 0) + (this.#numbers[i * 3 + 1] ?? 0)
  }
}
