import { byScore, type SearchHit } from './exact-search.ts'
import { visitCounts, visitFields, visitPositions, type WordPostings } from './posting-lists.ts'
import { FIELD_COUNT, inverseDocumentFrequency, searchTerms, stem, TEXT_FIELD } from './tokens.ts'
import type { WordIndexFile, WordList } from './word-index.ts'

/** Words further apart than this do not belong together. */
const MAX_DISTANCE = 8
/** Two words side by side add this share of the lower of their weights. */
const PAIR_WEIGHT = 0.25

interface WeightedPostings extends WordPostings {
  /** Inverse document frequency. */
  readonly weight: number
}

interface PlacedWord {
  readonly weight: number
  readonly positions: readonly number[]
}

/** The least distance of two words; both lists ascend. */
const leastDistance = (a: readonly number[], b: readonly number[]): number => {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const distance = (a[i] ?? 0) - (b[j] ?? 0)
    least = Math.min(least, Math.abs(distance))
    if (distance < 0) i++
    else j++
  }
  return least
}

const pairScore = (words: readonly PlacedWord[]): number => {
  let score = 0
  words.forEach((a, i) => {
    for (const b of words.slice(i + 1)) {
      const distance = Math.max(leastDistance(a.positions, b.positions), 1)
      const nearness = (MAX_DISTANCE + 1 - distance) / MAX_DISTANCE
      if (nearness > 0) score += PAIR_WEIGHT * Math.min(a.weight, b.weight) * nearness
    }
  })
  return score
}

/** What pairs of words close to each other add to the scores of some rows, which are in ascending order. */
const pairScores = (
  lists: readonly WeightedPostings[],
  rows: readonly number[],
): ReadonlyMap<number, number> => {
  const words = new Map<number, PlacedWord[]>()
  for (const list of lists) {
    visitPositions(list, rows, (row, positions) => {
      const placed = words.get(row) ?? []
      placed.push({ weight: list.weight, positions })
      words.set(row, placed)
    })
  }
  return new Map([...words].map(([row, placed]) => [row, pairScore(placed)]))
}

const K1 = 1.2
const B = 0.75
/**
 * Saturation where titles count too. Tuned, like the weights, on every second of the first 45 questions about
 * `docs/` and about undici (bench/quality).
 */
const K1_FIELDS = 1.6
/** Weights of heading, chain of headings, path and symbol; the text has one. The length of a title is ignored. */
const TITLE_WEIGHTS = [2, 0.5, 1, 1]
/** How many rows are looked at for pairs of words. */
const PAIR_ROWS = 200
/** A word that more than one row in so many has takes no part in pairs: its neighbours say little. */
const PAIR_SHARE = 4

/**
 * Ranks rows by the words they share with a question, rare words higher: BM25, or BM25F where the packet has fields.
 * Words are compared by their stems.
 */
export class LexicalIndex {
  readonly #file: WordIndexFile
  #norms: Promise<Float64Array> | undefined
  #asked:
    | { readonly question: string; readonly lists: Promise<readonly (WordList | undefined)[]> }
    | undefined

  constructor(file: WordIndexFile) {
    this.#file = file
  }

  get rows(): number {
    return this.#file.rows
  }

  /** Approximate memory use. */
  get bytes(): number {
    return 8 * this.rows
  }

  /** The best rows for a question. Rows without a common word are not returned. */
  async search(question: string, depth: number): Promise<SearchHit[]> {
    const lists = (await this.#find(question)).filter((list) => list !== undefined)
    if (lists.length === 0) return []
    return this.#file.kind === 'plain' ? this.#searchPlain(lists, depth) : this.#searchFields(lists, depth)
  }

  /** The score of a row that consists of nothing but the words of the question. Higher with words in titles and pairs. */
  async bestScore(question: string): Promise<number> {
    const lists = await this.#find(question)
    const most = (this.#file.kind === 'plain' ? K1 : K1_FIELDS) + 1
    return lists.reduce((sum, list) => sum + inverseDocumentFrequency(this.rows, list?.rows ?? 0) * most, 0)
  }

  /** The lists of the words of a question: the same is asked for rows and for the best score. */
  #find(question: string): Promise<readonly (WordList | undefined)[]> {
    if (this.#asked?.question !== question) {
      // Sorted, because floating-point sums depend on the order.
      const words = [...new Set(searchTerms(question).map(stem))].sort()
      const lists = Promise.all(words.map((word) => this.#file.find(word)))
      this.#asked = { question, lists }
      lists.catch(() => {
        this.#asked = undefined
      })
      return lists
    }
    return this.#asked.lists
  }

  async #searchPlain(lists: readonly WordList[], depth: number): Promise<SearchHit[]> {
    const norms = await this.#lengthNorms()
    const scores = new Float64Array(this.rows)
    for (const list of lists) {
      const weight = inverseDocumentFrequency(this.rows, list.rows) * (K1 + 1)
      for (const postings of await this.#file.read(list, false))
        visitCounts(postings, this.rows, (row, times) => {
          scores[row] = (scores[row] ?? 0) + (weight * times) / (times + K1 * (norms[row] ?? 0))
        })
    }
    return selectBest(scores, depth)
  }

  async #searchFields(lists: readonly WordList[], depth: number): Promise<SearchHit[]> {
    const norms = await this.#lengthNorms()
    const scores = new Float64Array(this.rows)
    const paired: WeightedPostings[] = []
    for (const list of lists) {
      const idf = inverseDocumentFrequency(this.rows, list.rows)
      const isPaired = lists.length > 1 && list.rows <= Math.max(this.rows / PAIR_SHARE, 1)
      for (const postings of await this.#file.read(list, isPaired)) {
        if (isPaired) paired.push({ ...postings, weight: idf })
        visitFields(postings, this.rows, (row, counts, inTitles) => {
          let frequency = (counts[TEXT_FIELD] ?? 0) / (norms[row] ?? 0)
          for (let field = 1; inTitles && field < FIELD_COUNT; field++)
            frequency += (TITLE_WEIGHTS[field - 1] ?? 0) * (counts[field] ?? 0)
          scores[row] = (scores[row] ?? 0) + (idf * (K1_FIELDS + 1) * frequency) / (frequency + K1_FIELDS)
        })
      }
    }
    const best = selectBest(scores, Math.max(depth, PAIR_ROWS))
    const rows = best.map(({ row }) => row).sort((a, b) => a - b)
    const more = pairScores(paired, rows)
    return best
      .map(({ row, score }) => ({ row, score: score + (more.get(row) ?? 0) }))
      .sort(byScore)
      .slice(0, depth)
  }

  /** BM25 length normalization of each row. */
  #lengthNorms(): Promise<Float64Array> {
    this.#norms ??= this.#file.lengths().then((lengths) => {
      const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1)
      return Float64Array.from(lengths, (length) => 1 - B + (B * length) / (average || 1))
    })
    return this.#norms
  }
}

/** Top-k selection without sorting all rows: a common word occurs in most of them. */
const selectBest = (scores: Float64Array, depth: number): SearchHit[] => {
  const best: SearchHit[] = []
  let least = 0
  for (let row = 0; row < scores.length; row++) {
    const score = scores[row] ?? 0
    // Rows come in ascending order: one with the score of the last would be behind it.
    if (score <= least) continue
    const hit = { row, score }
    let at = best.length
    while (at > 0 && byScore(hit, best[at - 1] as SearchHit) < 0) at--
    best.splice(at, 0, hit)
    if (best.length > depth) best.pop()
    least = best[depth - 1]?.score ?? least
  }
  return best
}
