import { type GraphConfig, MAX_WEIGHT } from '../config.ts'
import { isValidAmount, recountBalances } from './ledger.ts'
import type { Tables } from './tables.ts'

/** How far a node is from the anchor: fully traceable, harmless, structurally coherent. */
export interface NodeAudit {
  /** 1 when the stored values are the ones that were committed, else 0. */
  readonly truth: number
  /** 0 when belief and energy are values there can be; 1 when they are not. */
  readonly harm: number
  /** 1 when every edge of the node is sound, else 0. */
  readonly coherence: number
  /** The worst of the three distances. */
  readonly drift: number
  readonly valid: boolean
}

const isEdgeValid = ({ nodes, edges, order }: Tables, id: number): boolean => {
  const { src, dst, weight } = edges.state(id)
  return (
    src < nodes.count &&
    dst < nodes.count &&
    Math.abs(weight) <= MAX_WEIGHT &&
    (order?.allows(src, dst) ?? true) &&
    edges.isIntact(id)
  )
}

const nodeHarm = ({ nodes }: Tables, id: number): number => {
  const belief = nodes.belief(id)
  const outside = Math.max(0, -belief, belief - 1)
  return outside <= 1 && isValidAmount(nodes.amount(id)) ? outside : 1
}

const areEdgesValid = (tables: Tables, id: number): boolean => {
  const { edges } = tables
  for (let edge = edges.newestIn(id); edge >= 0; edge = edges.olderIn(edge)) {
    if (!isEdgeValid(tables, edge)) return false
  }
  for (let edge = edges.newestOut(id); edge >= 0; edge = edges.olderOut(edge)) {
    if (!isEdgeValid(tables, edge)) return false
  }
  return true
}

const scoreNode = (truth: number, harm: number, coherence: number, { epsilon }: GraphConfig): NodeAudit => {
  const drift = Math.max(1 - truth, harm, 1 - coherence)
  return { truth, harm, coherence, drift, valid: drift <= epsilon }
}

/** Looks at one node and its edges. */
export const auditNode = (tables: Tables, config: GraphConfig, id: number): NodeAudit =>
  scoreNode(
    tables.nodes.isIntact(id) ? 1 : 0,
    nodeHarm(tables, id),
    areEdgesValid(tables, id) ? 1 : 0,
    config,
  )

export interface FullAudit {
  /** The larger of what the second book is off by and the worst node. */
  readonly drift: number
  readonly invalid: ReadonlySet<number>
}

/** Looks at everything: counts the energy again, cell by cell, and judges every node and edge once. */
export const auditAll = (tables: Tables, config: GraphConfig): FullAudit => {
  const { nodes, edges, ledger } = tables
  const invalid = new Set<number>()
  let drift = ledger.drift(recountBalances(nodes.cells, nodes.count))
  for (let edge = 0; edge < edges.count; edge += 1) {
    if (isEdgeValid(tables, edge)) continue
    drift = Math.max(drift, 1)
    const { src, dst } = edges.state(edge)
    for (const end of [src, dst]) if (end < nodes.count) invalid.add(end)
  }
  for (let id = 0; id < nodes.count; id += 1) {
    const audit = scoreNode(nodes.isIntact(id) ? 1 : 0, nodeHarm(tables, id), 1, config)
    drift = Math.max(drift, audit.drift)
    if (!audit.valid) invalid.add(id)
  }
  return { drift, invalid }
}
