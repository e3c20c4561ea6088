import type { GraphConfig } from '../config.ts'
import { EdgeTable } from './edges.ts'
import { Ledger } from './ledger.ts'
import { NodeTable } from './nodes.ts'
import { TopologicalOrder } from './topological-order.ts'

/** All data of a graph. The operations are in graph.ts. */
export interface Tables {
  readonly nodes: NodeTable
  readonly edges: EdgeTable
  readonly ledger: Ledger
  /** Undefined when cycles are allowed. */
  readonly order: TopologicalOrder | undefined
  tick: number
}

export const emptyTables = (config: GraphConfig): Tables => {
  const edges = new EdgeTable()
  return {
    nodes: new NodeTable(),
    edges,
    ledger: new Ledger(config.pool),
    order: config.allowCycles ? undefined : new TopologicalOrder(edges),
    tick: 0,
  }
}
