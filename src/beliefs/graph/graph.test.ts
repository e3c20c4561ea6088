import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { playStory, type Step } from '../../../test/support/belief-oracle/story.ts'
import { caseCount } from '../../../test/support/case-count.ts'
import { beliefFaults } from '../faults.ts'
import { DEFAULT_CONFIG, Graph } from './graph.ts'

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
  pool: fc.constantFrom(2n ** 60n, 1_000n, 0n),
  epsilon: fc.constant(1e-6),
  allowCycles: fc.boolean(),
})

const chain = (length: number): Graph => {
  const graph = new Graph(DEFAULT_CONFIG)
  for (let id = 0; id < length; id += 1) graph.createNode(id / length, 10, 0)
  for (let id = 1; id < length; id += 1) graph.bindEdge(id - 1, id, 0.5, 0)
  return graph
}

describe('any sequence of operations', () => {
  it('agrees with the oracle to the last quantum and bit, and can be undone', () => {
    fc.assert(
      fc.property(anyConfig, fc.array(anyStep, { maxLength: 60, size: 'max' }), (config, steps) => {
        playStory(config, steps)
      }),
      { numRuns: caseCount(300, 1_500) },
    )
  })

  it('has the same deltas and bytes when it is played again', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        const [first, second] = [playStory(DEFAULT_CONFIG, steps), playStory(DEFAULT_CONFIG, steps)]
        expect(first.serialize()).toEqual(second.serialize())
      }),
      { numRuns: 50 },
    )
  })
})

describe('creating a node', () => {
  it('counts ids from 0 without gaps, failures or not', () => {
    const graph = new Graph(DEFAULT_CONFIG)
    expect(graph.createNode(0.5, 100, 7).result).toEqual({
      id: 0,
      belief: 0.5,
      energy: 100,
      stability: 1,
      at: 7,
    })
    expect(() => graph.createNode(1.1, 1, 0)).toThrow(/belief must be between 0 and 1/)
    expect(() => graph.createNode(0.5, 1e15, 0)).toThrow(/energy must be between 0 and 1000000000000/)
    expect(graph.createNode(0.5, 1e12, 0).result.id).toBe(1)
  })

  it('refuses what the reserve does not hold', () => {
    const graph = new Graph({ ...DEFAULT_CONFIG, pool: 10n })
    graph.createNode(0, 9.5, 0)
    expect(() => graph.createNode(0, 0.6, 0)).toThrow(
      expect.objectContaining({ code: beliefFaults.reserve_spent.code }),
    )
    expect(graph.createNode(0, 0.5, 0).result.id).toBe(1)
    expect(graph.accounts().reserve).toBe(0n)
  })

  it('stores a negative zero as zero', () => {
    const graph = new Graph(DEFAULT_CONFIG)
    const plain = new Graph(DEFAULT_CONFIG)
    expect(graph.createNode(-0, -0, 0).delta).toBe(plain.createNode(0, 0, 0).delta)
    for (const one of [graph, plain]) one.createNode(0, 0, 0)
    expect(graph.bindEdge(0, 1, -0, 0).delta).toBe(plain.bindEdge(0, 1, 0, 0).delta)
  })
})

describe('mutating a node', () => {
  it.each([
    [0.5, 0.1, 0.6],
    [0.9, 0.5, 1],
    [0.5, -100, 0],
    [0.5, 0, 0.5],
  ])('moves a belief of %d by %d to %d', (from, delta, to) => {
    const graph = new Graph(DEFAULT_CONFIG)
    graph.createNode(from, 100, 0)
    const { result } = graph.mutateNode(0, delta, 9)
    expect(result.belief).toBe(to)
    expect(result.energy).toBeCloseTo(100 - 0.1 - 0.05 * Math.abs(to - from), 12)
    expect(result.stability).toBe(1 - Math.abs(to - from))
    expect(result.at).toBe(9)
  })

  it('works on a node without energy', () => {
    const graph = new Graph(DEFAULT_CONFIG)
    graph.createNode(0.2, 0, 0)
    expect(graph.mutateNode(0, 0.25, 0).result).toMatchObject({ belief: 0.45, energy: 0 })
    expect(graph.accounts().dissipated).toBe(0n)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses to move it by %d', (delta) => {
    expect(() => chain(1).mutateNode(0, delta, 0)).toThrow(/delta/)
  })
})

describe('binding an edge', () => {
  it('refuses loops, and leaves ids and order as they were', () => {
    const graph = chain(3)
    for (const [src, dst] of [
      [2, 0],
      [1, 1],
    ] as const) {
      expect(() => graph.bindEdge(src, dst, 1, 0)).toThrow(`edge ${src} -> ${dst} would close a cycle`)
    }
    expect(graph.bindEdge(0, 2, 1, 5).result).toEqual({ id: 2, src: 0, dst: 2, weight: 1, at: 5 })
    expect(graph.bindEdge(0, 2, 1, 5).result.id).toBe(3)
  })

  it('allows loops where the graph was made with them', () => {
    const graph = new Graph({ ...DEFAULT_CONFIG, allowCycles: true })
    graph.createNode(0.5, 1, 0)
    expect(graph.bindEdge(0, 0, -1, 0).result.id).toBe(0)
    expect(graph.auditNode(0).valid).toBe(true)
  })

  it('says what is wrong in the order weight, source, target', () => {
    const graph = chain(1)
    expect(() => graph.bindEdge(8, 9, 1e7, 0)).toThrow(/weight/)
    expect(() => graph.bindEdge(8, 9, 1, 0)).toThrow('Node not found: 8')
    expect(() => graph.bindEdge(0, 2n ** 64n - 1n, 1, 0)).toThrow('Node not found: 18446744073709551615')
  })
})

