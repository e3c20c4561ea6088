/** A whole number from 0 up to `below`. */
export type Random = (below: number) => number

/** A seeded generator, so that a failure can be reproduced. */
export const seededRandom = (seed: number): Random => {
  let state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

export const pickOne = <T>(random: Random, all: readonly T[]): T => {
  const one = all[random(all.length)]
  if (one === undefined) throw new Error('there is nothing to pick from')
  return one
}
