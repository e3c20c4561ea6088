import { optional } from '../../kernel/optional.ts'
import { byScore, type SearchHit } from './exact-search.ts'
import type { VectorHit } from './vector-index.ts'

const K = 60

interface Ranking {
  readonly hits: readonly SearchHit[]
  readonly weight: number
}

/** Reciprocal rank fusion: rows that rank high in several rankings come first. */
export const fuseRankings = (rankings: readonly Ranking[], k: number): SearchHit[] => {
  const scores = new Map<number, number>()
  for (const { hits, weight } of rankings) {
    hits.forEach(({ row }, i) => {
      scores.set(row, (scores.get(row) ?? 0) + weight / (K + i + 1))
    })
  }
  return [...scores]
    .map(([row, score]) => ({ row, score }))
    .sort(byScore)
    .slice(0, k)
}

/** How many hits of each ranking are fused. */
export const fusionDepth = (k: number): number => Math.max(4 * k, 20)

/** A row with how well it fits: by words and by meaning, each from 0 to 1, where it is among the best by them. */
export interface ScoredRow extends SearchHit {
  readonly words?: number
  readonly meaning?: number
  /** Which window of the row fits the question best. */
  readonly window?: number
}

interface ScoredRankings {
  readonly vectors: readonly VectorHit[]
  readonly words: readonly SearchHit[]
  /** The best score that words can have for this question. */
  readonly bestWords: number
  /** Weight of meaning; words have the rest. */
  readonly share?: number | undefined
  readonly k: number
}

/** For vectors of a server, and for packets of earlier builds, which keep their answers. */
const USUAL_SHARE = 0.6

const within = (value: number): number => Math.min(Math.max(value, 0), 1)

/** How far a score is from the lowest to the highest of a ranking. A row that is not in the ranking is at the bottom. */
const relativeScores = (hits: readonly SearchHit[], lowest: number): ReadonlyMap<number, number> => {
  const span = (hits[0]?.score ?? 0) - lowest
  return new Map(hits.map(({ row, score }) => [row, span > 0 ? (score - lowest) / span : 1]))
}

/** Fuses both rankings by their scores. The result is from 0 to 1, as are its parts. */
export const fuseScores = ({
  vectors,
  words,
  bestWords,
  share = USUAL_SHARE,
  k,
}: ScoredRankings): ScoredRow[] => {
  const meaning = relativeScores(vectors, vectors.at(-1)?.score ?? 0)
  const shared = relativeScores(words, 0)
  const byVector = new Map(vectors.map((hit) => [hit.row, hit]))
  const byWords = new Map(words.map(({ row, score }) => [row, within(score / bestWords)]))
  // A full ranking leaves out rows that have some of the words: how many is not known.
  const missing = words.length < fusionDepth(k) ? 0 : undefined
  return [...new Set([...byVector.keys(), ...byWords.keys()])]
    .map((row): ScoredRow => {
      const near = byVector.get(row)
      const found = byWords.get(row) ?? missing
      const score = share * (meaning.get(row) ?? 0) + (1 - share) * (shared.get(row) ?? 0)
      return {
        row,
        score,
        ...optional({ words: found }),
        ...optional({ meaning: near && within(near.score) }),
        ...optional({ window: near?.window }),
      }
    })
    .sort(byScore)
    .slice(0, k)
}
