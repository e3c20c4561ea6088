import { Fault } from '../../kernel/fault.ts'
import { readEntry } from '../../lineage/read-rows.ts'
import type { Row } from '../../lineage/store.ts'
import { Graph, type GraphConfig } from '../graph/graph.ts'
import { GraphState } from './graph-state.ts'

type ReplayVerdict =
  | { readonly outcome: 'same'; readonly entries: number }
  | { readonly outcome: 'differs'; readonly at: number; readonly why: string }
  | { readonly outcome: 'erased'; readonly at: number }

/** Replays the log from the genesis and reports the first entry whose result differs. */
export const verifyReplay = async (config: GraphConfig, rows: AsyncIterable<Row>): Promise<ReplayVerdict> => {
  const state = new GraphState(new Graph(config))
  let entries = 0
  for await (const row of rows) {
    // The hash chain still proves an erased entry, but it cannot be replayed without its payload.
    if (row.payload === null) return { outcome: 'erased', at: row.seq }
    try {
      state.replay(readEntry(row), row.payload)
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      return { outcome: 'differs', at: row.seq, why: thrown.message }
    }
    entries += 1
  }
  return { outcome: 'same', entries }
}
