import { isRecord } from '../../kernel/json.ts'
import { packetFaults } from '../faults.ts'
import { readJson } from '../format/json-bytes.ts'
import { byScore, type Hit } from './exact.ts'
import { wordsOf } from './tokens.ts'

const K1 = 1.2
const B = 0.75
const MAX_BYTES = 1024 * 1024 * 1024

/** Where a word stands: its rows, and how often in each. */
export interface Posting {
  readonly rows: ArrayLike<number>
  readonly counts: ArrayLike<number>
}

const count = (words: readonly string[]): Map<string, number> => {
  const found = new Map<string, number>()
  for (const word of words) found.set(word, (found.get(word) ?? 0) + 1)
  return found
}

/** How much a word tells that stands in `seen` of `all` rows. */
const weigh = (all: number, seen: number): number => Math.log(1 + (all - seen + 0.5) / (seen + 0.5))

/** Ranks rows by the words they share with a question, rare ones more than common ones (BM25). */
export class LexicalIndex {
  readonly #postings: ReadonlyMap<string, Posting>
  readonly #lengths: ArrayLike<number>
  readonly #average: number
  /** What a row's length takes off each of its words. */
  readonly #norms: Float64Array
  /** All zeros between two searches. */
  readonly #scores: Float64Array

  constructor(postings: ReadonlyMap<string, Posting>, lengths: ArrayLike<number>) {
    this.#postings = postings
    this.#lengths = lengths
    this.#average = Array.from(lengths).reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1)
    this.#scores = new Float64Array(lengths.length)
    this.#norms = Float64Array.from(lengths, (length) => K1 * (1 - B + (B * length) / (this.#average || 1)))
  }

  static #gather(
    rows: Iterable<Iterable<readonly [string, number]>>,
    lengths: readonly number[],
  ): LexicalIndex {
    const postings = new Map<string, { rows: number[]; counts: number[] }>()
    let row = 0
    for (const counts of rows) {
      for (const [word, times] of counts) {
        // A count of nothing would put a row among those that share a word.
        if (times === 0) continue
        const posting = postings.get(word) ?? { rows: [], counts: [] }
        if (posting.rows.length === 0) postings.set(word, posting)
        posting.rows.push(row)
        posting.counts.push(times)
      }
      row += 1
    }
    return new LexicalIndex(postings, lengths)
  }

  /** An index over texts, one a row. */
  static over(texts: Iterable<string>): LexicalIndex {
    const rows: Map<string, number>[] = []
    const lengths: number[] = []
    for (const text of texts) {
      const words = wordsOf(text)
      rows.push(count(words))
      lengths.push(words.length)
    }
    return LexicalIndex.#gather(rows, lengths)
  }

  /** Reads `sparse/bm25.json`, which must fit the packet it came with. */
  static read(bytes: Uint8Array, rows: number): LexicalIndex {
    const value = readJson(bytes, 'sparse/bm25.json', MAX_BYTES, packetFaults.index)
    const { doc_len: lengths, tf } = isRecord(value) ? value : {}
    if (!isCounts(lengths) || !Array.isArray(tf) || lengths.length !== rows || tf.length !== rows)
      throw packetFaults.index('sparse/bm25.json does not fit the documents')
    const counted = tf.map((one: unknown) => {
      const entries = isRecord(one) ? Object.entries(one) : []
      if (!isRecord(one) || !isCounts(entries.map(([, times]) => times)))
        throw packetFaults.index('sparse/bm25.json counts something that is no number')
      return entries as [string, number][]
    })
    return LexicalIndex.#gather(counted, lengths)
  }

  /** The bytes of `sparse/bm25.json`. */
  write(): Uint8Array {
    const tf: [string, number][][] = Array.from(this.#lengths, () => [])
    const words = [...this.#postings.keys()].sort()
    for (const word of words) {
      const { rows, counts } = this.#postings.get(word) as Posting
      for (let i = 0; i < rows.length; i++) tf[rows[i] as number]?.push([word, counts[i] as number])
    }
    const idf = words.map((word) => [word, weigh(this.rows, this.#postings.get(word)?.rows.length ?? 0)])
    return Buffer.from(
      JSON.stringify({
        idf: Object.fromEntries(idf),
        doc_len: Array.from(this.#lengths),
        tf: tf.map((counts) => Object.fromEntries(counts)),
        avgdl: this.#average,
      }),
    )
  }

  /** Every word and where it stands, and the length of every row. */
  get contents(): { readonly postings: ReadonlyMap<string, Posting>; readonly lengths: ArrayLike<number> } {
    return { postings: this.#postings, lengths: this.#lengths }
  }

  get rows(): number {
    return this.#lengths.length
  }

  /** The best rows for a question. Rows that share no word with it are not among them. */
  search(question: string, depth: number): Hit[] {
    const touched: number[] = []
    const scores = this.#scores
    // In a fixed order, for sums of floats depend on it.
    for (const word of [...new Set(wordsOf(question))].sort()) {
      const posting = this.#postings.get(word)
      if (posting === undefined) continue
      const weight = weigh(this.rows, posting.rows.length) * (K1 + 1)
      for (let i = 0; i < posting.rows.length; i++) {
        const row = posting.rows[i] as number
        const times = posting.counts[i] as number
        if (scores[row] === 0) touched.push(row)
        scores[row] = (scores[row] as number) + (weight * times) / (times + (this.#norms[row] as number))
      }
    }
    const best = bestOf(touched, scores, depth)
    for (const row of touched) scores[row] = 0
    return best
  }
}

/** The best of many rows without sorting them all: a common word stands in most of a packet. */
const bestOf = (rows: readonly number[], scores: Float64Array, depth: number): Hit[] => {
  const best: Hit[] = []
  for (const row of rows) {
    const hit = { row, score: scores[row] as number }
    const last = best.at(-1)
    if (best.length === depth && last !== undefined && byScore(hit, last) >= 0) continue
    let at = best.length
    while (at > 0 && byScore(hit, best[at - 1] as Hit) < 0) at--
    best.splice(at, 0, hit)
    if (best.length > depth) best.pop()
  }
  return best
}

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => Number.isSafeInteger(one) && one >= 0 && one < 2 ** 32)
