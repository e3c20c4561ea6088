import type { Hit } from './search/exact.ts'

/** Vectors that can be searched. */
export interface VectorIndex {
  readonly rows: number
  readonly dim: number
  /** The `k` best rows, exactly, ties by ascending row. */
  search(query: Float32Array, k: number): readonly Hit[]
  close(): void
}
