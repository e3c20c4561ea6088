import type { GraphConfig } from '../../../src/beliefs/config.ts'
import type { Graph } from '../../../src/beliefs/graph/graph.ts'

/**
 * Reference implementation of the graph for tests, as simple as possible: balances are bigints, every search visits all
 * edges, undo is a full copy. Slow.
 */
export interface Model {
  readonly nodes: { belief: number; quanta: bigint }[]
  readonly edges: { readonly src: number; readonly dst: number; readonly weight: number }[]
  reserve: bigint
  dissipated: bigint
  tick: number
}

const QUANTA = 104n

/** floor(x * 2^104), from the bits of x. */
export const quantaOf = (x: number): bigint => {
  const bits = new BigUint64Array(Float64Array.of(x).buffer)[0] ?? 0n
  const exponent = bits >> 52n
  const fraction = bits & (2n ** 52n - 1n)
  const [mantissa, power] = exponent === 0n ? [fraction, -1074n] : [fraction + 2n ** 52n, exponent - 1075n]
  const shift = power + QUANTA
  return shift >= 0n ? mantissa << shift : mantissa >> -shift
}

export const newModel = ({ pool }: GraphConfig): Model => ({
  nodes: [],
  edges: [],
  reserve: pool << QUANTA,
  dissipated: 0n,
  tick: 0,
})

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const clamp = (x: number): number => Math.min(1, Math.max(0, x))

/** False when refused: then nothing has changed. */
export const modelCreate = (model: Model, belief: number, energy: number): boolean => {
  const quanta = quantaOf(energy)
  if (quanta > model.reserve) return false
  model.reserve -= quanta
  model.nodes.push({ belief, quanta })
  return true
}

export const modelMutate = (model: Model, config: GraphConfig, id: number, delta: number): boolean => {
  const node = model.nodes[id]
  if (node === undefined) return false
  const belief = clamp(node.belief + delta)
  const cost = quantaOf(config.mutateBase + config.mutateSlope * Math.abs(belief - node.belief))
  const paid = least(cost, node.quanta)
  node.belief = belief
  node.quanta -= paid
  model.dissipated += paid
  return true
}

/** Whether one can walk from one node to another. */
export const reaches = (edges: Model['edges'], from: number, to: number): boolean => {
  const seen = new Set([from])
  for (const node of seen) for (const edge of edges) if (edge.src === node) seen.add(edge.dst)
  return seen.has(to)
}

export const modelBind = (model: Model, config: GraphConfig, edge: Model['edges'][number]): boolean => {
  if (model.nodes[edge.src] === undefined || model.nodes[edge.dst] === undefined) return false
  if (!config.allowCycles && reaches(model.edges, edge.dst, edge.src)) return false
  model.edges.push(edge)
  return true
}

export const modelTick = (model: Model, { sigma, slope }: GraphConfig): void => {
  const before = model.nodes.map(({ belief }) => belief)
  const inflow = before.map(() => 0)
  const need = before.map(() => 0)
  for (const { dst, weight } of model.edges) inflow[dst] = (inflow[dst] ?? 0) + Math.abs(weight)
  const pulls = model.edges.map(({ src, dst, weight }) => {
    const from = before[src] ?? 0
    const target = weight >= 0 ? from : 1 - from
    const pull = (sigma * Math.abs(weight) * (target - (before[dst] ?? 0))) / (1 + (inflow[dst] ?? 0))
    need[src] = (need[src] ?? 0) + slope * Math.abs(pull)
    return pull
  })
  const scale = model.nodes.map(({ quanta }, id) => {
    const held = Number(quanta >> QUANTA) + Number((quanta >> 52n) & (2n ** 52n - 1n)) * 2 ** -52
    const asked = need[id] ?? 0
    return asked > held ? held / asked : 1
  })
  for (const [id, { src, dst }] of model.edges.entries()) {
    const from = model.nodes[src]
    const to = model.nodes[dst]
    if (from === undefined || to === undefined) throw new Error('an edge leads nowhere')
    const step = (pulls[id] ?? 0) * (scale[src] ?? 0)
    to.belief += step
    const moved = least(quantaOf(slope * Math.abs(step)), from.quanta)
    from.quanta -= moved
    to.quanta += moved
  }
  for (const node of model.nodes) node.belief = clamp(node.belief)
  model.tick += 1
}

/** The graph, as far as the model knows it. */
export const modelOf = (graph: Graph): Model => {
  const { cells } = graph.columns
  const limb = (at: number): bigint => BigInt(cells[at] ?? 0)
  const { reserve, dissipated } = graph.accounts()
  return {
    nodes: [...graph.nodes()].map(({ id, belief }) => ({
      belief,
      quanta: (limb(id * 4 + 1) << QUANTA) + (limb(id * 4 + 2) << 52n) + limb(id * 4 + 3),
    })),
    edges: [...graph.edges()].map(({ src, dst, weight }) => ({ src, dst, weight })),
    reserve,
    dissipated,
    tick: graph.tick,
  }
}
