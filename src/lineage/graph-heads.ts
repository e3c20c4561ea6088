import type { JsonObject } from '../kernel/encoding/json.ts'
import { DECISION_LOG } from './origin.ts'
import { readEntry } from './read-rows.ts'
import type { LogStore } from './store.ts'

/**
 * Size and newest checksum of each belief graph in a store. Graphs have logs of their own; with their heads in the log
 * of decisions, a proof about that log also shows that a graph was not rewritten since.
 */
export const readGraphHeads = async (store: LogStore): Promise<readonly JsonObject[]> => {
  const heads: JsonObject[] = []
  for (const graph of (await store.names()).toSorted()) {
    const log = graph === DECISION_LOG ? undefined : await store.find(graph)
    const { size, entry } = (await log?.head()) ?? { size: 0, entry: null }
    if (entry !== null)
      heads.push({ graph, size, head: readEntry({ seq: size - 1, entry, payload: null }).checksum })
  }
  return heads
}
