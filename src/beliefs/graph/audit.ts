import { type GraphConfig, MAX_WEIGHT } from '../config.ts'
import { isValidAmount, recountBalances } from './ledger.ts'
import type { Tables } from './tables.ts'

/** Audit of a node: is it traceable, in bounds and structurally sound? */
export interface NodeAudit {
  /** 1 when the stored values match their checksum, else 0. */
  readonly truth: number
  /** How far the belief is outside 0 to 1, at most 1; 1 for an impossible energy. */
  readonly harm: number
  /** 1 when all edges of the node are valid, else 0. */
  readonly coherence: number
  /** The largest of the three deviations. */
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

/** Audits one node and its edges. */
export const auditNode = (tables: Tables, config: GraphConfig, id: number): NodeAudit =>
  scoreNode(
    tables.nodes.isIntact(id) ? 1 : 0,
    nodeHarm(tables, id),
    areEdgesValid(tables, id) ? 1 : 0,
    config,
  )

interface FullAudit {
  /** The larger of the recounted energy drift and the drift of the worst node. */
  readonly drift: number
  readonly invalid: ReadonlySet<number>
}

/** Sums the energy of all nodes again, and audits every node and edge once. */
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
