import { checkConfig, type GraphConfig, MAX_WEIGHT, requireRange } from '../config.ts'
import { beliefFaults } from '../faults.ts'
import { applyTick, bindEdge, createNode, type GraphChange, mutateNode, type TickResult } from './changes.ts'
import type { EdgeState } from './edges.ts'
import { type Accounts, isValidAmount, recountBalances } from './ledger.ts'
import type { NodeState, NodeTable } from './nodes.ts'
import { edgePull, Propagator } from './propagate.ts'
import { type Margins, readSnapshot, writeSnapshot } from './snapshot.ts'
import { emptyTables, type Tables } from './tables.ts'

/** Audit of a node: is it traceable, in bounds and structurally sound? */
interface NodeAudit {
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
const auditNode = (tables: Tables, config: GraphConfig, id: number): NodeAudit =>
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

export { DEFAULT_CONFIG, type GraphConfig } from '../config.ts'

/** An id from a caller. A bigint is well-formed but larger than any existing id. */
export type EntityId = number | bigint

/** An operation that was applied. */
export interface AppliedOperation<T> extends Omit<GraphChange<T>, 'revert'> {
  /** Restores the former state to the bit. Operations must be undone newest first. */
  readonly undo: () => void
}

/** An incoming edge and how far it moves the node in this tick if its source can pay. */
interface IncomingEdge extends EdgeState {
  readonly pull: number
}

interface GraphHealth {
  readonly drift: number
  /** Share of nodes that no audit has found to be broken. */
  readonly validRatio: number
  readonly coherent: boolean
}

const COHERENT_RATIO = 0.97

const isExistingId = (id: EntityId, count: number): boolean =>
  (typeof id === 'bigint' || Number.isInteger(id)) && id >= 0 && id < count

/** Nodes with a belief and an energy, and weighted edges between them. Total energy is constant. */
export class Graph {
  readonly config: GraphConfig
  readonly #tables: Tables
  readonly #propagator = new Propagator()
  #broken = new Set<number>()
  #worstDrift = 0
  #newest = 0
  #serial = 0

  constructor(config: GraphConfig, tables: Tables = emptyTables(checkConfig(config))) {
    this.config = config
    this.#tables = tables
  }

  /** Throws when `serialize` did not write the bytes, or wrote them with another configuration. */
  static restore(config: GraphConfig, bytes: Uint8Array): Graph {
    return new Graph(config, readSnapshot(checkConfig(config), bytes))
  }

