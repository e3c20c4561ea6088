import { createHash, hash } from 'node:crypto'
import { type GraphConfig, MAX_ENERGY, requireRange } from '../config.ts'
import { beliefFaults } from '../faults.ts'
import { MAX_ROWS } from './columns.ts'
import type { EdgeState } from './edges.ts'
import { CELL, compareAmounts, splitEnergy, subtractAmounts, toQuanta } from './energy.ts'
import { sumBalances } from './ledger.ts'
import type { NodeState } from './nodes.ts'
import { clampBelief, type TickPlan } from './propagate.ts'
import type { Tables } from './tables.ts'

/*
 * Binary form of the records that an operation changed: by ascending id, big-endian, without padding.
 *   node, 40 bytes: id u64 | belief f64 | h f64 | m f64 | l f64
 *   edge, 32 bytes: id u64 | src u64 | dst u64 | weight f64
 */
const NODE_BYTES = 40
const EDGE_BYTES = 32
const PER_CHUNK = 2048

const chunk = new DataView(new ArrayBuffer(NODE_BYTES * PER_CHUNK))
const bytes = new Uint8Array(chunk.buffer)

// Ids are table rows and therefore below 2^31.
const putId = (offset: number, id: number): void => {
  chunk.setUint32(offset, 0)
  chunk.setUint32(offset + 4, id)
}

const packNode = (offset: number, id: number, cells: Float64Array): void => {
  putId(offset, id)
  const cell = id * CELL
  chunk.setFloat64(offset + 8, cells[cell] ?? 0)
  chunk.setFloat64(offset + 16, cells[cell + 1] ?? 0)
  chunk.setFloat64(offset + 24, cells[cell + 2] ?? 0)
  chunk.setFloat64(offset + 32, cells[cell + 3] ?? 0)
}

const oneNode = bytes.subarray(0, NODE_BYTES)
const oneEdge = bytes.subarray(0, EDGE_BYTES)

/** SHA-256 of one node's record, in hexadecimal. */
const nodeDelta = (id: number, cells: Float64Array): string => {
  packNode(0, id, cells)
  return hash('sha256', oneNode, 'hex')
}

/** SHA-256 of the records of many nodes, in hexadecimal. */
const nodesDelta = (ids: Uint32Array, cells: Float64Array): string => {
  if (ids.length <= PER_CHUNK) return hash('sha256', packNodes(ids, cells), 'hex')
  const whole = createHash('sha256')
  for (let from = 0; from < ids.length; from += PER_CHUNK) {
    whole.update(packNodes(ids.subarray(from, from + PER_CHUNK), cells))
  }
  return whole.digest('hex')
}

/** The returned bytes are overwritten by the next call. */
const packNodes = (ids: Uint32Array, cells: Float64Array): Uint8Array => {
  for (let n = 0; n < ids.length; n += 1) packNode(n * NODE_BYTES, ids[n] ?? 0, cells)
  return bytes.subarray(0, ids.length * NODE_BYTES)
}

/** SHA-256 of one edge's record, in hexadecimal. */
const edgeDelta = ({ id, src, dst, weight }: EdgeState): string => {
  putId(0, id)
  putId(8, src)
  putId(16, dst)
  chunk.setFloat64(24, weight)
  return hash('sha256', oneEdge, 'hex')
}

/** One executed operation. Everything that can fail happens before the first write. */
export interface GraphChange<T> {
  readonly result: T
  /** SHA-256 of the changed records, 64 hexadecimal digits. */
  readonly delta: string
  readonly revert: () => void
}

export type TickResult = {
  readonly tick: number
  /** Number of nodes whose belief or energy changed. */
  readonly nodesUpdated: number
  readonly edgesProcessed: number
  /** Largest change of a belief. */
  readonly maxChange: number
  readonly converged: boolean
}

const CONVERGED = 1e-12

/** Moves energy from the reserve to the new node. */
export const createNode = (
  tables: Tables,
  belief: number,
  energy: number,
  at: number,
): GraphChange<NodeState> => {
  const { nodes, edges, ledger, order } = tables
  const first = requireRange('belief', belief, 0, 1)
  const amount = splitEnergy(requireRange('energy', energy, 0, MAX_ENERGY))
  const quanta = toQuanta(amount)
  ledger.requireReserve(quanta)
  if (nodes.count === MAX_ROWS) throw beliefFaults.graph_full('the graph has the maximum number of nodes')
  nodes.reserve(nodes.count + 1)
  edges.reserveNodes(nodes.count + 1)
  order?.reserve(nodes.count + 1)
  const accounts = ledger.accounts()
  const id = nodes.push({ belief: first, amount, at })
  order?.push()
  ledger.issue(quanta)
  const stored = nodes.amount(id)
  ledger.observeSums(0n, compareAmounts(stored, amount) === 0 ? quanta : toQuanta(stored))
  const revert = () => {
    order?.pop()
    nodes.pop()
    ledger.load(accounts)
  }
  return { result: nodes.state(id), delta: nodeDelta(id, nodes.cells), revert }
}

/** Moves energy from the node to `dissipated`. */
export const mutateNode = (
  { nodes, ledger }: Tables,
  { mutateBase, mutateSlope }: GraphConfig,
  id: number,
  delta: number,
  at: number,
): GraphChange<NodeState> => {
  const ids = Uint32Array.of(id)
  const accounts = ledger.accounts()
  const restore = nodes.capture(ids)
  const held = nodes.amount(id)
  const belief = clampBelief(nodes.belief(id) + delta)
  const cost = splitEnergy(mutateBase + mutateSlope * Math.abs(belief - nodes.belief(id)))
  const paid = compareAmounts(held, cost) < 0 ? held : cost
  nodes.write(id, { belief, amount: subtractAmounts(held, paid), at })
  ledger.dissipate(toQuanta(paid))
  ledger.observe(held, nodes.amount(id))
  const revert = () => {
    restore()
    ledger.load(accounts)
  }
  return { result: nodes.state(id), delta: nodeDelta(id, nodes.cells), revert }
}

export const bindEdge = (
  { edges, order }: Tables,
  src: number,
  dst: number,
  weight: number,
  at: number,
): GraphChange<EdgeState> => {
  if (edges.count === MAX_ROWS) throw beliefFaults.graph_full('the graph has the maximum number of edges')
  edges.reserve(edges.count + 1)
  const reorder = order?.addEdge(src, dst)
  const inflow = edges.inflow[dst] ?? 0
  const result = edges.state(edges.push(src, dst, weight, at))
  const revert = () => {
    edges.pop(inflow)
    reorder?.()
  }
  return { result, delta: edgeDelta(result), revert }
}

/** Moves energy between nodes. */
export const applyTick = (tables: Tables, plan: TickPlan, at: number): GraphChange<TickResult> => {
  const { nodes, edges, ledger } = tables
  const { cells, touched, maxChange } = plan
  const accounts = ledger.accounts()
  const delta = nodesDelta(touched, cells)
  const before = sumBalances(nodes.cells, touched)
  const restore = nodes.replaceCells(touched, cells, at)
  ledger.observeSums(before, sumBalances(nodes.cells, touched))
  tables.tick += 1
  const revert = () => {
    tables.tick -= 1
    restore()
    ledger.load(accounts)
  }
  const result = {
    tick: tables.tick,
    nodesUpdated: touched.length,
    edgesProcessed: edges.count,
    maxChange,
    converged: maxChange <= CONVERGED,
  }
  return { result, delta, revert }
}
