import type { Clock } from '../../kernel/ports.ts'
import { type OpenVectors, openVectors } from '../../platform/packets/vector-file.ts'
import type { VectorThread } from '../../platform/packets/vector-threads.ts'

/**
 * From so many numbers on an index lies in a thread: a search of 250 000 rows of 384 takes about five
 * milliseconds, in which nothing else is answered. Below that the way to the thread and back is not worth it.
 */
const LARGE = 96_000_000

/** Beside the bundle that this is in, whichever chunk that is. */
const PROGRAM = new URL('../threads/vector.js', import.meta.url)

/** Opens indexes where they are searched best: small ones here, large ones in a thread that starts with the first. */
export const vectorOpener = (clock: Clock) => {
  let starting: Promise<VectorThread> | undefined
  const start = async () => {
    const { VectorThread } = await import('../../platform/packets/vector-threads.ts')
    return new VectorThread(PROGRAM, clock)
  }
  const open: OpenVectors = async (files, expected) => {
    if (expected.rows * expected.dim < LARGE) return openVectors(files, expected, clock)
    starting ??= start()
    return (await starting).open(files, expected)
  }
  return { open, close: async () => void (await (await starting)?.close()) }
}
