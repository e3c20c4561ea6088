import { type CooperativeTask, runSync } from '../../kernel/async/cooperative.ts'
import { parseSparseFast } from './bm25-fast-parser.ts'
import { byScore, type SearchHit } from './exact-search.ts'
import { addOccurrences, type GrowingPosting, inverseDocumentFrequency, type Posting } from './postings.ts'
import { readSparse } from './sparse-file.ts'
import { searchTerms, stem } from './tokens.ts'

const K1 = 1.2
const B = 0.75
/** Rows indexed between two yields, a few milliseconds. */
const STEP = 256

/**
 * BM25 index: ranks rows by the words they share with a question, rare words higher. Words are compared by
 * their stems.
 */
export class LexicalIndex {
  readonly #postings: ReadonlyMap<string, Posting>
  readonly #lengths: ArrayLike<number>
  readonly #average: number
  /** BM25 length normalization of each row. */
  readonly #norms: Float64Array
  /** Scratch space, all zeros between two searches. */
  readonly #scores: Float64Array

  constructor(postings: ReadonlyMap<string, Posting>, lengths: ArrayLike<number>) {
    this.#postings = postings
    this.#lengths = lengths
    this.#average = Array.from(lengths).reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1)
    this.#scores = new Float64Array(lengths.length)
    this.#norms = Float64Array.from(lengths, (length) => K1 * (1 - B + (B * length) / (this.#average || 1)))
  }

  /** Indexes texts, one a row. */
  static fromTexts(texts: Iterable<string>): LexicalIndex {
    return runSync(LexicalIndex.buildTask(texts))
  }

  static *buildTask(texts: Iterable<string>): CooperativeTask<LexicalIndex> {
    const postings = new Map<string, GrowingPosting>()
    const lengths: number[] = []
    for (const text of texts) {
      const words = searchTerms(text)
      for (const word of words) addOccurrences(postings, stem(word), lengths.length, 1)
      lengths.push(words.length)
      if (lengths.length % STEP === 0) yield
    }
    return new LexicalIndex(postings, lengths)
  }

  /** Reads `sparse/bm25.json`, which must have `count` rows. */
  static read(bytes: Uint8Array, count: number): LexicalIndex {
    return runSync(LexicalIndex.readTask(bytes, count))
  }

  static *readTask(bytes: Uint8Array, count: number): CooperativeTask<LexicalIndex> {
    const scanned = yield* parseSparseFast(bytes, count, stem)
    if (scanned !== undefined) return new LexicalIndex(scanned.postings, scanned.lengths)
    const { rows, lengths } = readSparse(bytes, count)
    const postings = new Map<string, GrowingPosting>()
    let row = 0
    for (const words of rows) {
      for (const [word, times] of words) addOccurrences(postings, stem(word), row, times)
      row += 1
      if (row % STEP === 0) yield
    }
    return new LexicalIndex(postings, lengths)
  }

  /** The postings of every word, and the length of every row. */
  get contents(): { readonly postings: ReadonlyMap<string, Posting>; readonly lengths: ArrayLike<number> } {
    return { postings: this.#postings, lengths: this.#lengths }
  }

  /** Approximate memory use. */
  get bytes(): number {
    let places = 0
    for (const { rows } of this.#postings.values()) places += rows.length
    return 8 * places + 200 * this.#postings.size + 24 * this.rows
  }

  get rows(): number {
    return this.#lengths.length
  }

  /** The best rows for a question. Rows without a common word are not returned. */
  search(question: string, depth: number): SearchHit[] {
    const touched: number[] = []
    const scores = this.#scores
    // Sorted, because floating-point sums depend on the order.
    for (const word of [...new Set(searchTerms(question).map(stem))].sort()) {
      const posting = this.#postings.get(word)
      if (posting === undefined) continue
      const weight = inverseDocumentFrequency(this.rows, posting.rows.length) * (K1 + 1)
      for (let i = 0; i < posting.rows.length; i++) {
        const row = posting.rows[i] as number
        const times = posting.counts[i] as number
        if (scores[row] === 0) touched.push(row)
        scores[row] = (scores[row] as number) + (weight * times) / (times + (this.#norms[row] as number))
      }
    }
    const best = selectBest(touched, scores, depth)
    for (const row of touched) scores[row] = 0
    return best
  }
}

/** Top-k selection without sorting all rows: a common word occurs in most of them. */
const selectBest = (rows: readonly number[], scores: Float64Array, depth: number): SearchHit[] => {
  const best: SearchHit[] = []
  for (const row of rows) {
    const score = scores[row] as number
    const last = best[depth - 1]
    if (last !== undefined && (score < last.score || (score === last.score && row > last.row))) continue
    const hit = { row, score }
    let at = best.length
    while (at > 0 && byScore(hit, best[at - 1] as SearchHit) < 0) at--
    best.splice(at, 0, hit)
    if (best.length > depth) best.pop()
  }
  return best
}
