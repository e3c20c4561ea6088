import type { Embedder } from '../embed.ts'
import { packetFaults } from '../faults.ts'
import type { ByteSource } from '../format/faiss.ts'
import type { Matrix } from '../format/vectors.ts'
import type { WindowInputs } from './window-inputs.ts'

/** Windows between two progress reports; enough for the parallel requests of a server. */
const BATCH = 256

interface EmbedOptions {
  readonly embedder: Embedder
  readonly progress?: (done: number, total: number) => void
}

/** Vectors that are given at once. Known ones are read when their turn comes. */
const GROUP = 256

/** Windows with as many unknown ones as are embedded at once. */
interface WindowBatch {
  /** For each window the hash of its text where its vector is known. */
  readonly hashes: (string | undefined)[]
  /** For each window the length of its vector. */
  readonly lengths: number[]
  readonly texts: string[]
}

/** The vector of a window, and its length among the windows of a packet. */
export interface WindowVector {
  readonly vector: Float32Array
  readonly length: number
}

/** The vector as it is compared with questions. */
export const scaledVector = ({ vector, length }: WindowVector): Float32Array =>
  length === 1 ? vector : vector.map((value) => value * length)

async function* collectBatches(
  inputs: WindowInputs,
  scratch: ByteSource,
  size: number,
): AsyncGenerator<WindowBatch> {
  let batch: WindowBatch = { hashes: [], lengths: [], texts: [] }
  for await (const group of inputs.read(scratch)) {
    for (const { text, hash, length = 1 } of group) {
      if (text !== undefined) {
        if (batch.texts.length === size) {
          yield batch
          batch = { hashes: [], lengths: [], texts: [] }
        }
        batch.texts.push(text)
      }
      batch.hashes.push(hash)
      batch.lengths.push(length)
    }
  }
  if (batch.hashes.length > 0) yield batch
}

/** Puts the known vectors between those that were made. */
function* joinVectors(
  inputs: WindowInputs,
  { hashes, lengths }: WindowBatch,
  { dim, values }: Matrix,
): Generator<readonly WindowVector[]> {
  let made = 0
  for (let at = 0; at < hashes.length; at += GROUP)
    yield hashes.slice(at, at + GROUP).map((hash, i) => {
      const length = lengths[at + i] ?? 0
      if (hash !== undefined) return { vector: inputs.known(hash), length }
      made += 1
      return { vector: values.subarray((made - 1) * dim, made * dim), length }
    })
}

const NONE: Matrix = { rows: 0, dim: 0, values: new Float32Array() }

/**
 * The vectors of all windows in order, in groups; known ones are reused. `scratch` has what was written to the scratch
 * file of the inputs.
 */
export async function* embedWindows(
  inputs: WindowInputs,
  scratch: ByteSource,
  { embedder, progress }: EmbedOptions,
  signal: AbortSignal,
): AsyncGenerator<readonly WindowVector[]> {
  let dim: number | undefined
  let done = 0
  for await (const batch of collectBatches(inputs, scratch, embedder.batch ?? BATCH)) {
    const { texts } = batch
    const made = texts.length === 0 ? NONE : await embedder.embed(texts, 'document', signal)
    done += texts.length
    if (texts.length > 0) progress?.(done, inputs.missing)
    for (const vectors of joinVectors(inputs, batch, made)) {
      dim ??= vectors[0]?.vector.length
      if (vectors.some(({ vector }) => vector.length !== dim))
        throw packetFaults.model_mismatch(
          'the embedder gives vectors of another length than before; build without reuse',
        )
      yield vectors
    }
  }
}
