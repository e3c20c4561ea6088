import { normalizeRow } from '../format/vectors.ts'
import { HEADS, MAX_TOKENS, MODEL_DIM, MODEL_MAGIC, MODEL_PLACES, VOCABULARY_SIZE } from './model-layout.ts'
import { LAYERS_BYTES } from './wasm/layers-bytes.ts'
import { MULTIPLY_BYTES } from './wasm/multiply-bytes.ts'

type MatrixPlace = (typeof MODEL_PLACES.layers)[number]['inner']
type NormPlace = typeof MODEL_PLACES.norm

/** Ids of the tokens that begin and end an input. */
const CLS = 101
const SEP = 102

const PAGE = 65_536
const HEAD_DIM = MODEL_DIM / HEADS
const ROW_BYTES = 4 * MODEL_DIM
const INNER_DIM = MODEL_PLACES.layers[0]?.inner.outputs ?? 0
/** Rows that are multiplied together, and queries that are scored together: see the kernels. */
const GROUP_ROWS = 4
/** Keys that are scored together: see `layers.wat`. */
const SCORED_KEYS = 8

/**
 * Largest quantized activation. A sum of products with bytes must fit into 32 bits: more terms leave fewer bits for
 * each.
 */
const activationLimit = (inputs: number): number =>
  Math.min(32_767, Math.floor((2 ** 31 - 1) / (128 * inputs)))

/** Functions of `multiply.wat` and `layers.wat`, with their parameters in that order. */
type Kernel = (...parameters: number[]) => void
type Kernels = Readonly<Record<'quantize' | 'multiply' | 'gelu' | 'normalize' | 'attend', Kernel>>

const roundUp = (count: number, step: number): number => Math.ceil(count / step) * step

/** Addresses of what a run computes, behind the model. */
const layOutScratch = (start: number) => {
  let size = roundUp(start, 64)
  const take = (bytes: number): number => {
    const at = size
    size += roundUp(bytes, 64)
    return at
  }
  const rows = () => take(MAX_TOKENS * ROW_BYTES)
  const places = {
    states: rows(),
    sums: rows(),
    query: rows(),
    key: rows(),
    value: rows(),
    inner: take(MAX_TOKENS * 4 * INNER_DIM),
    quantized: take(MAX_TOKENS * 2 * INNER_DIM),
    rowScales: take(4 * MAX_TOKENS),
    rowSums: take(4 * MAX_TOKENS),
    keys: take(4 * HEAD_DIM * MAX_TOKENS),
    scores: take(4 * GROUP_ROWS * MAX_TOKENS),
  }
  return { ...places, size }
}

const SCRATCH = layOutScratch(MODEL_PLACES.size)

const instantiate = (base64: string, memory: WebAssembly.Memory): Readonly<Record<string, unknown>> =>
  new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(Buffer.from(base64, 'base64'))), {
    host: { memory },
  }).exports

/** Copies bytes of the file of the model, which is of the size of `MODEL_PLACES`, from an offset on. */
type ReadModel = (into: Uint8Array, at: number) => void

/** all-MiniLM-L6-v2: token ids to a vector of length one. The same ids give the same bytes on every machine. */
export class SentenceModel {
  readonly #bytes: Uint8Array
  readonly #floats: Float32Array
  readonly #kernels: Kernels
  readonly #read: ReadModel
  /** The words that were read: half of the file, of which a question needs a few rows. */
  readonly #hasWord = new Uint8Array(VOCABULARY_SIZE)

  /** The file may be damaged: one that is not a model of this layout is refused. */
  constructor(read: ReadModel) {
    this.#read = read
    const memory = new WebAssembly.Memory({ initial: Math.ceil(SCRATCH.size / PAGE) })
    this.#bytes = new Uint8Array(memory.buffer)
    this.#floats = new Float32Array(memory.buffer)
    read(this.#bytes.subarray(0, MODEL_PLACES.words), 0)
    const magic = Buffer.from(memory.buffer, 0, MODEL_MAGIC.length).toString('latin1')
    if (magic !== MODEL_MAGIC) throw new Error('it is not a model of this version')
    this.#checkFloats()
    // What the modules export is what their texts declare.
    this.#kernels = {
      ...instantiate(MULTIPLY_BYTES, memory),
      ...instantiate(LAYERS_BYTES, memory),
    } as Kernels
  }

  /** One number that is none would make every vector useless. Bytes of weights can have any value. */
  #checkFloats(): void {
    for (const { at, count } of MODEL_PLACES.floats)
      for (let i = at / 4; i < at / 4 + count; i++)
        if (!Number.isFinite(this.#floats[i])) throw new Error(`the number at byte ${4 * i} is not finite`)
  }

  #float(at: number): number {
    return this.#floats[at / 4] ?? 0
  }

