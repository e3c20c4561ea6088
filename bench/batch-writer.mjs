// Writes creates in batches, one way or another, whenever it is told to: `batch-writer.mjs WAY COUNT`.

import { join } from 'node:path'
import { cpuOf, loadSource, openGraphStore } from './lib/beliefs/source.mjs'
import { freshDir } from './lib/server.mjs'

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
  const graphStore = await openGraphStore(source, store)
  const creates = Array.from({ length: count }, () =>
    graphStore.replica.submit({ op: 'node.create', args: { belief: 0.5, energy: 1 } }),
  )
  await Promise.all(creates)
  return graphStore.log.read(0, count)
}

/**
 * The table and the statement anybody would write, in a file with our settings.
 *
 * @param {any} source
 * @param {any[]} rows
 */
async function rawInserts(source, rows) {
  const db = await source.openDatabase(join(freshDir(), 'raw.db'))
  source.configureConnection(db)
  source.createSqliteTables(db)
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
  const graphStore = await openGraphStore(source, store)
  const beliefs = new source.Beliefs({ graphStore, version: '', writeFile: async () => {} })
  const values = await timeBatches(rows, (batch) =>
    Promise.all(batch.map(() => beliefs.createNode({ belief: 0.5, energy: 1 }))),
  )
  await graphStore.close()
  await store.close()
  return values
}

const ways = { raw: rawInserts, store: storeAppends, whole: wholePath }
const [way = '', count = '0'] = process.argv.slice(2)
const source = await loadSource()
// Whoever makes its own rows shall not have to carry these.
const rows = way === 'whole' ? new Array(Number(count)).fill(0) : await makeRows(source, Number(count))
process.on('message', async () => {
  process.send?.(await ways[/** @type {keyof typeof ways} */ (way)](source, rows))
})
process.send?.('ready')
