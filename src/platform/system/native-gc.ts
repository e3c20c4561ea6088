import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Growth of the resident set after which a collection is forced. */
const GROWTH_BYTES = 256 * 1024 * 1024

let collectGarbage: (() => void) | undefined

const findCollector = (): (() => void) => {
  setFlagsFromString('--expose_gc')
  return runInNewContext('gc') as () => void
}

/**
 * Native memory is released by finalizers, which run in the turn after the collection. The first round frees the nodes,
 * the second the tree that they referenced.
 */
const freeNativeMemory = async (): Promise<void> => {
  collectGarbage ??= findCollector()
  for (let round = 0; round < 2; round += 1) {
    collectGarbage()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/**
 * Syntax trees are native memory: V8 sees a few bytes where there are hundreds of megabytes and would not collect. Call
 * the result between two files; it returns a promise when a collection was necessary.
 */
export const createCollector = (): (() => Promise<void> | undefined) => {
  let last = process.memoryUsage.rss()
  return () => {
    if (process.memoryUsage.rss() - last < GROWTH_BYTES) return undefined
    return freeNativeMemory().then(() => {
      last = process.memoryUsage.rss()
    })
  }
}
