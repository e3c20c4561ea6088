// Exact search over vectors: Warrant's index in files against a loop over the floats in memory.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { main, readOptions, roundCount, text } from './lib/cli.mjs'
import { projectDir } from './lib/contestants.mjs'
import { reportText, Samples } from './lib/report.mjs'
import { interleave } from './lib/rounds.mjs'
import { Stop } from './lib/stop.mjs'

const DIM = 384
const K = 10
const QUERIES = 5
const CLUSTERS = 200

/**
 * What is measured, bundled as the product bundles it.
 *
 * @param {string} folder
 */
async function loadSearch(folder) {
  const { build } = createRequire(join(projectDir, 'package.json'))('esbuild')
  const outfile = join(folder, 'search.mjs')
  await build({
    stdin: {
      contents: `
        export { openVectors } from './src/platform/vectors.ts'
        export { systemClock } from './src/platform/clock.ts'
        export { writeFlat } from './src/packets/format/faiss.ts'`,
      resolveDir: projectDir,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
  })
  return import(pathToFileURL(outfile).href)
}

/** Numbers between -1 and 1 that are the same in every run. */
function numbers() {
  let state = 42
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return (state >>> 8) / 2 ** 23 - 1
  }
  return () => next() + next() + next()
}

/** @param {Float32Array} row */
function scaleToOne(row) {
  let sum = 0
  for (const value of row) sum += value * value
  for (let i = 0; i < row.length; i++) row[i] = /** @type {number} */ (row[i]) / Math.sqrt(sum)
}

/**
 * @param {number} rows
 * @param {boolean} clustered
 * @param {() => number} next
 */
function makeRows(rows, clustered, next) {
  const centres = Float32Array.from({ length: CLUSTERS * DIM }, next)
  const values = new Float32Array(rows * DIM)
  for (let row = 0; row < rows; row++) {
    const centre = (row % CLUSTERS) * DIM
    for (let i = 0; i < DIM; i++)
      values[row * DIM + i] = next() * (clustered ? 0.4 : 1) + (clustered ? (centres[centre + i] ?? 0) : 0)
    scaleToOne(values.subarray(row * DIM, (row + 1) * DIM))
  }
  return values
}

/**
 * @param {Float32Array} values
 * @param {Float32Array} query
 */
function plainLoop(values, query) {
  /** @type {{ row: number, score: number }[]} */
  const best = []
  for (let row = 0, at = 0; at < values.length; row++, at += DIM) {
    let score = 0
    for (let i = 0; i < DIM; i++)
      score += /** @type {number} */ (query[i]) * /** @type {number} */ (values[at + i])
    if (best.length === K && score <= (best[K - 1]?.score ?? 0)) continue
    let place = best.length
    while (place > 0 && (best[place - 1]?.score ?? 0) < score) place--
    best.splice(place, 0, { row, score })
    if (best.length > K) best.pop()
  }
  return best
}

/** @param {() => unknown} work */
function measure(work) {
  const [before, start] = [process.cpuUsage(), performance.now()]
  work()
  const used = process.cpuUsage(before)
  return { cpu: (used.user + used.system) / 1000 / QUERIES, wall: (performance.now() - start) / QUERIES }
}

const COLUMNS = [
  { key: 'cpu', label: 'CPU per search, ms', digits: 2, best: /** @type {const} */ ('min') },
  { key: 'wall', label: 'wall per search, ms', digits: 2, best: /** @type {const} */ ('min') },
]

/**
 * @param {any} search
 * @param {string} folder
 * @param {number} rows
 * @param {boolean} clustered
 * @param {number} rounds
 */
async function compare(search, folder, rows, clustered, rounds) {
  const next = numbers()
  const values = makeRows(rows, clustered, next)
  const queries = Array.from({ length: QUERIES }, (_, i) => {
    const row = values.slice(((i * 7919) % rows) * DIM, (((i * 7919) % rows) + 1) * DIM)
    const query = row.map((value) => value + 0.05 * next())
    scaleToOne(query)
    return query
  })
  const name = `${rows}-${clustered}`
  const files = { index: join(folder, `${name}.faiss`), table: join(folder, `${name}.i8`) }
  await writeFile(files.index, search.writeFlat({ rows, dim: DIM, values }))
  const index = await search.openVectors(files, { rows, dim: DIM }, search.systemClock)
  for (const query of queries) {
    if (JSON.stringify(index.search(query, K)) !== JSON.stringify(plainLoop(values, query)))
      throw new Stop(`the searches over ${rows} rows disagree`)
  }
  const contestants = [
    { name: 'plain loop', work: () => queries.map((query) => plainLoop(values, query)) },
    { name: 'warrant', work: () => queries.map((query) => index.search(query, K)) },
  ]
  const kind = clustered ? 'clustered' : 'random'
  const samples = new Samples(`top ${K} of ${rows} × ${DIM}, ${kind}`, COLUMNS)
  await interleave(
    contestants,
    rounds,
    async ({ work }) => measure(work),
    (contestant, figures) => samples.add(contestant.name, figures),
  )
  index.close()
  return samples.table(
    contestants.map((contestant) => contestant.name),
    ['plain loop'],
  )
}

await main(async () => {
  const options = readOptions(['rounds', 'rows'])
  const rounds = roundCount(options, 9)
  const sizes = text(options, 'rows')?.split(',').map(Number) ?? (options.quick ? [1000] : [10_000, 100_000])
  if (sizes.some((size) => !Number.isSafeInteger(size) || size < K))
    throw new Stop('--rows takes whole numbers')
  const folder = await mkdtemp(join(tmpdir(), 'warrant-bench-'))
  try {
    const search = await loadSearch(folder)
    const tables = []
    for (const rows of sizes)
      for (const clustered of [false, true])
        tables.push(await compare(search, folder, rows, clustered, rounds))
    const report = { bench: 'Packets: exact search', rounds, cpuSource: 'getrusage', tables }
    console.log(options.json ? JSON.stringify(report, null, 2) : reportText(report))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
