import type { SearchHit } from './exact-search.ts'

/** A row found by its vector. */
export interface VectorHit extends SearchHit {
  /** Which of the windows of the row fits best, where it has several. */
  readonly window?: number
}

export interface VectorIndex {
  readonly rows: number
  readonly dim: number
  /** The `k` best rows by inner product, exactly; ties by ascending row. */
  search(query: Float32Array, k: number, signal: AbortSignal): Promise<readonly VectorHit[]>
  close(): void
}
