import { lazyAsync } from '../../kernel/async/once.ts'
import type { Clock } from '../../kernel/ports.ts'
import { type OpenVectors, openVectors } from '../../platform/packets/vectors/vector-file.ts'

/**
 * Number of values from which an index is searched in a worker thread: 250 000 rows of 384 take about five
 * milliseconds, which would block the event loop. Below that the message to the thread costs more.
 */
const LARGE = 96_000_000

/** Relative to the built chunk. */
const PROGRAM = new URL('../threads/vector.js', import.meta.url)

/** Opens small indexes in this thread, large ones in a worker thread that starts with the first. */
export const vectorOpener = (clock: Clock) => {
  const thread = lazyAsync(async () => {
    const { VectorThread } = await import('../../platform/packets/vectors/vector-threads.ts')
    return new VectorThread(PROGRAM, clock)
  })
  const open: OpenVectors = async (files, expected) =>
    expected.rows * expected.dim < LARGE
      ? openVectors(files, expected, clock)
      : (await thread.get()).open(files, expected)
  return { open, close: async () => (await thread.peek())?.close() }
}
