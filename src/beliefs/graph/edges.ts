import { checksumEdge } from './checksum.ts'
import { capacityFor, grow } from './columns.ts'

export type EdgeState = {
  readonly id: number
  readonly src: number
  readonly dst: number
  readonly weight: number
  /** Time of creation, in milliseconds since the epoch. */
  readonly at: number
}

const NONE = -1

/** The edges by id, and for every node linked lists of its outgoing and incoming edges, newest first. */
export class EdgeTable {
  count = 0
  src = new Uint32Array(0)
  dst = new Uint32Array(0)
  weight = new Float64Array(0)
  /** Milliseconds since the epoch. */
  boundAt = new Float64Array(0)
  checksums = new Float64Array(0)
  /** Per node: sum of |weight| over its incoming edges, added in the order of their ids. */
  inflow = new Float64Array(0)
  #words = new Int32Array(0)
  #nextOut = new Int32Array(0)
  #nextIn = new Int32Array(0)
  #firstOut = new Int32Array(0)
  #firstIn = new Int32Array(0)

  /** Allocates before anything is written, so that an operation cannot fail half-way. */
  reserve(rows: number): void {
    const capacity = this.boundAt.length
    if (rows <= capacity) return
    const newCapacity = capacityFor(rows, capacity)
    const at = grow(this.boundAt, newCapacity)
    this.src = grow(this.src, newCapacity)
    this.dst = grow(this.dst, newCapacity)
    this.weight = grow(this.weight, newCapacity)
    this.#words = new Int32Array(this.weight.buffer)
    this.checksums = grow(this.checksums, newCapacity)
    this.#nextOut = grow(this.#nextOut, newCapacity)
    this.#nextIn = grow(this.#nextIn, newCapacity)
    this.boundAt = at
  }

  reserveNodes(rows: number): void {
    const capacity = this.inflow.length
    if (rows <= capacity) return
    const newCapacity = capacityFor(rows, capacity)
    this.#firstOut = grow(this.#firstOut, newCapacity).fill(NONE, capacity)
    this.#firstIn = grow(this.#firstIn, newCapacity).fill(NONE, capacity)
    this.inflow = grow(this.inflow, newCapacity)
  }

  push(src: number, dst: number, weight: number, at: number): number {
    const id = this.count
    this.count += 1
    this.src[id] = src
    this.dst[id] = dst
    this.weight[id] = weight
    this.boundAt[id] = at
    this.checksums[id] = checksumEdge(this.#words, id, src, dst)
    this.#addToLists(id)
    return id
  }

  /** Removes the newest edge. `inflow` is the former value of its target: subtracting would round differently. */
  pop(inflow: number): void {
    this.count -= 1
    const id = this.count
    const src = this.src[id] ?? 0
    const dst = this.dst[id] ?? 0
    this.#firstOut[src] = this.#nextOut[id] ?? 0
    this.#firstIn[dst] = this.#nextIn[id] ?? 0
    this.inflow[dst] = inflow
  }

  #addToLists(id: number): void {
    const src = this.src[id] ?? 0
    const dst = this.dst[id] ?? 0
    this.#nextOut[id] = this.#firstOut[src] ?? 0
    this.#nextIn[id] = this.#firstIn[dst] ?? 0
    this.#firstOut[src] = id
    this.#firstIn[dst] = id
    this.inflow[dst] = (this.inflow[dst] ?? 0) + Math.abs(this.weight[id] ?? 0)
  }

  /** Rebuilds lists and inflow after the columns were read from a snapshot. */
  rebuildLists(count: number): void {
    for (let id = 0; id < count; id += 1) this.#addToLists(id)
    this.count = count
  }

  /** Start of the list of outgoing edges; -1 when it is empty. `olderOut` gives the next one. */
  newestOut(node: number): number {
    return this.#firstOut[node] ?? 0
  }

  olderOut(edge: number): number {
    return this.#nextOut[edge] ?? 0
  }

  newestIn(node: number): number {
    return this.#firstIn[node] ?? 0
  }

  olderIn(edge: number): number {
    return this.#nextIn[edge] ?? 0
  }

  /** Outgoing edges of a node, oldest first. */
  outgoing(node: number): EdgeState[] {
    const found: EdgeState[] = []
    for (let id = this.newestOut(node); id !== NONE; id = this.olderOut(id)) found.push(this.state(id))
    return found.reverse()
  }

  /** Incoming edges of a node, oldest first. */
  incoming(node: number): EdgeState[] {
    const found: EdgeState[] = []
    for (let id = this.newestIn(node); id !== NONE; id = this.olderIn(id)) found.push(this.state(id))
    return found.reverse()
  }

  /** The first edge with a wrong checksum; -1 when there is none. */
  firstBroken(): number {
    const { src, dst, checksums, count } = this
    const words = this.#words
    for (let id = 0; id < count; id += 1) {
      if (checksums[id] !== checksumEdge(words, id, src[id] ?? 0, dst[id] ?? 0)) return id
    }
    return -1
  }

  isIntact(id: number): boolean {
    return this.checksums[id] === checksumEdge(this.#words, id, this.src[id] ?? 0, this.dst[id] ?? 0)
  }

  // Members in the order of canonical JSON, in which every write is recorded.
  state(id: number): EdgeState {
    return {
      at: this.boundAt[id] ?? 0,
      dst: this.dst[id] ?? 0,
      id,
      src: this.src[id] ?? 0,
      weight: this.weight[id] ?? 0,
    }
  }
}
