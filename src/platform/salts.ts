import { createHash, randomBytes } from 'node:crypto'

/** A secret for each entry, so that its payload cannot be found by guessing. */
export const randomSalts = (): string => randomBytes(16).toString('hex')

/** The same for every run, for replays and tests. Guessable, and meant to be. */
export const fixedSalts = (seq: number): string =>
  createHash('sha256').update(`SALT\n${seq}`).digest('hex').slice(0, 32)
