import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { reaches } from '../../../test/support/belief-oracle/model.ts'
import { beliefFaults } from '../faults.ts'
import { EdgeTable } from './edges.ts'
import { TopologicalOrder } from './topological-order.ts'

const NODES = 12

const empty = (nodes: number) => {
  const edges = new EdgeTable()
  const order = new TopologicalOrder(edges)
  edges.reserveNodes(nodes)
  order.reserve(nodes)
  for (let node = 0; node < nodes; node += 1) order.push()
  return { edges, order }
}

const bind = ({ edges, order }: ReturnType<typeof empty>, src: number, dst: number): (() => void) => {
  const reorder = order.addEdge(src, dst)
  edges.reserve(edges.count + 1)
  const inflow = edges.inflow[dst] ?? 0
  edges.push(src, dst, 1, 0)
  return () => {
    edges.pop(inflow)
    reorder()
  }
}

const listed = (edges: EdgeTable) => Array.from({ length: edges.count }, (_, id) => edges.state(id))

const refuses = (act: () => unknown): boolean => {
  try {
    act()
    return false
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: beliefFaults.cycle.code })
    return true
  }
}

const pair = fc.tuple(fc.nat(NODES - 1), fc.nat(NODES - 1))
const ends = (order: TopologicalOrder) =>
  Array.from({ length: NODES }, (_, a) => Array.from({ length: NODES }, (_, b) => order.allows(a, b)))

describe('the topological order', () => {
  it('refuses exactly the edges a search over all edges finds a cycle for', () => {
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 60 }), (pairs) => {
        const graph = empty(NODES)
        for (const [src, dst] of pairs) {
          const loops = reaches(listed(graph.edges), dst, src)
          expect(refuses(() => bind(graph, src, dst))).toBe(loops)
          for (const edge of listed(graph.edges)) expect(graph.order.allows(edge.src, edge.dst)).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('is what it was before once an edge is taken back', () => {
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 40 }), pair, (pairs, [src, dst]) => {
        const graph = empty(NODES)
        for (const [from, to] of pairs) refuses(() => bind(graph, from, to))
        const before = ends(graph.order)
        let undo = () => {}
        refuses(() => {
          undo = bind(graph, src, dst)
        })
        undo()
        expect(ends(graph.order)).toEqual(before)
      }),
      { numRuns: 300 },
    )
  })

  it('can be laid out anew for any graph it has accepted', () => {
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 60 }), (pairs) => {
        const graph = empty(NODES)
        for (const [src, dst] of pairs) refuses(() => bind(graph, src, dst))
        const anew = new TopologicalOrder(graph.edges)
        expect(anew.rebuild(NODES)).toBe(true)
        for (const edge of listed(graph.edges)) expect(anew.allows(edge.src, edge.dst)).toBe(true)
      }),
    )
  })

  it('cannot be laid out where there is a cycle', () => {
    const { edges, order } = empty(2)
    edges.reserve(2)
    edges.push(0, 1, 1, 0)
    edges.push(1, 0, 1, 0)
    expect(order.rebuild(2)).toBe(false)
  })

  it('searches only between the two ends of an edge, and not at all for the common ones', () => {
    const graph = empty(10_000)
    for (let node = 1; node < 9_998; node += 1) bind(graph, node - 1, node)
    let looks = 0
    const { olderOut } = graph.edges
    graph.edges.olderOut = (edge) => {
      looks += 1
      return olderOut.call(graph.edges, edge)
    }
    expect(refuses(() => bind(graph, 500, 490))).toBe(true)
    expect(looks).toBeLessThanOrEqual(11)
    looks = 0
    bind(graph, 3, 9_000)
    bind(graph, 9_998, 0)
    bind(graph, 9_999, 9_998)
    expect(looks).toBe(0)
    expect(refuses(() => bind(graph, 9_000, 9_999))).toBe(true)
  })
})
