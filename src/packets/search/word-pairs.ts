import { visitPositions, type WordPostings } from './posting-blocks.ts'

/** Words further apart than this do not belong together. */
const MAX_DISTANCE = 8
/** Two words side by side add this share of the lower of their weights. */
const PAIR_WEIGHT = 0.25

export interface WeightedPostings extends WordPostings {
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
    const distance = (a[i] as number) - (b[j] as number)
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
export const pairScores = (
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
