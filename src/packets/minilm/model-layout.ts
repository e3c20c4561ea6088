/** The file of the model: everything that the kernels read, where and how they read it. Numbers are little-endian. */

export const MODEL_DIM = 384
export const HEADS = 12
/** Tokens that the model takes at most, as it was trained. */
export const MAX_TOKENS = 128
export const VOCABULARY_SIZE = 30_522
const INNER_DIM = 1536
const LAYERS = 6

/** Begins the file. The number changes whenever the layout does. */
export const MODEL_MAGIC = 'WRNT-MINILM-01\0\0'
/** Outputs of a panel of weights: see `multiply.wat`. */
const PANEL_OUTPUTS = 8

/** Offsets of a matrix: a weight is its byte times scale plus offset. */
interface MatrixPlace {
  readonly inputs: number
  readonly outputs: number
  readonly weights: number
  /** Two f32: scale and offset. */
  readonly scale: number
  /** One f32 for each output. */
  readonly bias: number
}

/** Offsets of a normalization: one f32 for each column. */
interface NormPlace {
  readonly gamma: number
  readonly beta: number
}

interface LayerPlace {
  readonly query: MatrixPlace
  readonly key: MatrixPlace
  readonly value: MatrixPlace
  readonly output: MatrixPlace
  readonly attentionNorm: NormPlace
  readonly inner: MatrixPlace
  readonly outer: MatrixPlace
  readonly norm: NormPlace
}

interface ModelPlaces {
  /** Two f32: scale and offset of the bytes of words. */
  readonly wordScale: number
  /** What each position adds to its word, as f32. */
  readonly positions: number
  readonly norm: NormPlace
  readonly layers: readonly LayerPlace[]
  /** One byte for each column of each word. */
  readonly words: number
  readonly size: number
  /** Every run of f32: scales, biases, positions and normalizations. */
  readonly floats: readonly FloatRun[]
}

interface FloatRun {
  readonly at: number
  readonly count: number
}

const layOut = (): ModelPlaces => {
  let size = MODEL_MAGIC.length
  const take = (bytes: number): number => {
    const at = size
    // Aligned: the kernels read sixteen bytes at a time.
    size += Math.ceil(bytes / 16) * 16
    return at
  }
  const runs: FloatRun[] = []
  const floats = (count: number) => {
    const at = take(4 * count)
    runs.push({ at, count })
    return at
  }
  const norm = (): NormPlace => ({ gamma: floats(MODEL_DIM), beta: floats(MODEL_DIM) })
  const matrix = (inputs: number, outputs: number): MatrixPlace => ({
    inputs,
    outputs,
    scale: floats(2),
    bias: floats(outputs),
    weights: take(inputs * outputs),
  })
  const square = () => matrix(MODEL_DIM, MODEL_DIM)
  const places = {
    wordScale: floats(2),
    positions: floats(MAX_TOKENS * MODEL_DIM),
    norm: norm(),
    layers: Array.from({ length: LAYERS }, () => ({
      query: square(),
      key: square(),
      value: square(),
      output: square(),
      attentionNorm: norm(),
      inner: matrix(MODEL_DIM, INNER_DIM),
      outer: matrix(INNER_DIM, MODEL_DIM),
      norm: norm(),
    })),
    words: take(VOCABULARY_SIZE * MODEL_DIM),
  }
  return { ...places, size, floats: runs }
}

export const MODEL_PLACES = layOut()

/** The offset of a weight among the weights of its matrix. */
export const weightOffset = (input: number, output: number, inputs: number): number => {
  const [panel, inPanel] = [Math.floor(output / PANEL_OUTPUTS), output % PANEL_OUTPUTS]
  const [pair, inPair] = [Math.floor(input / 2), input % 2]
  return PANEL_OUTPUTS * inputs * panel + 2 * PANEL_OUTPUTS * pair + 2 * inPanel + inPair
}
