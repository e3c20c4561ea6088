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

/** How much a word tells that stands in `seen` of `all` rows. */
const weigh = (all: number, seen: number): number => Math.log(1 + (all - seen + 0.5) / (seen + 0.5))

interface GrowingPosting extends Posting {
  readonly rows: number[]
  readonly counts: number[]
}

/** Adds to how often a word stands in a row. Rows come in ascending order. */
const note = (postings: Map<string, GrowingPosting>, word: string, row: number, times: number): void => {
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

/** The same by rows: where each row's words begin, which they are, and how often they stand there. */
const turn = (postings: readonly Posting[], count: number) => {
  const starts = new Uint32Array(count + 1)
  for (const { rows } of postings) {
    for (let i = 0; i < rows.length; i++) {
      const next = (rows[i] as number) + 1
      starts[next] = (starts[next] as number) + 1
    }
  }
  for (let row = 0; row < count; row++)
    starts[row + 1] = (starts[row + 1] as number) + (starts[row] as number)
  const free = starts.slice()
  const word = new Uint32Array(starts[count] as number)
  const times = new Uint32Array(word.length)
  postings.forEach(({ rows, counts }, number) => {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number
      const at = free[row] as number
      word[at] = number
      times[at] = counts[i] as number
      free[row] = at + 1
    }
  })
  return { starts, word, times }
}

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

  /** An index over texts, one a row. */
  static over(texts: Iterable<string>): LexicalIndex {
    const postings = new Map<string, GrowingPosting>()
    const lengths: number[] = []
    for (const text of texts) {
      const words = wordsOf(text)
      for (const word of words) note(postings, word, lengths.length, 1)
      lengths.push(words.length)
    }
    return new LexicalIndex(postings, lengths)
  }

  /** Reads `sparse/bm25.json`, which must fit the packet it came with. */
  static read(bytes: Uint8Array, rows: number): LexicalIndex {
    const value = readJson(bytes, 'sparse/bm25.json', MAX_BYTES, packetFaults.index)
    const { doc_len: lengths, tf } = isRecord(value) ? value : {}
    if (!isCounts(lengths) || !Array.isArray(tf) || lengths.length !== rows || tf.length !== rows)
      throw packetFaults.index('sparse/bm25.json does not fit the documents')
    const postings = new Map<string, GrowingPosting>()
    tf.forEach((one: unknown, row) => {
      const entries = isRecord(one) ? Object.entries(one) : []
      if (!isRecord(one) || !isCounts(entries.map(([, times]) => times)))
        throw packetFaults.index('sparse/bm25.json counts something that is no number')
      // A count of nothing would put a row among those that share a word.
      for (const [word, times] of entries as [string, number][])
        if (times > 0) note(postings, word, row, times)
    })
    return new LexicalIndex(postings, lengths)
  }

  /** The bytes of `sparse/bm25.json`, put together by hand: as one object they would fill the memory. */
  write(): Uint8Array {
    const words = [...this.#postings.keys()].sort()
    const keys = words.map((word) => `${JSON.stringify(word)}:`)
    const postings = words.map((word) => this.#postings.get(word) as Posting)
    const weights = postings.map(({ rows }, i) => `${keys[i]}${weigh(this.rows, rows.length)}`)
    const lengths = Array.from(this.#lengths).join()
    const parts = [Buffer.from(`{"idf":{${weights.join()}},"doc_len":[${lengths}],"tf":[`)]
    const { starts, word, times } = turn(postings, this.rows)
    const countsOf = (row: number): string => {
      const counts: string[] = []
      for (let i = starts[row] as number; i < (starts[row + 1] as number); i++)
        counts.push(`${keys[word[i] as number]}${times[i]}`)
      return `{${counts.join()}}`
    }
    for (let row = 0; row < this.rows; row++)
      parts.push(Buffer.from(`${row === 0 ? '' : ','}${countsOf(row)}`))
    return Buffer.concat([...parts, Buffer.from(`],"avgdl":${this.#average}}`)])
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
