import type { JsonObject } from '../../kernel/encoding/json.ts'
import type { EntityId, Graph } from './graph.ts'

/** The operations on a graph. `op` and `args` are all that a replay needs. */
export type Operation =
  | {
      readonly op: 'node.create'
      readonly args: {
        readonly belief: number
        readonly energy: number
        /** The statement the node stands for. Never shown to agents as part of the topology. */
        readonly claim?: string
        /** Digest of the evidence for the claim. */
        readonly evidence?: string
      }
    }
  | { readonly op: 'node.mutate'; readonly args: { readonly node: EntityId; readonly delta: number } }
  | {
      readonly op: 'edge.bind'
      readonly args: { readonly src: EntityId; readonly dst: EntityId; readonly weight: number }
    }
  | { readonly op: 'edge.propagate'; readonly args: JsonObject }
  | { readonly op: 'governor.correction'; readonly args: JsonObject }
  | { readonly op: 'lineage.repair'; readonly args: JsonObject }
  | { readonly op: 'lineage.erase'; readonly args: Erasure }

/** Record of a payload that an operator erased from the log. */
export interface Erasure {
  readonly seq: number
  readonly reason: string
  /** The node whose claim is erased with it. */
  readonly node?: number
}

export interface OperationResult {
  readonly result: JsonObject
  /** Digest of all changed records; empty for operations that change none. */
  readonly delta: string
  readonly undo: () => void
}

const NO_UNDO = (): void => {}

/** Executes an operation. A fault leaves the graph unchanged. */
export const execute = (graph: Graph, { op, args }: Operation, at: number): OperationResult => {
  switch (op) {
    case 'node.create':
      return graph.createNode(args.belief, args.energy, at)
    case 'node.mutate':
      return graph.mutateNode(args.node, args.delta, at)
    case 'edge.bind':
      return graph.bindEdge(args.src, args.dst, args.weight, at)
    case 'edge.propagate':
      return graph.propagate(at)
    case 'governor.correction':
    case 'lineage.repair':
    case 'lineage.erase':
      return { result: {}, delta: '', undo: NO_UNDO }
  }
}
