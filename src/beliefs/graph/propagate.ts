import type { GraphConfig } from '../config.ts'
import type { EdgeTable } from './edges.ts'
import { CELL, moveEnergy } from './energy.ts'
import type { NodeTable } from './nodes.ts'

type PropagationConfig = Pick<GraphConfig, 'sigma' | 'slope'>

/** Result of a tick before it is applied. The arrays are reused by the next tick. */
export interface TickPlan {
  /** New cells of all nodes, with the capacity of the node table. */
  readonly cells: Float64Array<ArrayBuffer>
  /** Ids of the nodes whose belief or energy changes, ascending. */
  readonly touched: Uint32Array
  /** Largest change of a belief. */
  readonly maxChange: number
}

export const clampBelief = (belief: number): number => Math.min(1, Math.max(0, belief))

/** How far an edge moves its target in one tick if its source can pay. A negative weight pulls towards 1 - belief. */
export const edgePull = (sigma: number, weight: number, from: number, to: number, inflow: number): number => {
  const target = weight >= 0 ? from : 1 - from
  // Keep the parentheses: another grouping rounds differently.
  return (sigma * Math.abs(weight) * (target - to)) / (1 + inflow)
}

/**
 * One synchronous tick. All edges read the beliefs from before the tick; then, by ascending id, each edge moves its
 * target and transfers the energy that the movement costs. Only + - * /, floor and comparisons in a fixed order are
 * used, so the result is the same to the bit on every engine.
 */
export class Propagator {
  #cells = new Float64Array(0)
  #scale = new Float64Array(0)
  #pulls = new Float64Array(0)
  #touched = new Uint32Array(0)

  plan(nodes: NodeTable, edges: EdgeTable, config: PropagationConfig): TickPlan {
    this.#resize(nodes, edges)
    this.#gather(nodes, edges, config)
    this.#ration(nodes.count)
    this.#transfer(edges, config)
    return this.#compare(nodes)
  }

  #resize(nodes: NodeTable, edges: EdgeTable): void {
    const { cells, count, writtenAt } = nodes
    // After a tick that changed most cells the node table owns our array (`replaceCells`): allocate a new one.
    if (this.#cells === cells || this.#cells.length !== cells.length) this.#cells = cells.slice()
    else this.#cells.set(cells.subarray(0, count * CELL))
    if (this.#scale.length < writtenAt.length) {
      this.#scale = new Float64Array(writtenAt.length)
      this.#touched = new Uint32Array(writtenAt.length)
    }
    if (this.#pulls.length < edges.boundAt.length) this.#pulls = new Float64Array(edges.boundAt.length)
  }

  /** Step one: the pull of every edge, and its cost to the source. */
  #gather(
    nodes: NodeTable,
    { src, dst, weight, inflow, count }: EdgeTable,
    { sigma, slope }: PropagationConfig,
  ): void {
    const { cells } = nodes
    const pulls = this.#pulls
    const need = this.#scale.fill(0, 0, nodes.count)
    for (let edge = 0; edge < count; edge += 1) {
      const from = src[edge] ?? 0
      const to = dst[edge] ?? 0
      const pull = edgePull(
        sigma,
        weight[edge] ?? 0,
        cells[from * CELL] ?? 0,
        cells[to * CELL] ?? 0,
        inflow[to] ?? 0,
      )
      pulls[edge] = pull
      need[from] = (need[from] ?? 0) + slope * Math.abs(pull)
    }
  }

  /** Step two: a source that cannot pay for all its edges pays the same share of each. */
  #ration(count: number): void {
    const scale = this.#scale
    const cells = this.#cells
    for (let node = 0; node < count; node += 1) {
      const need = scale[node] ?? 0
      const held = (cells[node * CELL + 1] ?? 0) + (cells[node * CELL + 2] ?? 0) * 2 ** -52
      scale[node] = need > held ? held / need : 1
    }
  }

  /** Step three: moves beliefs and the energy that pays for it. */
  #transfer({ src, dst, count }: EdgeTable, { slope }: PropagationConfig): void {
    const cells = this.#cells
    const scale = this.#scale
    const pulls = this.#pulls
    for (let edge = 0; edge < count; edge += 1) {
      const from = src[edge] ?? 0
      const to = (dst[edge] ?? 0) * CELL
      const step = (pulls[edge] ?? 0) * (scale[from] ?? 0)
      cells[to] = (cells[to] ?? 0) + step
      moveEnergy(cells, from * CELL, to, slope * Math.abs(step))
    }
  }

  #compare({ cells: before, count }: NodeTable): TickPlan {
    const cells = this.#cells
    const touched = this.#touched
    let found = 0
    let maxChange = 0
    for (let node = 0, cell = 0; node < count; node += 1, cell += CELL) {
      const belief = clampBelief(cells[cell] ?? 0)
      cells[cell] = belief
      maxChange = Math.max(maxChange, Math.abs(belief - (before[cell] ?? 0)))
      if (
        belief !== before[cell] ||
        cells[cell + 1] !== before[cell + 1] ||
        cells[cell + 2] !== before[cell + 2] ||
        cells[cell + 3] !== before[cell + 3]
      ) {
        touched[found++] = node
      } else {
        // Equal values, but the sign of a zero may differ, and the checksum covers the bits.
        cells[cell] = before[cell] ?? 0
        cells[cell + 1] = before[cell + 1] ?? 0
        cells[cell + 2] = before[cell + 2] ?? 0
        cells[cell + 3] = before[cell + 3] ?? 0
      }
    }
    return { cells, touched: touched.slice(0, found), maxChange }
  }
}
