import { checkConfig, type GraphConfig, MAX_WEIGHT, requireRange } from '../config.ts'
import { beliefFaults } from '../faults.ts'
import { auditAll, auditNode, type NodeAudit } from './audit.ts'
import { applyTick, bindEdge, createNode, type GraphChange, mutateNode, type TickResult } from './changes.ts'
import type { EdgeState } from './edges.ts'
import { type Accounts, recountBalances } from './ledger.ts'
import type { NodeState, NodeTable } from './nodes.ts'
import { Propagator, pullOf } from './propagate.ts'
import { type Margins, readSnapshot, writeSnapshot } from './snapshot.ts'
import { emptyTables, type Tables } from './tables.ts'

export { DEFAULT_CONFIG, type GraphConfig } from '../config.ts'

/** An id a caller may ask for. Larger than a number can hold is well-formed, and never there. */
export type EntityId = number | bigint

/** An operation that has happened. */
export interface AppliedOperation<T> extends Omit<GraphChange<T>, 'revert'> {
  /** Restores what was, to the bit. Operations are undone newest first. */
  readonly undo: () => void
}

/** An incoming edge, and how far it draws the node this tick if its source can pay. */
export interface IncomingEdge extends EdgeState {
  readonly pull: number
}

export interface GraphHealth {
  readonly drift: number
  /** Share of nodes not known to be broken. */
  readonly validRatio: number
  readonly coherent: boolean
}

const COHERENT_RATIO = 0.97

const isExistingId = (id: EntityId, count: number): boolean =>
  (typeof id === 'bigint' || Number.isInteger(id)) && id >= 0 && id < count

/** Beliefs, the edges between them, and energy that is never made or lost. */
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

  /** Refuses bytes that `serialize` did not write, or wrote under another configuration. */
  static restore(config: GraphConfig, bytes: Uint8Array): Graph {
    return new Graph(config, readSnapshot(checkConfig(config), bytes))
  }

  serialize(margins?: Margins): Buffer {
    return writeSnapshot(this.config, this.#tables, margins)
  }

  createNode(belief: number, energy: number, at: number): AppliedOperation<NodeState> {
    return this.#track(createNode(this.#tables, belief, energy, at))
  }

  /** Always succeeds for a node that is there: who cannot pay all of the cost pays what there is. */
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

  /** One tick over all edges. It costs what the graph's size asks, also when nothing moves any more. */
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

  /** The stored numbers themselves. Only the operations write them; a test may, to see it found out. */
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
    const inflow = edges.inflow[to] as number
    const pull = ({ src, weight }: EdgeState) =>
      pullOf(this.config.sigma, weight, nodes.belief(src), nodes.belief(to), inflow)
    return edges.incoming(to).map((edge) => ({ ...edge, pull: pull(edge) }))
  }

  accounts(): Accounts {
    return this.#tables.ledger.accounts()
  }

  /** By the running book, and what audits have found so far. */
  drift(): number {
    return Math.max(this.#tables.ledger.drift(), this.#worstDrift)
  }

  health(): GraphHealth {
    const drift = this.drift()
    const validRatio = this.nodeCount === 0 ? 1 : 1 - this.#broken.size / this.nodeCount
    return { drift, validRatio, coherent: drift <= this.config.epsilon && validRatio >= COHERENT_RATIO }
  }

  /** Counts the energy anew, cell by cell, and returns the drift it finds. */
  recountEnergy(): number {
    const { nodes, ledger } = this.#tables
    this.#worstDrift = Math.max(this.#worstDrift, ledger.drift(recountBalances(nodes.cells, nodes.count)))
    return this.drift()
  }

  /** Counts and judges everything anew, and returns the drift it finds. */
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

  /** Nothing is built on a value that was not committed: it would be sealed, and the damage with it. */
  #requireIntact(node: number): void {
    if (this.#tables.nodes.isIntact(node)) return
    this.#markBroken(node, 1)
    throw beliefFaults.seal_broken(`node ${node} is not what was last committed`)
  }

  #requireAllIntact(): void {
    const { nodes, edges } = this.#tables
    const node = nodes.firstBroken()
    if (node >= 0) this.#requireIntact(node)
    const edge = edges.firstBroken()
    if (edge < 0) return
    this.#worstDrift = 1
    throw beliefFaults.seal_broken(`edge ${edge} is not what was bound`)
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
