import { packetFaults } from '../faults.ts'
import { CANDIDATE_BYTES, FACT_BYTES, LANES, PIECE } from './memory-layout.ts'
import { loadScanModule } from './wasm/load.ts'

/** Most rows one walk of the kernel looks at; so many candidates it may write down. */
export const MAX_BLOCK = 4096
const PAGE = 65_536
const MAX_PAGES = 65_536
const ALIGN = 64
const BYTE = 127
const WORD = 32_767

const alignTo = (value: number, step: number): number => Math.ceil(value / step) * step

/** Float32 at least as large as the number: what is rounded down would be a bound that does not hold. */
const roundUp = (value: number): number => {
  const near = Math.fround(value)
  return near >= value ? near : Math.fround(value * (1 + 2 ** -22) + 2 ** -149)
}

/** A row in bytes, and how far that is from the row. */
interface Squeezed {
  /** What a byte counts. */
  readonly scale: number
  readonly length: number
  readonly residue: number
}

/** Where small whole numbers go, and how large they may be. */
interface Target {
  readonly numbers: Int8Array | Int16Array
  readonly at: number
  /** What is left free after every sixteen of them. */
  readonly gap: number
  readonly most: number
  /** The scale is kept as a float32. */
  readonly single: boolean
}

/**
 * Writes `dim` values as small whole numbers: `values ≈ scale × numbers`. Plain loops over plain indexes: a
 * million rows pass through here when an index is first opened.
 */
export const quantize = (values: Float32Array, from: number, dim: number, target: Target): Squeezed => {
  const { numbers, at, gap, most, single } = target
  let peak = 0
  for (let i = from; i < from + dim; i++) {
    const value = values[i] as number
    if (value > peak) peak = value
    else if (-value > peak) peak = -value
  }
  const scale = single ? Math.fround(peak / most) : peak / most
  // Too small a scale rounds to nothing; then everything is residue.
  const inverse = scale === 0 ? 0 : 1 / scale
  let length = 0
  let residue = 0
  for (let i = 0; i < dim; i++) {
    const value = values[from + i] as number
    // Never beyond `most`, whatever the rounding of the scale does.
    const near = Math.min(most, Math.max(-most, Math.floor(value * inverse + 0.5)))
    numbers[at + i + (i >> 4) * gap] = near
    const rest = value - scale * near
    length += value * value
    residue += rest * rest
  }
  return { scale, length: Math.sqrt(length), residue: Math.sqrt(residue) }
}

/**
 * Rows as bytes in WebAssembly's memory, with what is needed to bound the error of every score. A quarter of
 * the floats' size; the floats themselves stay where they are.
 */
export class QuantizedVectors {
  readonly rows: number
  readonly dim: number
  /** Bytes from one row to the next. */
  readonly stride: number
  readonly #memory: WebAssembly.Memory
  readonly #kernel: ReturnType<typeof loadScanModule>
  readonly #outAt: number
  readonly #factsAt: number
  readonly #rowsAt: number
  /** Scale, length and residue of every row. */
  readonly #facts: Float32Array

  constructor(rows: number, dim: number) {
    this.rows = rows
    this.dim = dim
    this.stride = alignTo(dim, PIECE)
    const full = alignTo(rows, LANES)
    this.#outAt = alignTo(2 * this.stride, ALIGN)
    this.#factsAt = alignTo(this.#outAt + MAX_BLOCK * CANDIDATE_BYTES, ALIGN)
    this.#rowsAt = alignTo(this.#factsAt + full * FACT_BYTES, ALIGN)
    const pages = Math.ceil((this.#rowsAt + full * this.stride) / PAGE)
    if (pages > MAX_PAGES)
      throw packetFaults.too_large(`${rows} rows of ${dim} values do not fit into memory`)
    this.#memory = new WebAssembly.Memory({ initial: pages })
    this.#kernel = loadScanModule(this.#memory)
    this.#facts = new Float32Array(this.#memory.buffer, this.#factsAt, rows * 3)
  }

  /** The part of the memory that makes the table, to be kept in a file and read back. */
  get contents(): Uint8Array {
    const end = this.#rowsAt + alignTo(this.rows, LANES) * this.stride
    return new Uint8Array(this.#memory.buffer, this.#factsAt, end - this.#factsAt)
  }

  /** Puts rows in, starting at `first`. */
  fill(first: number, values: Float32Array): void {
    const { dim, stride } = this
    const bytes = new Int8Array(this.#memory.buffer, this.#rowsAt)
    const facts = this.#facts
    const place = { numbers: bytes, gap: (LANES - 1) * PIECE, most: BYTE, single: true }
    for (let i = 0; i < values.length / dim; i++) {
      const row = first + i
      const lane = row % LANES
      const at = (row - lane) * stride + lane * PIECE
      const { scale, length, residue } = quantize(values, i * dim, dim, { ...place, at })
      facts[3 * row] = scale
      facts[3 * row + 1] = roundUp(length)
      facts[3 * row + 2] = roundUp(residue)
    }
  }

  #squeezeQuestion(query: Float32Array): Squeezed {
    const words = new Int16Array(this.#memory.buffer, 0, this.stride).fill(0)
    const most = Math.min(WORD, Math.floor(2 ** 31 / (BYTE * this.stride)) - 1)
    return quantize(query, 0, this.dim, { numbers: words, at: 0, gap: 0, most, single: false })
  }

  /** Opens a search: the function it returns walks over rows and gives those that reach `least`. */
  prepare(query: Float32Array): (first: number, last: number, least: number) => Candidates {
    const { scale, length, residue } = this.#squeezeQuestion(query)
    // Rounding, of ours and of the exact sum we must agree with, is far below this.
    const slack = (2 * length + residue) * (this.dim + 16) * 2 ** -50
    const byLength = residue * (1 + 2 ** -40) + slack + Number.MIN_VALUE
    const byResidue = (length + residue) * (1 + 2 ** -40) + Number.MIN_VALUE
    return (first, last, least) => {
      const out = this.#kernel.scan(
        this.#rowsAt + first * this.stride,
        LANES * this.stride,
        this.#factsAt + first * FACT_BYTES,
        first,
        last,
        0,
        scale,
        byLength,
        byResidue,
        least,
        this.#outAt,
      )
      return new Candidates(this.#memory.buffer, this.#outAt, (out - this.#outAt) / CANDIDATE_BYTES)
    }
  }
}

/** Rows that may be among the best, as the kernel wrote them down. Good until the next walk. */
export class Candidates {
  readonly count: number
  readonly #numbers: Float64Array
  readonly #rows: Uint32Array

  constructor(buffer: ArrayBuffer, at: number, count: number) {
    this.count = count
    this.#numbers = new Float64Array(buffer, at, (count * CANDIDATE_BYTES) / 8)
    this.#rows = new Uint32Array(buffer, at, (count * CANDIDATE_BYTES) / 4)
  }

  row(i: number): number {
    return this.#rows[i * 6 + 4] as number
  }

  /** The least the exact score can be. */
  low(i: number): number {
    return (this.#numbers[i * 3] as number) - (this.#numbers[i * 3 + 1] as number)
  }

  /** The most the exact score can be. */
  high(i: number): number {
    return (this.#numbers[i * 3] as number) + (this.#numbers[i * 3 + 1] as number)
  }
}
