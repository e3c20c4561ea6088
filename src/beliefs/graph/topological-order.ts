import { beliefFaults } from '../faults.ts'
import { capacityFor, grow } from './columns.ts'
import type { EdgeTable } from './edges.ts'

const noop = (): void => {}

/**
 * Incremental topological order (Pearce and Kelly, 2006). An edge that already points forward takes constant time, and
 * so does one whose source has no incoming edges (it moves to the front) or whose target has no outgoing ones (it moves
 * to the back). Any other edge needs a search that is limited to the positions between its two ends.
 */
export class TopologicalOrder {
  readonly #edges: EdgeTable
  #count = 0
  /** The next free positions at the front and at the back. Positions are integers of either sign. */
  #front = -1
  #back = 0
  #position = new Float64Array(0)
  #seen = new Float64Array(0)
  #search = 0

  constructor(edges: EdgeTable) {
    this.#edges = edges
  }

  reserve(nodes: number): void {
    const capacity = this.#seen.length
    if (nodes <= capacity) return
    this.#position = grow(this.#position, capacityFor(nodes, capacity))
    this.#seen = grow(this.#seen, capacityFor(nodes, capacity))
  }

  /** Adds a node at the back. */
  push(): void {
    this.#position[this.#count] = this.#back
    this.#count += 1
    this.#back += 1
  }

  /** Removes the newest node. It is at the back again, because later operations were undone first. */
  pop(): void {
    this.#count -= 1
    this.#back -= 1
  }

  allows(src: number, dst: number): boolean {
    return this.#positionOf(src) < this.#positionOf(dst)
  }

  /** Orders `src` before `dst`, or throws without a change when that closes a cycle. Returns the undo function. */
  addEdge(src: number, dst: number): () => void {
    if (this.allows(src, dst)) return noop
    if (src !== dst && this.#edges.newestIn(src) < 0) return this.#placeFirst(src)
    if (src !== dst && this.#edges.newestOut(dst) < 0) return this.#placeLast(dst)
    const ahead = this.#searchForward(dst, src)
    if (ahead === undefined) throw beliefFaults.cycle(`edge ${src} -> ${dst} would close a cycle`)
    return this.#reassign([...this.#sort(this.#searchBackward(src, dst)), ...this.#sort(ahead)])
  }

  /** Computes the order of all nodes. False when the edges form a cycle. */
  rebuild(nodes: number): boolean {
    this.reserve(nodes)
    this.#count = nodes
    this.#front = -1
    this.#back = nodes
    return this.#orderById(nodes) || this.#sortAll(nodes)
  }

  /** When every edge leads to a newer node, the ids are an order, and the one that fits later edges best. */
  #orderById(nodes: number): boolean {
    const { src, dst, count } = this.#edges
    for (let edge = 0; edge < count; edge += 1) {
      if ((src[edge] ?? 0) >= (dst[edge] ?? 0)) return false
    }
    for (let node = 0; node < nodes; node += 1) this.#position[node] = node
    return true
  }

  #sortAll(nodes: number): boolean {
    const edges = this.#edges
    const waiting = new Uint32Array(nodes)
    for (let edge = 0; edge < edges.count; edge += 1) {
      const dst = edges.dst[edge] ?? 0
      waiting[dst] = (waiting[dst] ?? 0) + 1
    }
    const ready = new Uint32Array(nodes)
    let end = 0
    for (let node = 0; node < nodes; node += 1) if (waiting[node] === 0) ready[end++] = node
    for (let next = 0; next < end; next += 1) {
      const node = ready[next] ?? 0
      this.#position[node] = next
      for (let edge = edges.newestOut(node); edge >= 0; edge = edges.olderOut(edge)) {
        const dst = edges.dst[edge] ?? 0
        const left = (waiting[dst] ?? 0) - 1
        waiting[dst] = left
        if (left === 0) ready[end++] = dst
      }
    }
    return end === nodes
  }

  #positionOf(node: number): number {
    return this.#position[node] ?? 0
  }

  #sort(nodes: number[]): number[] {
    return nodes.sort((a, b) => this.#positionOf(a) - this.#positionOf(b))
  }

  #placeFirst(node: number): () => void {
    const before = this.#positionOf(node)
    this.#position[node] = this.#front
    this.#front -= 1
    return () => {
      this.#front += 1
      this.#position[node] = before
    }
  }

  #placeLast(node: number): () => void {
    const before = this.#positionOf(node)
    this.#position[node] = this.#back
    this.#back += 1
    return () => {
      this.#back -= 1
      this.#position[node] = before
    }
  }

  /** Gives these nodes their own positions again, in the order of the list. */
  #reassign(nodes: readonly number[]): () => void {
    const before = nodes.map((node) => this.#positionOf(node))
    const places = before.toSorted((a, b) => a - b)
    const put = (all: readonly number[]) => {
      for (const [n, node] of nodes.entries()) this.#position[node] = all[n] ?? 0
    }
    put(places)
    return () => put(before)
  }

  /** Nodes reachable from `start` up to the position of `limit`; undefined when `limit` itself is reachable. */
  #searchForward(start: number, limit: number): number[] | undefined {
    const edges = this.#edges
    const found = this.#startSearch(start)
    for (let next = 0; next < found.length; next += 1) {
      const node = found[next] ?? 0
      if (node === limit) return undefined
      for (let edge = edges.newestOut(node); edge >= 0; edge = edges.olderOut(edge)) {
        const dst = edges.dst[edge] ?? 0
        if (this.#positionOf(dst) <= this.#positionOf(limit)) this.#visit(dst, found)
      }
    }
    return found
  }

  /** Nodes from which `start` is reachable, positioned after `limit`. */
  #searchBackward(start: number, limit: number): number[] {
    const edges = this.#edges
    const found = this.#startSearch(start)
    for (let next = 0; next < found.length; next += 1) {
      const node = found[next] ?? 0
      for (let edge = edges.newestIn(node); edge >= 0; edge = edges.olderIn(edge)) {
        const src = edges.src[edge] ?? 0
        if (this.#positionOf(src) > this.#positionOf(limit)) this.#visit(src, found)
      }
    }
    return found
  }

  #startSearch(node: number): number[] {
    this.#search += 1
    this.#seen[node] = this.#search
    return [node]
  }

  #visit(node: number, found: number[]): void {
    if (this.#seen[node] === this.#search) return
    this.#seen[node] = this.#search
    found.push(node)
  }
}
