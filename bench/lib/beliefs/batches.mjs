import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { callCount, roundCount } from '../cli.mjs'
import { benchDir } from '../contestants.mjs'
import { Samples } from '../report.mjs'
import { interleave } from '../rounds.mjs'

const BATCH = 64

/**
 * Each has a process of its own: in one, whoever comes next would pay for the garbage of the one before.
 *
 * @param {string} name
 * @param {'raw' | 'store' | 'whole'} way
 * @param {number} count
 */
async function startWriter(name, way, count) {
  const child = fork(join(benchDir, 'batch-writer.mjs'), [way, String(count)])
  await once(child, 'message')
  return {
    name,
    child,
    write: async () => {
      child.send('go')
      const [values] = await once(child, 'message')
      return values
    },
  }
}

/**
 * What durable creates cost in batches, against nothing but the inserts of the same bytes.
 *
 * @param {import('../cli.mjs').Options} options
 */
export async function measureBatches(options) {
  const count = BATCH * callCount(options, 600)
  const contestants = [
    await startWriter('raw inserts', 'raw', count),
    await startWriter('store', 'store', count),
    await startWriter('graph, lineage and store', 'whole', count),
  ]
  const samples = new Samples(`durable creates in SQLite, batches of ${BATCH}`, [
    { key: 'cpu', label: 'CPU per create, µs', digits: 2, best: 'min' },
    { key: 'rate', label: 'creates per second, 1/s', digits: 0, best: 'max' },
  ])
  await interleave(
    contestants,
    roundCount(options, 5),
    ({ write }) => write(),
    ({ name }, values) => samples.add(name, values),
  )
  for (const { child } of contestants) child.disconnect()
  return samples.table(
    contestants.map(({ name }) => name),
    ['raw inserts'],
  )
}
