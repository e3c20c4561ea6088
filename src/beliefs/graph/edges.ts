import { checksumEdge } from './checksum.ts'
import { capacityFor, grow } from './columns.ts'

export type EdgeState = {
  readonly id: number
  readonly src: number
  readonly dst: number
  readonly weight: number
  /** When it was bound, in milliseconds since the epoch. */
  readonly at: number
}

const NONE = -1

/** The edges, by id, and for every node the edges that leave and reach it, newest first. */
export class EdgeTable {
  count = 0
  src = new Uint32Array(0)
  dst = new Uint32Array(0)
  weight = new Float64Array(0)
  at = new Float64Array(0)
  checksums = new Float64Array(0)
  /** Per node: the sum of |weight| over incoming edges, added up in the order of their ids. */
  inflow = new Float64Array(0)
  #words = new Int32Array(0)
  #nextOut = new Int32Array(0)
  #nextIn = new Int32Array(0)
  #firstOut = new Int32Array(0)
  #firstIn = new Int32Array(0)

  /** Makes room, so that what follows cannot fail half-way. */
  reserve(rows: number): void {
    const room = this.at.length
    if (rows <= room) return
    const wider = capacityFor(rows, room)
    const at = grow(this.at, wider)
    this.src = grow(this.src, wider)
    this.dst = grow(this.dst, wider)
    this.weight = grow(this.weight, wider)
    this.#words = new Int32Array(this.weight.buffer)
    this.checksums = grow(this.checksums, wider)
    this.#nextOut = grow(this.#nextOut, wider)
    this.#nextIn = grow(this.#nextIn, wider)
    this.at = at
  }

  reserveNodes(rows: number): void {
    const room = this.inflow.length
    if (rows <= room) return
    const wider = capacityFor(rows, room)
    this.#firstOut = grow(this.#firstOut, wider).fill(NONE, room)
    this.#firstIn = grow(this.#firstIn, wider).fill(NONE, room)
    this.inflow = grow(this.inflow, wider)
  }

  push(src: number, dst: number, weight: number, at: number): number {
    const id = this.count
    this.count += 1
    this.src[id] = src
    this.dst[id] = dst
    this.weight[id] = weight
    this.at[id] = at
    this.checksums[id] = checksumEdge(this.#words, id, src, dst)
    this.#link(id)
    return id
  }

  /** Takes the newest edge out again. `inflow` is what its target's was before: a sum cannot be un-added. */
  pop(inflow: number): void {
    this.count -= 1
    const id = this.count
    const src = this.src[id] as number
    const dst = this.dst[id] as number
    this.#firstOut[src] = this.#nextOut[id] as number
    this.#firstIn[dst] = this.#nextIn[id] as number
    this.inflow[dst] = inflow
  }

  #link(id: number): void {
    const src = this.src[id] as number
    const dst = this.dst[id] as number
    this.#nextOut[id] = this.#firstOut[src] as number
    this.#nextIn[id] = this.#firstIn[dst] as number
    this.#firstOut[src] = id
    this.#firstIn[dst] = id
    this.inflow[dst] = (this.inflow[dst] as number) + Math.abs(this.weight[id] as number)
  }

  /** Rebuilds what is derived, after the columns were filled from outside. */
  relink(count: number): void {
    for (let id = 0; id < count; id += 1) this.#link(id)
    this.count = count
  }

  /** -1 when there is none. Then go on with `olderOut`. */
  newestOut(node: number): number {
    return this.#firstOut[node] as number
  }

  olderOut(edge: number): number {
    return this.#nextOut[edge] as number
  }

  newestIn(node: number): number {
    return this.#firstIn[node] as number
  }

  olderIn(edge: number): number {
    return this.#nextIn[edge] as number
  }

  /** Edges that leave a node, in the order they were bound. */
  leaving(node: number): EdgeState[] {
    const found: EdgeState[] = []
    for (let id = this.newestOut(node); id !== NONE; id = this.olderOut(id)) found.push(this.state(id))
    return found.reverse()
  }

  /** Edges that reach a node, in the order they were bound. */
  reaching(node: number): EdgeState[] {
    const found: EdgeState[] = []
    for (let id = this.newestIn(node); id !== NONE; id = this.olderIn(id)) found.push(this.state(id))
    return found.reverse()
  }

  /** The first edge whose seal does not hold; -1 when all do. */
  firstBroken(): number {
    const { src, dst, checksums, count } = this
    const words = this.#words
    for (let id = 0; id < count; id += 1) {
      if (checksums[id] !== checksumEdge(words, id, src[id] as number, dst[id] as number)) return id
    }
    return -1
  }

  holds(id: number): boolean {
    return (
      this.checksums[id] === checksumEdge(this.#words, id, this.src[id] as number, this.dst[id] as number)
    )
  }

  // Members in the order of canonical JSON, which every write puts on record.
  state(id: number): EdgeState {
    return {
      at: this.at[id] as number,
      dst: this.dst[id] as number,
      id,
      src: this.src[id] as number,
      weight: this.weight[id] as number,
    }
  }
}
