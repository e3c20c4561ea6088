import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_CONFIG, Graph } from '../src/beliefs/graph/graph.ts'
import { playStory, type Step } from './support/belief-oracle/story.ts'

const anyStep: fc.Arbitrary<Step> = fc.tuple(
  fc.nat(),
  fc.nat(),
  fc.nat(),
  fc.double({ min: 0, max: 1, noNaN: true }).map((x) => x + 0),
)

const anyConfig = fc.record({
  sigma: fc.constantFrom(0.1, 0.081, 1),
  slope: fc.constantFrom(0.05, 1),
  mutateBase: fc.constantFrom(0.1, 0),
  mutateSlope: fc.constant(0.05),
  pool: fc.constantFrom(2n ** 60n, 1_000n),
  epsilon: fc.constant(1e-6),
  allowCycles: fc.boolean(),
})

/** The same numbers on every run: a failure here has to be seen again. */
const numbers = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x9e3779b9) | 0
    return (state >>> 0) / 2 ** 32
  }
}

describe('energy, at length', () => {
  it('agrees with the oracle over 100 000 sequences of operations', () => {
    fc.assert(
      fc.property(anyConfig, fc.array(anyStep, { maxLength: 80, size: 'max' }), (config, steps) => {
        playStory(config, steps)
      }),
      { numRuns: 100_000 },
    )
  })

  it('is conserved exactly in a graph of 100 000 nodes, and every belief stays in bounds', () => {
    const next = numbers(1)
    const graph = new Graph(DEFAULT_CONFIG)
    const nodes = 100_000
    for (let id = 0; id < nodes; id += 1) graph.createNode(next(), 10 ** (next() * 16 - 4), id)
    for (let id = 0; id < 2 * nodes; id += 1) {
      const dst = 1 + Math.floor(next() * (nodes - 1))
      graph.bindEdge(Math.floor(next() * dst), dst, (next() - 0.3) * 10 ** (next() * 6), id)
    }
    for (let round = 0; round < 50; round += 1) {
      for (let n = 0; n < nodes / 50; n += 1)
        graph.mutateNode(Math.floor(next() * nodes), next() - 0.5, round)
      const before = graph.accounts().nodes
      graph.propagate(round)
      expect(graph.accounts().nodes).toBe(before)
      expect(graph.drift()).toBe(0)
    }
    expect(graph.auditAll()).toBe(0)
    for (const { belief, energy } of graph.nodes()) {
      if (!(belief >= 0 && belief <= 1 && energy >= 0)) throw new Error('a node is out of bounds')
    }
    const { pool, reserve, nodes: held, dissipated } = graph.accounts()
    expect(reserve + held + dissipated).toBe(pool)
  })
})
