/** Where a word stands: its rows, and how often in each. */
export interface Posting {
  readonly rows: ArrayLike<number>
  readonly counts: ArrayLike<number>
}

/** What `sparse/bm25.json` counts: the words of every row as they are written, and how long each row is. */
export interface SparseRows {
  readonly rows: Iterable<Iterable<readonly [word: string, times: number]>>
  readonly lengths: readonly number[]
}

/** How much a word tells that stands in `seen` of `all` rows. */
export const weigh = (all: number, seen: number): number => Math.log(1 + (all - seen + 0.5) / (seen + 0.5))

export interface GrowingPosting extends Posting {
  readonly rows: number[]
  readonly counts: number[]
}

/** Adds to how often a word stands in a row. Rows come in ascending order. */
export const note = (
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
