import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Growth of the resident set after which a collection is forced. */
const GROWTH_BYTES = 256 * 1024 * 1024

let collectGarbage: (() => void) | undefined

const findCollector = (): (() => void) => {
  setFlagsFromString('--expose_gc')
  return runInNewContext('gc')
}

/** Finalizers, which release native memory, run between two turns of the event loop. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The first round frees the nodes, the second the tree that they referenced. */
const collectAll = async (): Promise<void> => {
  collectGarbage ??= findCollector()
  for (let round = 0; round < 2; round += 1) {
    collectGarbage()
    await nextTurn()
  }
}

/**
 * Syntax trees are native memory: V8 sees a few bytes where there are hundreds of megabytes and would not collect. Await
 * the result between two files. Most nodes die young, and the turn frees what V8 has collected of them; a collection is
 * forced when that is not enough.
 */
export const createCollector = (): (() => Promise<void>) => {
  let last = process.memoryUsage.rss()
  return async () => {
    await nextTurn()
    if (process.memoryUsage.rss() - last < GROWTH_BYTES) return
    await collectAll()
    last = process.memoryUsage.rss()
  }
}
