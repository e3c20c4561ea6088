// What does the belief graph cost: over the wire, in the store, by its size, in a tick, and at a restart?

import { measureBatches } from './lib/beliefs/batches.mjs'
import { measureTick } from './lib/beliefs/graph.mjs'
import { measureRestart } from './lib/beliefs/restart.mjs'
import { measureSizes } from './lib/beliefs/sizes.mjs'
import { loadSource } from './lib/beliefs/source.mjs'
import { measureWire } from './lib/beliefs/wire.mjs'
import { roundCount, runBench } from './lib/cli.mjs'

await runBench(['rounds'], async (options) => {
  const source = await loadSource()
  const tables = [
    await measureWire(options),
    await measureBatches(options),
    await measureSizes(source, options),
    await measureTick(source, options, 100_000),
    await measureTick(source, options, 1_000_000),
    await measureRestart(source, options),
  ]
  return { bench: 'beliefs', rounds: roundCount(options, 5), tables }
})
