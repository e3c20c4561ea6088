/** The contents of `sparse/bm25.json`: the words of every row as written, and the length of every row. */
export interface SparseRows {
  readonly rows: Iterable<Iterable<readonly [word: string, times: number]>>
  readonly lengths: readonly number[]
}

/** Inverse document frequency of a word that occurs in `seen` of `all` rows. */
export const inverseDocumentFrequency = (all: number, seen: number): number =>
  Math.log(1 + (all - seen + 0.5) / (seen + 0.5))
