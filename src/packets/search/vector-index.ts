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

/** The row of a window: the last row whose first window is not behind it. */
const rowOf = (firsts: Uint32Array, window: number): number => {
  let [low, high] = [0, firsts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((firsts[middle] ?? 0) <= window) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * Searches rows by their best window. The ranking is exact: windows are taken in the order of their scores until they
 * belong to enough rows.
 */
export const searchByWindow = (windows: VectorIndex, firsts: Uint32Array): VectorIndex => ({
  rows: firsts.length,
  dim: windows.dim,
  search: async (query, k, signal) => {
    const wanted = Math.min(k, firsts.length)
    for (let depth = 4 * wanted; ; depth *= 2) {
      const best = new Map<number, { row: number; score: number; window: number }>()
      const hits = await windows.search(query, Math.min(depth, windows.rows), signal)
      for (const { row: window, score } of hits) {
        const row = rowOf(firsts, window)
        if (!best.has(row)) best.set(row, { row, score, window: window - (firsts[row] ?? 0) })
      }
      if (best.size >= wanted || depth >= windows.rows)
        return [...best.values()].sort((a, b) => b.score - a.score || a.row - b.row).slice(0, wanted)
    }
  },
  close: () => windows.close(),
})
