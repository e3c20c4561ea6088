import type { JsonObject } from '../../kernel/encoding/json.ts'
import type { EntityId, Graph } from './graph.ts'

/** Everything that can happen to a graph. What it says is all that re-execution needs. */
export type Operation =
  | {
      readonly op: 'node.create'
      readonly args: {
        readonly belief: number
        readonly energy: number
        /** What the node stands for, in words. Never shown to agents as part of the topology. */
        readonly claim?: string
        /** Digest of what it rests on. */
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

/** What an operator took out of the log, so that nobody wonders where it went. */
export interface Erasure {
  readonly seq: number
  readonly reason: string
  /** The node whose claim goes with it. */
  readonly node?: number
}

/** What an operation did, and the way back. */
export interface OperationResult {
  readonly result: JsonObject
  /** Digest of every record that changed; empty for operations that change none. */
  readonly delta: string
  readonly undo: () => void
}

const NO_UNDO = (): void => {}

/** Carries out an operation. A fault leaves the graph as it was. */
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