  serialize(margins?: Margins): Buffer {
    return writeSnapshot(this.config, this.#tables, margins)
  }

  createNode(belief: number, energy: number, at: number): AppliedOperation<NodeState> {
    return this.#track(createNode(this.#tables, belief, energy, at))
  }

  /** Succeeds for every existing node: one that cannot pay the full cost pays what it has. */
  mutateNode(id: EntityId, delta: number, at: number): AppliedOperation<NodeState> {
    requireRange('delta', delta, -Number.MAX_VALUE, Number.MAX_VALUE)
    const node = this.#requireNode(id)
    this.#requireIntact(node)
    return this.#track(mutateNode(this.#tables, this.config, node, delta, at))
  }

  bindEdge(src: EntityId, dst: EntityId, weight: number, at: number): AppliedOperation<EdgeState> {
    const strength = requireRange('weight', weight, -MAX_WEIGHT, MAX_WEIGHT)
    return this.#track(bindEdge(this.#tables, this.#requireNode(src), this.#requireNode(dst), strength, at))
  }

  /** One tick over all edges: time proportional to the size of the graph, also when nothing changes. */
  propagate(at: number): AppliedOperation<TickResult> {
    this.#requireAllIntact()
    const plan = this.#propagator.plan(this.#tables.nodes, this.#tables.edges, this.config)
    return this.#track(applyTick(this.#tables, plan, at))
  }

  get nodeCount(): number {
    return this.#tables.nodes.count
  }

  get edgeCount(): number {
    return this.#tables.edges.count
  }

  get tick(): number {
    return this.#tables.tick
  }

  /** The stored arrays, for tests that damage them. Only the operations may write to them. */
  get columns(): Pick<NodeTable, 'cells' | 'checksums'> & { readonly weights: Float64Array } {
    const { nodes, edges } = this.#tables
    return { cells: nodes.cells, checksums: nodes.checksums, weights: edges.weight }
  }

  node(id: EntityId): NodeState {
    return this.#tables.nodes.state(this.#requireNode(id))
  }

  edge(id: EntityId): EdgeState {
    const { edges } = this.#tables
    if (!isExistingId(id, edges.count)) throw beliefFaults.edge_unknown(`Edge not found: ${id}`)
    return edges.state(Number(id))
  }

  *nodes(): Generator<NodeState> {
    for (let id = 0; id < this.nodeCount; id += 1) yield this.#tables.nodes.state(id)
  }

  *edges(): Generator<EdgeState> {
    for (let id = 0; id < this.edgeCount; id += 1) yield this.#tables.edges.state(id)
  }

  outgoing(id: EntityId): EdgeState[] {
    return this.#tables.edges.outgoing(this.#requireNode(id))
  }

  incoming(id: EntityId): IncomingEdge[] {
    const { nodes, edges } = this.#tables
    const to = this.#requireNode(id)
    const inflow = edges.inflow[to] ?? 0
    const pull = ({ src, weight }: EdgeState) =>
      edgePull(this.config.sigma, weight, nodes.belief(src), nodes.belief(to), inflow)
    return edges.incoming(to).map((edge) => ({ ...edge, pull: pull(edge) }))
  }

  accounts(): Accounts {
    return this.#tables.ledger.accounts()
  }

  /** Drift by the ledger's running totals, or the worst drift an audit has found. */
  drift(): number {
    return Math.max(this.#tables.ledger.drift(), this.#worstDrift)
  }

  health(): GraphHealth {
    const drift = this.drift()
    const validRatio = this.nodeCount === 0 ? 1 : 1 - this.#broken.size / this.nodeCount
    return { drift, validRatio, coherent: drift <= this.config.epsilon && validRatio >= COHERENT_RATIO }
  }

  /** Sums the energy of all nodes again and returns the drift. */
  recountEnergy(): number {
    const { nodes, ledger } = this.#tables
    this.#worstDrift = Math.max(this.#worstDrift, ledger.drift(recountBalances(nodes.cells, nodes.count)))
    return this.drift()
  }

  /** Sums all energy again, checks every node and edge, and returns the drift. */
  auditAll(): number {
    const { drift, invalid } = auditAll(this.#tables, this.config)
    this.#broken = new Set(invalid)
    this.#worstDrift = drift
    return drift
  }

  auditNode(id: EntityId): NodeAudit {
    const node = this.#requireNode(id)
    const audit = auditNode(this.#tables, this.config, node)
    if (!audit.valid) this.#markBroken(node, audit.drift)
    return audit
  }

  #markBroken(node: number, drift: number): void {
    this.#broken.add(node)
    this.#worstDrift = Math.max(this.#worstDrift, drift)
  }

  #requireNode(id: EntityId): number {
    if (!isExistingId(id, this.nodeCount)) throw beliefFaults.node_unknown(`Node not found: ${id}`)
    return Number(id)
  }

  /** Throws for a node that was changed outside the commit path: writing it would give the damage a valid checksum. */
  #requireIntact(node: number): void {
    if (this.#tables.nodes.isIntact(node)) return
    this.#markBroken(node, 1)
    throw beliefFaults.seal_broken(`node ${node} differs from the last committed value`)
  }

  #requireAllIntact(): void {
    const { nodes, edges } = this.#tables
    const node = nodes.firstBroken()
    if (node >= 0) this.#requireIntact(node)
    const edge = edges.firstBroken()
    if (edge < 0) return
    this.#worstDrift = 1
    throw beliefFaults.seal_broken(`edge ${edge} differs from the committed value`)
  }

  #track<T>({ result, delta, revert }: GraphChange<T>): AppliedOperation<T> {
    const before = this.#newest
    this.#serial += 1
    const mine = this.#serial
    this.#newest = mine
    const undo = () => {
      if (this.#newest !== mine) throw new Error('operations are undone newest first, and once')
      revert()
      this.#newest = before
    }
    return { result, delta, undo }
  }
}
