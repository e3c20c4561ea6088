import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { projectDir } from '../contestants.mjs'

const MODULES = [
  'src/beliefs/beliefs.ts',
  'src/beliefs/graph/graph.ts',
  'src/beliefs/log/graph-store.ts',
  'src/beliefs/log/graph-state.ts',
  'src/beliefs/log/timestamps.ts',
  'src/lineage/chain.ts',
  'src/platform/system/clock.ts',
  'src/platform/log-stores/memory.ts',
  'src/platform/system/salts.ts',
  'src/platform/log-stores/sqlite/log.ts',
  'src/platform/log-stores/sqlite/schema.ts',
  'src/platform/log-stores/sqlite/database.ts',
]

/**
 * The parts of Warrant that are measured without a wire, bundled like the binaries.
 *
 * @returns {Promise<any>}
 */
export async function loadSource() {
  // Beside the installed packages, where the bundle finds the SQLite driver.
  const dir = await mkdtemp(join(projectDir, 'node_modules/.bench-'))
  const outfile = join(dir, 'source.mjs')
  const contents = MODULES.map((path) => `export * from './${path}'`).join('\n')
  try {
    await build({
      stdin: { contents, resolveDir: projectDir },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/**
 * A graph over a log in `store`, as a server keeps it.
 *
 * @param {any} source
 * @param {any} store
 * @param {number} [every] entries between two snapshots, at the least
 */
export function openGraphStore(source, store, every = 1_000) {
  return source.GraphStore.open({
    store,
    name: 'bench',
    config: source.DEFAULT_CONFIG,
    clockMode: 'wall',
    timestamps: source.wallTimestamps(source.systemClock),
    salt: source.randomSalts,
    logger: { write: () => {} },
    snapshotEvery: every,
  })
}

/** @param {() => unknown} work */
export async function cpuOf(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}
