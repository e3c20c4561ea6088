import { Fault } from '../../kernel/fault.ts'
import type { Embedder } from '../embed.ts'
import { packetFaults } from '../faults.ts'
import type { Doc } from '../format/docs.ts'
import type { Matrix } from '../format/vectors.ts'
import { windowsOf } from '../search/passage-windows.ts'

/** Windows between two progress reports; enough for the parallel requests of a server. */
const BATCH = 256

export interface EmbeddedDocs {
  /** The vector of the first window of each row. */
  readonly matrix: Matrix
  /** The vectors of all windows, and the first window of each row. Absent when every row has one window. */
  readonly windows?: { readonly matrix: Matrix; readonly firsts: Uint32Array }
  /** How many rows were embedded now. */
  readonly fresh: number
  readonly failure?: Fault
}

interface EmbedOptions {
  readonly embedder: Embedder
  /** Vectors of an earlier build by the hash of their text. */
  readonly known?: ReadonlyMap<string, Float32Array>
  readonly progress?: (done: number, total: number) => void
}

const joinRows = (rows: readonly Float32Array[], dim: number): Matrix => {
  const values = new Float32Array(rows.length * dim)
  for (const [i, row] of rows.entries()) values.set(row, i * dim)
  return { rows: rows.length, dim, values }
}

/** Vectors for all windows of all chunks; known ones are reused. */
export const embedDocs = async (
  docs: readonly Doc[],
  { embedder, progress, ...options }: EmbedOptions,
  signal: AbortSignal,
): Promise<EmbeddedDocs> => {
  // The variant of known vectors is not recorded, so they are reused only without one.
  const plain = embedder.prefixes === undefined && embedder.variant === undefined
  const known = plain ? options.known : undefined
  const inputs: string[] = []
  const vectors: (Float32Array | undefined)[] = []
  const lengths: number[] = []
  const rowsOf: number[] = []
  const firsts = new Uint32Array(docs.length)
  for (const [row, doc] of docs.entries()) {
    firsts[row] = inputs.length
    const windows = windowsOf(embedder, doc)
    // Known vectors are of whole texts.
    const whole = windows.length === 1 && windows[0]?.input === doc.text
    for (const { input, length = 1 } of windows) {
      inputs.push(input)
      lengths.push(length)
      rowsOf.push(row)
      vectors.push(whole ? known?.get(doc.hash ?? '') : undefined)
    }
  }
  const missing = inputs.flatMap((_, at) => (vectors[at] === undefined ? [at] : []))
  const { batch: size = BATCH } = embedder
  for (let at = 0; at < missing.length; at += size) {
    const batch = missing.slice(at, at + size)
    const { values, dim } = await embedder.embed(
      batch.map((one) => inputs[one] as string),
      'document',
      signal,
    )
    for (const [i, one] of batch.entries()) vectors[one] = values.subarray(i * dim, (i + 1) * dim)
    progress?.(Math.min(at + size, missing.length), missing.length)
  }
  const all = vectors as Float32Array[]
  const dim = all[0]?.length ?? embedder.dim ?? 0
  if (all.some((row) => row.length !== dim))
    throw packetFaults.model_mismatch(
      'the embedder gives vectors of another length than before; build without reuse',
    )
  const matrix = joinRows(
    Array.from(firsts, (first) => all[first] as Float32Array),
    dim,
  )
  const fresh = new Set(missing.map((at) => rowsOf[at])).size
  if (inputs.length === docs.length) return { matrix, fresh }
  const scaled = all.map((row, at) =>
    lengths[at] === 1 ? row : row.map((value) => value * (lengths[at] ?? 1)),
  )
  return { matrix, windows: { matrix: joinRows(scaled, dim), firsts }, fresh }
}

const EMBEDDER_FAULTS = ['packet.embedder', 'packet.embedder_key', 'packet.embedder_answer']

/** When the embedder fails the packet is built without vectors, and its manifest says so. */
export const tryEmbedding = async (
  docs: readonly Doc[],
  options: EmbedOptions,
  signal: AbortSignal,
): Promise<EmbeddedDocs> => {
  try {
    return await embedDocs(docs, options, signal)
  } catch (thrown) {
    if (!(thrown instanceof Fault) || !EMBEDDER_FAULTS.includes(thrown.code)) throw thrown
    return { matrix: { rows: docs.length, dim: 0, values: new Float32Array() }, fresh: 0, failure: thrown }
  }
}
