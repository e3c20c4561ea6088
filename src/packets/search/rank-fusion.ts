import { byScore, type SearchHit } from './exact-search.ts'

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
