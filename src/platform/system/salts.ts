import { createHash, randomFillSync } from 'node:crypto'

const SALT_BYTES = 16
const pool = Buffer.alloc(256 * SALT_BYTES)
let used = pool.length

/** A secret for each entry, so that its payload cannot be found by guessing. */
export const randomSalts = (): string => {
  // Asked for one at a time, randomness would cost more than the entry it protects.
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += SALT_BYTES
  return pool.toString('hex', used - SALT_BYTES, used)
}

/** The same for every run, for replays and tests. Guessable, and meant to be. */
export const fixedSalts = (seq: number): string =>
  createHash('sha256')
    .update(`SALT\n${seq}`)
    .digest('hex')
    .slice(0, 2 * SALT_BYTES)
