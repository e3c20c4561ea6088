import type { Matrix } from './format/vectors.ts'

/** Turns texts into vectors of length one. The same text gives the same vector. */
export interface Embedder {
  readonly model: string
  /** Undefined until the first answer tells. */
  readonly dim: number | undefined
  embed(texts: readonly string[], use: 'document' | 'query', signal: AbortSignal): Promise<Matrix>
}
