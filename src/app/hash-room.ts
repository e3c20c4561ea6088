import { HashThread } from '../platform/hash-threads.ts'

/** Beside the bundle that this is in, whichever chunk that is. */
const PROGRAM = new URL('../threads/hash-thread.js', import.meta.url)

/** A thread for the digests of large files. */
export const openHashRoom = (): HashThread => new HashThread(PROGRAM)
