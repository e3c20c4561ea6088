import { Fault } from '../../kernel/fault.ts'
import { readEntry } from '../../lineage/read-rows.ts'
import type { Row } from '../../lineage/store.ts'
import { Graph, type GraphConfig } from '../graph/graph.ts'
import { GraphState } from './graph-state.ts'

export type ReplayVerdict =
  | { readonly outcome: 'same'; readonly entries: number }
  | { readonly outcome: 'differs'; readonly at: number; readonly why: string }
  | { readonly outcome: 'erased'; readonly at: number }

/** Does everything again from the genesis and reports the first entry that comes out otherwise. */
export const verifyReplay = async (config: GraphConfig, rows: AsyncIterable<Row>): Promise<ReplayVerdict> => {
  const state = new GraphState(new Graph(config))
  let entries = 0
  for await (const row of rows) {
    // What an operator erased is proven to have been there, and can no longer be done again.
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