describe('reading', () => {
  it('finds nothing under an id that was never given', () => {
    const graph = chain(2)
    for (const id of [2, -1, 0.5, Number.NaN, 2n ** 63n]) {
      expect(() => graph.node(id)).toThrow(expect.objectContaining({ kind: 'missing' }))
      expect(() => graph.edge(id)).toThrow(expect.objectContaining({ kind: 'missing' }))
      expect(() => graph.auditNode(id)).toThrow(expect.objectContaining({ kind: 'missing' }))
    }
  })

  it('lists the edges of a node, and what each one pulls', () => {
    const graph = new Graph(DEFAULT_CONFIG)
    for (const belief of [1, 0, 0.5]) graph.createNode(belief, 10, 0)
    graph.bindEdge(0, 2, 1, 0)
    graph.bindEdge(1, 2, -3, 0)
    expect(graph.outgoing(0).map(({ id }) => id)).toEqual([0])
    const pulls = graph.incoming(2).map(({ src, weight, pull }) => [src, weight, pull])
    expect(pulls).toEqual([
      [0, 1, (0.1 * 0.5) / 5],
      [1, -3, (0.1 * 3 * 0.5) / 5],
    ])
  })

  it('is coherent from the start, and still when all is well', () => {
    expect(new Graph(DEFAULT_CONFIG).health()).toEqual({ drift: 0, validRatio: 1, coherent: true })
    expect(chain(5).health()).toEqual({ drift: 0, validRatio: 1, coherent: true })
  })
})

describe('a change past the commit path', () => {
  it.each([
    ['belief', 0, (was: number) => was + 1e-9],
    ['units', 1, (was: number) => was + 1],
    ['middle limb', 2, (was: number) => was + 1],
    ['lowest limb', 3, (was: number) => was + 1],
    ['lowest limb, to nonsense', 3, () => Number.NaN],
    ['units, below nothing', 1, () => -1],
  ])('is seen: %s', (_, field, poke) => {
    const graph = chain(8)
    const { cells } = graph.columns
    cells[4 * 4 + field] = poke(cells[4 * 4 + field] ?? 0)
    expect(graph.auditAll()).toBeGreaterThan(graph.config.epsilon)
    expect(graph.auditNode(4)).toMatchObject({ valid: false, truth: 0, drift: 1 })
    expect(graph.health()).toMatchObject({ validRatio: 1 - 1 / 8, coherent: false })
    expect(graph.auditNode(3).valid).toBe(true)
  })

  it('is seen in the second book even when it was sealed', () => {
    const graph = chain(2)
    graph.columns.cells[1] = 11
    const sealed = new Graph(DEFAULT_CONFIG)
    sealed.createNode(0, 11, 0)
    graph.columns.checksums[0] = sealed.columns.checksums[0] ?? 0
    expect(graph.auditNode(0).valid).toBe(true)
    expect(graph.auditAll()).toBe(1)
  })

  it('is seen in an edge', () => {
    const graph = chain(3)
    graph.columns.weights[1] = 0.75
    expect(graph.auditNode(0).valid).toBe(true)
    expect(graph.auditNode(1)).toMatchObject({ valid: false, truth: 1, coherence: 0 })
    expect(graph.auditAll()).toBe(1)
    expect(() => graph.propagate(0)).toThrow(expect.objectContaining({ kind: 'corrupt' }))
  })

  it('is never built upon', () => {
    const graph = chain(3)
    graph.columns.cells[4] = 0.123
    for (const act of [() => graph.mutateNode(1, 0.1, 0), () => graph.propagate(0)]) {
      expect(act).toThrow(expect.objectContaining({ code: beliefFaults.seal_broken.code }))
    }
    expect(graph.drift()).toBe(1)
    expect(graph.tick).toBe(0)
  })
})

describe('undo', () => {
  it('works newest first, and once', () => {
    const graph = chain(2)
    const first = graph.mutateNode(0, 0.1, 0)
    const second = graph.propagate(0)
    expect(() => first.undo()).toThrow(/newest first/)
    second.undo()
    first.undo()
    expect(() => first.undo()).toThrow(/newest first/)
    expect(graph.serialize()).toEqual(chain(2).serialize())
  })
})

describe('a configuration', () => {
  it.each([
    ['sigma', 1.5],
    ['slope', Number.NaN],
    ['mutateBase', -1],
    ['epsilon', Number.POSITIVE_INFINITY],
    ['pool', -1n],
  ])('is refused for its %s', (name, value) => {
    expect(() => new Graph({ ...DEFAULT_CONFIG, [name]: value })).toThrow(name)
  })
})
