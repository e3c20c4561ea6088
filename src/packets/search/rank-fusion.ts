import { byScore, type SearchHit } from './exact-search.ts'

const K = 60

interface Ranking {
  readonly hits: readonly SearchHit[]
  readonly weight: number
}

/** One ranking out of several, by reciprocal rank: what stands high in more than one stands highest. */
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

/** How deep each ranking is looked into before they are fused. */
export const fusionDepth = (k: number): number => Math.max(4 * k, 20)
