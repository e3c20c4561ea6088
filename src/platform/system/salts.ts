import { createHash, randomFillSync } from 'node:crypto'

const SALT_BYTES = 16
const pool = Buffer.alloc(256 * SALT_BYTES)
let used = pool.length

/** A random salt for each entry, so that its payload cannot be guessed from its hash. */
export const randomSalts = (): string => {
  // Filled in bulk: one call per salt would cost more than hashing the entry.
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += SALT_BYTES
  return pool.toString('hex', used - SALT_BYTES, used)
}

/** Deterministic salts for replays and tests; they hide nothing. */
export const fixedSalts = (seq: number): string =>
  createHash('sha256')
    .update(`SALT\n${seq}`)
    .digest('hex')
    .slice(0, 2 * SALT_BYTES)
