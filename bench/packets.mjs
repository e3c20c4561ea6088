// Packets: exact search next to FAISS, a question to an open packet, and what a build costs.

import { roundCount, runBench, text } from './lib/cli.mjs'
import { benchSearch } from './lib/packets/search.mjs'
import { Stop } from './lib/stop.mjs'

await runBench(['rounds', 'rows', 'only'], async (options) => {
  const rounds = roundCount(options, 5)
  const sizes =
    text(options, 'rows')?.split(',').map(Number) ?? (options.quick ? [1000] : [10_000, 100_000, 1_000_000])
  if (sizes.some((size) => !Number.isSafeInteger(size) || size < 10))
    throw new Stop('--rows takes whole numbers')
  return { bench: 'Packets', rounds, tables: await benchSearch(sizes, rounds) }
})
