import { describe, expect, it } from 'vitest'
import { checksumCell } from './checksum.ts'
import { DEFAULT_CONFIG, Graph } from './graph.ts'

const pair = (weight: number, energy = 100) => {
  const graph = new Graph(DEFAULT_CONFIG)
  graph.createNode(0.7, energy, 1)
  graph.createNode(0.3, 50, 2)
  graph.mutateNode(0, 0.1, 3)
  graph.bindEdge(0, 1, weight, 4)
  return graph
}

const shown = (graph: Graph, id: number) => {
  const { belief, energy } = graph.node(id)
  return [belief, energy]
}

const total = (graph: Graph): bigint => graph.accounts().nodes

describe('a tick', () => {
  it('gives the reference numbers bit for bit', () => {
    const graph = pair(0.5)
    expect(shown(graph, 0)).toEqual([0.7999999999999999, 99.895])
    graph.propagate(5)
    expect(shown(graph, 1)).toEqual([0.31666666666666665, 50.00083333333333])
    expect(shown(graph, 0)).toEqual([0.7999999999999999, 99.89416666666666])
  })

  it('gives the reference numbers after 3001 ticks', () => {
    const graph = pair(0.5)
    for (let tick = 0; tick < 3001; tick += 1) graph.propagate(tick)
    expect(shown(graph, 1)).toEqual([0.7999999999999983, 50.025000000000006])
    expect(shown(graph, 0)).toEqual([0.7999999999999999, 99.86999999999999])
    expect(graph.tick).toBe(3001)
    expect(graph.drift()).toBe(0)
  })

  it('drives the target toward the opposite along a negative weight', () => {
    const graph = pair(-0.5)
    for (let tick = 0; tick < 2000; tick += 1) graph.propagate(tick)
    expect(graph.node(1).belief).toBeCloseTo(0.2, 9)
  })

  it('says that it has converged once no belief moves', () => {
    const graph = pair(0.5)
    expect(graph.propagate(5).result).toEqual({
      tick: 1,
      nodesUpdated: 2,
      edgesProcessed: 1,
      maxChange: 0.016666666666666663,
      converged: false,
    })
    for (let tick = 0; tick < 3000; tick += 1) graph.propagate(tick)
    expect(graph.propagate(9).result.converged).toBe(true)
  })

  it('works on an empty graph, and counts', () => {
    const graph = new Graph(DEFAULT_CONFIG)
    const { result, delta } = graph.propagate(0)
    expect(result).toEqual({ tick: 1, nodesUpdated: 0, edgesProcessed: 0, maxChange: 0, converged: true })
    expect(delta).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })

  it('lets a source without energy move no other node', () => {
    const graph = pair(0.5, 0)
    const { result } = graph.propagate(5)
    expect(result.nodesUpdated).toBe(0)
    expect(graph.node(1)).toMatchObject({ belief: 0.3, energy: 50, at: 2 })
  })

  it('rations what a poor source has, and leaves it with nothing but dust', () => {
    const graph = new Graph(DEFAULT_CONFIG)
    graph.createNode(1, 0.001, 0)
    for (let id = 1; id <= 3; id += 1) {
      graph.createNode(0, 1, 0)
      graph.bindEdge(0, id, 1e6, 0)
    }
    const before = total(graph)
    graph.propagate(1)
    expect(graph.node(0).energy).toBeLessThan(1e-12)
    expect(graph.node(1).belief).toBe(graph.node(3).belief)
    expect(total(graph)).toBe(before)
  })

  it('remembers the time only for nodes that changed', () => {
    const graph = pair(0.5)
    graph.createNode(0.4, 1, 5)
    graph.propagate(77)
    expect([0, 1, 2].map((id) => graph.node(id).at)).toEqual([77, 77, 5])
    expect(graph.node(1).stability).toBe(1 - (graph.node(1).belief - 0.3))
  })

  it('stays within bounds for heavy weights, many edges and loops', () => {
    const graph = new Graph({ ...DEFAULT_CONFIG, allowCycles: true, sigma: 1, slope: 1 })
    for (let id = 0; id < 6; id += 1) graph.createNode(id % 2, 1e12, 0)
    for (let id = 0; id < 36; id += 1) graph.bindEdge(id % 6, Math.floor(id / 6), id % 5 < 2 ? -1e6 : 1e6, 0)
    const before = total(graph)
    for (let tick = 0; tick < 200; tick += 1) {
      graph.propagate(tick)
      for (const { belief } of graph.nodes()) expect(belief >= 0 && belief <= 1).toBe(true)
    }
    expect(total(graph)).toBe(before)
    expect(graph.auditAll()).toBe(0)
  })
})

describe('a tick that changes most nodes', () => {
  const build = () => {
    const graph = pair(0.5)
    graph.createNode(0, 1, 5)
    return graph
  }

  it('leaves the bits of the others as they were, and their seals whole', () => {
    const graph = build()
    // What no operation writes, an older snapshot may hold.
    graph.columns.cells[8] = -0
    graph.columns.checksums[2] = checksumCell(new Int32Array(graph.columns.cells.buffer), 2)
    graph.propagate(6)
    expect(Object.is(graph.columns.cells[8], -0)).toBe(true)
    expect(graph.auditNode(2).valid).toBe(true)
    expect(graph.auditAll()).toBe(0)
  })

  it('is undone to the bit, also after the tables have grown', () => {
    const graph = build()
    const before = graph.serialize()
    const tick = graph.propagate(6)
    const more = Array.from({ length: 40 }, () => graph.createNode(0.5, 1, 7))
    for (const { undo } of more.toReversed()) undo()
    tick.undo()
    expect(graph.serialize()).toEqual(before)
    graph.propagate(6)
    for (let n = 0; n < 40; n += 1) graph.createNode(0.5, 1, 7)
    graph.propagate(8)
    expect(graph.auditAll()).toBe(0)
  })
})
