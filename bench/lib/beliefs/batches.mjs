import { join } from 'node:path'
import { callCount, roundCount } from '../cli.mjs'
import { Samples } from '../report.mjs'
import { interleave } from '../rounds.mjs'
import { freshDir } from '../server.mjs'
import { cpuOf, openKeeper } from './source.mjs'

const BATCH = 64

/**
 * Calls `write` with one batch of rows after the other.
 *
 * @param {any[]} rows
 * @param {(batch: any[], from: number) => unknown} write
 */
async function timeBatches(rows, write) {
  const began = performance.now()
  const cpu = await cpuOf(async () => {
    for (let from = 0; from < rows.length; from += BATCH) await write(rows.slice(from, from + BATCH), from)
  })
  const seconds = (performance.now() - began) / 1000
  return { cpu: cpu / rows.length, rate: rows.length / seconds }
}

/**
 * Rows as creating nodes makes them.
 *
 * @param {any} source
 * @param {number} count
 * @returns {Promise<any[]>}
 */
async function makeRows(source, count) {
  const store = source.memoryLogs()
  const keeper = await openKeeper(source, store)
  const creates = Array.from({ length: count }, () =>
    keeper.replica.submit({ op: 'node.create', args: { belief: 0.5, energy: 1 } }),
  )
  await Promise.all(creates)
  return keeper.log.read(0, count)
}

/**
 * The table and the statement anybody would write, in a file with our settings.
 *
 * @param {any} source
 * @param {any[]} rows
 */
async function rawInserts(source, rows) {
  const db = await source.openDatabase(join(freshDir(), 'raw.db'))
  source.setUp(db)
  source.createTables(db)
  db.exec('CREATE TABLE entries (id INTEGER PRIMARY KEY, entry BLOB NOT NULL, payload BLOB) STRICT')
  const insert = db.prepare('INSERT INTO entries (id, entry, payload) VALUES (?, ?, ?)')
  const bytes = rows.map(({ seq, entry, payload }) => ({
    id: 2 ** 32 + seq,
    entry: Buffer.from(entry),
    payload: Buffer.from(payload),
  }))
  const values = await timeBatches(bytes, (batch) => {
    db.exec('BEGIN IMMEDIATE')
    for (const { id, entry, payload } of batch) insert.run(id, entry, payload)
    db.exec('COMMIT')
  })
  db.close()
  return values
}

/**
 * @param {any} source
 * @param {any[]} rows
 */
async function storeAppends(source, rows) {
  const store = source.sqliteLogs(join(freshDir(), 'lineage.db'))
  const log = await store.open('bench', '{}')
  const values = await timeBatches(rows, (batch, from) => log.append(from, batch, []))
  await store.close()
  return values
}

/**
 * @param {any} source
 * @param {any[]} rows
 */
async function wholePath(source, rows) {
  const store = source.sqliteLogs(join(freshDir(), 'lineage.db'))
  const keeper = await openKeeper(source, store)
  const beliefs = new source.Beliefs({ keeper, version: '', writeFile: async () => {} })
  const values = await timeBatches(rows, (batch) =>
    Promise.all(batch.map(() => beliefs.createNode({ belief: 0.5, energy: 1 }))),
  )
  await keeper.close()
  await store.close()
  return values
}

/**
 * What durable creates cost in batches, against nothing but the inserts of the same bytes.
 *
 * @param {any} source
 * @param {import('../cli.mjs').Options} options
 */
export async function measureBatches(source, options) {
  const rows = await makeRows(source, BATCH * callCount(options, 600))
  const contestants = [
    { name: 'raw inserts', run: rawInserts },
    { name: 'store', run: storeAppends },
    { name: 'graph, lineage and store', run: wholePath },
  ]
  const samples = new Samples(`durable creates in SQLite, batches of ${BATCH}, in one process`, [
    { key: 'cpu', label: 'CPU per create, µs', digits: 2, best: 'min' },
    { key: 'rate', label: 'creates per second, 1/s', digits: 0, best: 'max' },
  ])
  await interleave(
    contestants,
    roundCount(options, 5),
    ({ run }) => run(source, rows),
    ({ name }, values) => samples.add(name, values),
  )
  return samples.table(
    contestants.map(({ name }) => name),
    ['raw inserts'],
  )
}