  /** Looks up the bytes of words. */
  #lookUp(ids: readonly number[]): void {
    const { wordScale, words } = MODEL_PLACES
    const [scale, offset] = [this.#float(wordScale), this.#float(wordScale + 4)]
    ids.forEach((id, row) => {
      const from = words + id * MODEL_DIM
      if (this.#hasWord[id] === 0) {
        this.#read(this.#bytes.subarray(from, from + MODEL_DIM), from)
        this.#hasWord[id] = 1
      }
      const to = SCRATCH.sums / 4 + row * MODEL_DIM
      for (let i = 0; i < MODEL_DIM; i++) this.#floats[to + i] = (this.#bytes[from + i] ?? 0) * scale + offset
    })
  }

  #quantize(from: number, rows: number, inputs: number): void {
    const limit = activationLimit(inputs)
    for (let row = 0; row < rows; row++) {
      const group = row - (row % GROUP_ROWS)
      const to = SCRATCH.quantized + 2 * inputs * group + 4 * (row % GROUP_ROWS)
      const [scale, sum] = [SCRATCH.rowScales + 4 * row, SCRATCH.rowSums + 4 * row]
      this.#kernels.quantize(from + 4 * inputs * row, inputs, limit, to, scale, sum)
    }
  }

  /** Multiplies the quantized rows. */
  #multiply(rows: number, { inputs, outputs, weights, scale, bias }: MatrixPlace, to: number): void {
    const { quantized, rowScales, rowSums } = SCRATCH
    const [factor, offset] = [this.#float(scale), this.#float(scale + 4)]
    const padded = roundUp(rows, GROUP_ROWS)
    this.#kernels.multiply(
      quantized,
      padded,
      inputs,
      weights,
      outputs,
      factor,
      offset,
      bias,
      rowScales,
      rowSums,
      to,
    )
  }

  /** Adds two tables and normalizes each row into the states. */
  #normalize(left: number, right: number, rows: number, { gamma, beta }: NormPlace): void {
    for (let at = 0; at < rows * ROW_BYTES; at += ROW_BYTES)
      this.#kernels.normalize(left + at, right + at, MODEL_DIM, gamma, beta, SCRATCH.states + at)
  }

  #attend(rows: number): void {
    const { query, key, value, sums, keys, scores } = SCRATCH
    const padded = roundUp(rows, SCORED_KEYS)
    for (let at = 0; at < ROW_BYTES; at += 4 * HEAD_DIM)
      this.#kernels.attend(query + at, key + at, value + at, sums + at, ROW_BYTES, rows, padded, keys, scores)
  }

  /** The mean of the states, with length one. */
  #pool(rows: number): Float32Array {
    const mean = new Float64Array(MODEL_DIM)
    const from = SCRATCH.states / 4
    for (let row = 0; row < rows; row++)
      for (let i = 0; i < MODEL_DIM; i++)
        mean[i] = (mean[i] ?? 0) + (this.#floats[from + row * MODEL_DIM + i] ?? 0)
    return normalizeRow(Float32Array.from(mean, (sum) => sum / rows))
  }

  /** Embeds a text by the ids of its tokens. What the model cannot take is cut off. */
  embed(tokens: readonly number[]): Float32Array {
    const ids = [CLS, ...tokens.slice(0, MAX_TOKENS - 2), SEP]
    const rows = ids.length
    const { states, sums, query, key, value, inner } = SCRATCH
    this.#lookUp(ids)
    this.#normalize(sums, MODEL_PLACES.positions, rows, MODEL_PLACES.norm)
    for (const layer of MODEL_PLACES.layers) {
      this.#quantize(states, rows, MODEL_DIM)
      this.#multiply(rows, layer.query, query)
      this.#multiply(rows, layer.key, key)
      this.#multiply(rows, layer.value, value)
      this.#attend(rows)
      this.#quantize(sums, rows, MODEL_DIM)
      this.#multiply(rows, layer.output, sums)
      this.#normalize(sums, states, rows, layer.attentionNorm)
      this.#quantize(states, rows, MODEL_DIM)
      this.#multiply(rows, layer.inner, inner)
      this.#kernels.gelu(inner, rows * INNER_DIM)
      this.#quantize(inner, rows, INNER_DIM)
      this.#multiply(rows, layer.outer, sums)
      this.#normalize(sums, states, rows, layer.norm)
    }
    return this.#pool(rows)
  }
}
