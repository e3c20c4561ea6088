import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { roundCount } from '../cli.mjs'
import { benchDir } from '../contestants.mjs'
import { Samples } from '../report.mjs'
import { interleave } from '../rounds.mjs'
import { freshDir } from '../server.mjs'
import { openGraphStore } from './source.mjs'

const BATCH = 256
const TAIL = 1_000

/**
 * @param {any} graphStore
 * @param {number} count
 */
async function addNodes(graphStore, count) {
  for (let done = 0; done < count; done += BATCH) {
    const some = Array.from({ length: Math.min(BATCH, count - done) }, () =>
      graphStore.replica.submit({ op: 'node.create', args: { belief: 0.5, energy: 1 } }),
    )
    await Promise.all(some)
  }
}

/**
 * A log with a snapshot near its end, as a server leaves it that was killed.
 *
 * @param {any} source
 * @param {number} entries
 */
async function writeLog(source, entries) {
  const file = join(freshDir(), 'lineage.db')
  const store = source.sqliteLogs(file)
  const first = await openGraphStore(source, store)
  await addNodes(first, entries - TAIL)
  await first.close()
  await addNodes(await openGraphStore(source, store), TAIL)
  await store.close()
  return file
}

/**
 * What a start costs by where it starts from. Each in a process of its own, so that its memory can be told.
 *
 * @param {any} source
 * @param {import('../cli.mjs').Options} options
 */
export async function measureRestart(source, options) {
  const entries = options.quick ? 100_000 : 1_000_000
  const file = await writeLog(source, entries)
  const contestants = ['genesis', 'snapshot']
  const samples = new Samples(`start with ${entries} entries in SQLite`, [
    { key: 'cpu', label: 'CPU, ms', digits: 0, best: 'min' },
    { key: 'wall', label: 'wall, ms', digits: 0, best: 'min' },
    { key: 'verified', label: 'entries verified', digits: 0, best: 'min' },
    { key: 'rss', label: 'RSS afterwards, MiB', digits: 0, best: 'min' },
  ])
  await interleave(
    contestants,
    Math.min(3, roundCount(options, 3)),
    async (from) =>
      JSON.parse(
        execFileSync(process.execPath, [join(benchDir, 'reopen.mjs'), file, from], { encoding: 'utf8' }),
      ),
    (name, values) => samples.add(name, values),
  )
  return samples.table(contestants, ['genesis'])
}
