import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beliefFaults } from '../faults.ts'
import { DEFAULT_CONFIG, Graph } from './graph.ts'

const sample = (): Graph => {
  const graph = new Graph(DEFAULT_CONFIG)
  for (let id = 0; id < 20; id += 1) graph.createNode((id % 7) / 7, id * 1.1, id)
  for (let id = 19; id > 0; id -= 1) graph.bindEdge(id, id - 1, id % 3 ? 0.3 : -2, 100 + id)
  graph.mutateNode(3, 0.2, 500)
  for (let tick = 0; tick < 5; tick += 1) graph.propagate(1000 + tick)
  return graph
}

describe('a snapshot', () => {
  it('restores a graph that goes on exactly like the first', () => {
    const graph = sample()
    const copy = Graph.restore(DEFAULT_CONFIG, graph.serialize())
    expect(copy.serialize()).toEqual(graph.serialize())
    expect(copy.auditAll()).toBe(0)
    for (const one of [graph, copy]) {
      expect(() => one.bindEdge(0, 19, 1, 0)).toThrow(/cycle/)
      one.createNode(0.5, 3, 0)
      one.bindEdge(0, 20, 0.7, 0)
    }
    expect(copy.propagate(2000).delta).toBe(graph.propagate(2000).delta)
    expect(copy.serialize()).toEqual(graph.serialize())
  })

  it('is read from the middle of a larger buffer too', () => {
    const bytes = sample().serialize()
    const larger = new Uint8Array(bytes.length + 3)
    larger.set(bytes, 3)
    expect(Graph.restore(DEFAULT_CONFIG, larger.subarray(3)).serialize()).toEqual(bytes)
  })

  it('is refused when any bit of it changed, or any of it is missing', () => {
    const bytes = sample().serialize()
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bent = Uint8Array.from(bytes)
        bent[at] = (bent[at] ?? 0) ^ flip
        for (const damaged of [bent, bytes.subarray(0, at)]) {
          expect(() => Graph.restore(DEFAULT_CONFIG, damaged)).toThrow(
            expect.objectContaining({ code: beliefFaults.snapshot_damaged.code, kind: 'corrupt' }),
          )
        }
      }),
    )
  })

  it('is refused under another configuration', () => {
    expect(() => Graph.restore({ ...DEFAULT_CONFIG, sigma: 0.081 }, sample().serialize())).toThrow(
      expect.objectContaining({ code: beliefFaults.snapshot_foreign.code }),
    )
  })

  it('does not hide what was already wrong', () => {
    const graph = sample()
    graph.columns.cells[1] = 12_345
    const copy = Graph.restore(DEFAULT_CONFIG, graph.serialize())
    expect(copy.auditNode(0).valid).toBe(false)
    expect(copy.auditAll()).toBeGreaterThan(12_000)
  })
})
