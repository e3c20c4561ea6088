// Opens a log once, from its newest snapshot or from the genesis, and tells what that took: `reopen.mjs FILE FROM`.

import { cpuOf, loadSource, openGraphStore } from './lib/beliefs/source.mjs'

const [file = '', from = 'snapshot'] = process.argv.slice(2)
const source = await loadSource()
const store = source.sqliteLogs(file)
const PAGE = 1_000
let verified = 0

/** Counts what is followed, and hides the snapshots where the start shall do without. */
const counting = {
  ...store,
  open: async (/** @type {string} */ name, /** @type {string} */ genesis) => {
    const log = await store.open(name, genesis)
    const read = log.read.bind(log)
    log.read = (/** @type {number} */ start, /** @type {number} */ limit) => {
      const rows = read(start, limit)
      // Entries are gone through by the page. Smaller reads look up the place to start from.
      if (limit >= PAGE) verified += rows.length
      return rows
    }
    if (from === 'genesis') log.snapshots = () => []
    // The next one shall find the log as this one did.
    log.saveSnapshot = () => {}
    return log
  },
}

const began = performance.now()
const cpu = await cpuOf(() => openGraphStore(source, counting))
const wall = performance.now() - began
console.log(JSON.stringify({ cpu: cpu / 1000, wall, verified, rss: process.memoryUsage().rss / 2 ** 20 }))
process.exit(0)
