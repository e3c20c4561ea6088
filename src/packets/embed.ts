import type { Matrix } from './format/vectors.ts'

/** Turns texts into vectors of length one. The same text gives the same vector. */
export interface Embedder {
  readonly model: string
  /** Who makes the vectors, for the packet's manifest. */
  readonly provider: string
  /** Undefined until the first answer tells. */
  readonly dim: number | undefined
  /** How much its ranking counts beside that of the words, which counts one; as much, unless it says so. */
  readonly weight?: number
  embed(texts: readonly string[], use: 'document' | 'query', signal: AbortSignal): Promise<Matrix>
}
