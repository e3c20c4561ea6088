/** The rows of a word, and how often it occurs in each. */
export interface Posting {
  readonly rows: ArrayLike<number>
  readonly counts: ArrayLike<number>
}

/** The contents of `sparse/bm25.json`: the words of every row as written, and the length of every row. */
export interface SparseRows {
  readonly rows: Iterable<Iterable<readonly [word: string, times: number]>>
  readonly lengths: readonly number[]
}

/** Inverse document frequency of a word that occurs in `seen` of `all` rows. */
export const inverseDocumentFrequency = (all: number, seen: number): number =>
  Math.log(1 + (all - seen + 0.5) / (seen + 0.5))

export interface GrowingPosting extends Posting {
  readonly rows: number[]
  readonly counts: number[]
}

/** Adds occurrences of a word in a row. Rows must come in ascending order. */
export const addOccurrences = (
  postings: Map<string, GrowingPosting>,
  word: string,
  row: number,
  times: number,
): void => {
  const posting = postings.get(word)
  if (posting === undefined) {
    postings.set(word, { rows: [row], counts: [times] })
    return
  }
  const last = posting.rows.length - 1
  if (posting.rows[last] === row) posting.counts[last] = (posting.counts[last] as number) + times
  else {
    posting.rows.push(row)
    posting.counts.push(times)
  }
}
