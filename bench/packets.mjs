// Packets: exact search next to FAISS, a question to a packet that is open, the first question of a new process, and
// what a build costs.

import { roundCount, runBench, text } from './lib/cli.mjs'
import { benchBuild, benchLarge } from './lib/packets/build.mjs'
import { benchFirst } from './lib/packets/first.mjs'
import { benchHit } from './lib/packets/hit.mjs'
import { benchSearch } from './lib/packets/search.mjs'
import { benchStall } from './lib/packets/stall.mjs'
import { Stop } from './lib/stop.mjs'

/** @type {Readonly<Record<string, (rounds: number, quick: boolean, sizes: number[] | undefined) => Promise<any[]>>>} */
const PARTS = {
  search: (rounds, quick, sizes) =>
    benchSearch(sizes ?? (quick ? [1000] : [10_000, 100_000, 1_000_000]), rounds),
  hit: (rounds, quick, sizes) => benchHit(sizes ?? (quick ? [1000] : [1000, 10_000, 100_000]), rounds),
  first: (rounds, quick, sizes) => benchFirst(sizes ?? (quick ? [1000] : [10_000, 1_000_000]), rounds),
  stall: (rounds, quick, sizes) => benchStall(sizes?.[0] ?? (quick ? 10_000 : 1_000_000), rounds),
  build: (rounds, quick) => benchBuild(rounds, quick),
  large: (rounds, quick, sizes) =>
    benchLarge(sizes ?? (quick ? [1000] : [10_000, 100_000, 1_000_000]), rounds, quick),
}

await runBench(['rounds', 'rows', 'only'], async (options) => {
  const rounds = roundCount(options, 5)
  const sizes = text(options, 'rows')?.split(',').map(Number)
  if (sizes?.some((size) => !Number.isSafeInteger(size) || size < 100))
    throw new Stop('--rows takes whole numbers of 100 or more')
  const names = text(options, 'only')?.split(',') ?? Object.keys(PARTS)
  const tables = []
  for (const name of names) {
    const part = PARTS[name]
    if (part === undefined) throw new Stop(`--only takes ${Object.keys(PARTS).join(', ')}`)
    tables.push(...(await part(rounds, options.quick === true, sizes)))
  }
  return { bench: 'Packets', rounds, tables }
})
