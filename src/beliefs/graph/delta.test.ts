import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DEFAULT_CONFIG, Graph } from './graph.ts'

const pack = (ids: readonly number[], numbers: readonly number[]): Buffer => {
  const record = Buffer.alloc((ids.length + numbers.length) * 8)
  for (const [n, id] of ids.entries()) record.writeBigUInt64BE(BigInt(id), n * 8)
  for (const [n, x] of numbers.entries()) record.writeDoubleBE(x, (ids.length + n) * 8)
  return record
}

const sha256 = (...records: readonly Buffer[]): string =>
  createHash('sha256').update(Buffer.concat(records)).digest('hex')

const record = (graph: Graph, id: number): Buffer =>
  pack([id], [...graph.columns.cells.subarray(id * 4, id * 4 + 4)])

describe('a delta', () => {
  it('is the hash of the record a node was left with', () => {
    const graph = new Graph(DEFAULT_CONFIG)
    graph.createNode(0, 0, 0)
    expect(graph.createNode(0.25, 1.5, 0).delta).toBe(sha256(pack([1], [0.25, 1, 2 ** 51, 0])))
    expect(graph.mutateNode(0, 1, 0).delta).toBe(sha256(pack([0], [1, 0, 0, 0])))
  })

  it('is the hash of the new edge', () => {
    const graph = new Graph(DEFAULT_CONFIG)
    for (let id = 0; id < 3; id += 1) graph.createNode(0, 0, 0)
    graph.bindEdge(0, 1, 1, 0)
    expect(graph.bindEdge(1, 2, -0.5, 0).delta).toBe(sha256(pack([1, 1, 2], [-0.5])))
  })

  it('is the hash of every node a tick changed, in ascending id, however many', () => {
    const graph = new Graph(DEFAULT_CONFIG)
    const nodes = 5_000
    for (let id = 0; id < nodes; id += 1) graph.createNode(id % 2, 1, 0)
    for (let id = 0; id + 1 < nodes; id += 3) graph.bindEdge(id, id + 1, 1, 0)
    const { delta, result } = graph.propagate(9)
    const touched = [...graph.nodes()].filter(({ at }) => at === 9).map(({ id }) => id)
    expect(touched).toHaveLength(result.nodesUpdated)
    expect(touched.length).toBeGreaterThan(3_000)
    expect(touched.length).toBeLessThan(nodes)
    expect(delta).toBe(sha256(...touched.map((id) => record(graph, id))))
  })
})
