import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How much the process may grow before somebody tidies up. */
const STEP = 256 * 1024 * 1024

let collector: (() => void) | undefined

const findCollector = (): (() => void) => {
  setFlagsFromString('--expose_gc')
  return runInNewContext('gc') as () => void
}

/**
 * What native code holds for objects that are gone is given back in the turn after the collection: first the nodes,
 * and then, with nobody left who holds it, the tree.
 */
const release = async (): Promise<void> => {
  collector ??= findCollector()
  for (let round = 0; round < 2; round += 1) {
    collector()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/**
 * Syntax trees are native: the collector sees a few bytes where there are hundreds of megabytes, and would never
 * come by itself. Whoever parses much asks this between two files, and waits when there is something to wait for.
 */
export const createCollector = (): (() => Promise<void> | undefined) => {
  let last = process.memoryUsage.rss()
  return () => {
    if (process.memoryUsage.rss() - last < STEP) return undefined
    return release().then(() => {
      last = process.memoryUsage.rss()
    })
  }
}
