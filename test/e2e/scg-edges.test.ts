import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sweep } from '../support/binary.ts'
import {
  expectError,
  NEVER,
  NO_IDS,
  NO_TEXTS,
  ScgServer,
  stateOf,
  stopServers,
  TIME,
  WAYS,
} from './scg-client.ts'

afterEach(stopServers)
afterAll(sweep)

describe('edge.bind and edge.propagate', () => {
  let server: ScgServer
  beforeEach(() => {
    server = new ScgServer()
  })
  const make = async (belief: number, energy: number) =>
    String((await server.must('node.create', { belief, energy })).node_id)
  const bind = (src: string, dst: string, weight: number) => server.call('edge.bind', { src, dst, weight })

  describe.each(Object.entries(WAYS))('%s', (_, way) => {
    test('bind, number edges from 0 and show exactly what scg-mcp-server shows', async () => {
      for (const belief of [0.1, 0.2, 0.3]) await make(belief, 1)
      const bound = [
        await way(server, 'edge.bind', { src: '0', dst: '1', weight: 0.5 }),
        await way(server, 'edge.bind', { src: '1', dst: '2', weight: -0.5 }),
        await way(server, 'edge.bind', { src: '0', dst: '1', weight: 0 }),
      ].map(stateOf)
      const timestamp = expect.stringMatching(TIME)
      expect(bound).toEqual([
        { edge_id: 0, src: 0, dst: 1, weight: 0.5, timestamp },
        { edge_id: 1, src: 1, dst: 2, weight: -0.5, timestamp },
        { edge_id: 2, src: 0, dst: 1, weight: 0, timestamp },
      ])
    })

    test('propagate whatever edge is named, also in an empty graph', async () => {
      for (const edge_id of ['0', '999999', '', 'e'.repeat(10_000), '-1', 'dag_topology']) {
        const answer = await way(server, 'edge.propagate', { edge_id })
        expect(Object.keys(stateOf(answer))).toEqual([
          'tick',
          'nodes_updated',
          'edges_processed',
          'max_belief_change',
          'converged',
          'timestamp',
        ])
        expect(JSON.stringify(answer)).not.toMatch(
          /propagation_path|belief_vector|energy_redistribution|dag_topology/,
        )
      }
      for (const args of [{}, { edge_id: 0 }, { edge_id: null }]) {
        expectError(await way(server, 'edge.propagate', args), 2000)
      }
      expect(await server.must('governance.status')).toMatchObject({ tick: 6, lineage_length: 6 })
    })
  })

  test('take every weight in range and none outside', async () => {
    await make(0.5, 1)
    await make(0.5, 1)
    const good = [0, 0.5, -0.5, 0.95, 1e6, -1e6, 5e-324]
    for (const weight of good) expect(stateOf(await bind('0', '1', weight)).weight).toBe(weight)
    const bad = [1e10, -1e10, 1_000_000.0000000001, null, 'Infinity', '-Infinity', '0.5', true, [], {}]
    for (const weight of bad)
      expectError(await server.call('edge.bind', { src: '0', dst: '1', weight }), 2000)
    for (const weight of ['1e999', '-1e999']) {
      const line = `{"jsonrpc":"2.0","id":"${weight}","method":"edge.bind","params":{"src":"0","dst":"1","weight":${weight}}}`
      expectError(await server.answerTo(weight, line), 2000)
    }
    expect(await server.must('governance.status')).toMatchObject({
      edge_count: good.length,
      lineage_length: 9,
    })
  })

  test('refuse ends that are not there or are no ids, the shape before the node', async () => {
    await make(0.5, 1)
    const weight = 0.5
    for (const [src, dst] of [
      ['0', '7'],
      ['7', '0'],
      ['0', NEVER],
      [NEVER, NEVER],
    ]) {
      expectError(await server.call('edge.bind', { src, dst, weight }), 4004)
    }
    for (const bad of [...NO_IDS, ...NO_TEXTS]) {
      expectError(await server.call('edge.bind', { src: bad, dst: '7', weight }), 2000)
      expectError(await server.call('edge.bind', { src: '7', dst: bad, weight }), 2000)
    }
    expectError(await server.call('edge.bind', { src: '7', dst: '8', weight: 1e10 }), 2000)
    for (const args of [{}, { src: '0', dst: '0' }, { src: '0', weight }, { dst: '0', weight }]) {
      expectError(await server.call('edge.bind', args), 2000)
    }
    // The missing source is named, not the missing target.
    expect((await bind('7', '8', 1)).error?.message).toContain('7')
    expect(await server.must('governance.status')).toMatchObject({ edge_count: 0, lineage_length: 1 })
  })

  test('refuse cycles of every length and leave no trace of them', async () => {
    for (const belief of [0.1, 0.5, 0.9]) await make(belief, 1)
    stateOf(await bind('0', '1', 1))
    stateOf(await bind('1', '2', 1))
    const before = await server.must('governance.status')
    for (const [src, dst] of [
      ['2', '0'],
      ['1', '0'],
      ['2', '1'],
      ['0', '0'],
      ['2', '2'],
    ]) {
      expectError(await bind(src as string, dst as string, 0.5), 5000)
    }
    expect(await server.must('governance.status')).toEqual(before)
    expect(stateOf(await bind('0', '2', 1)).edge_id).toBe(2)
  })

  test('allow cycles where the graph was made for them', async () => {
    const looping = new ScgServer({ args: ['--store', 'memory', '--allow-cycles'] })
    for (const belief of [0.1, 0.9]) await looping.must('node.create', { belief, energy: 1 })
    for (const [src, dst] of [
      ['0', '1'],
      ['1', '0'],
      ['1', '1'],
    ]) {
      await looping.must('edge.bind', { src, dst, weight: 1 })
    }
    for (let tick = 0; tick < 50; tick += 1) await looping.must('edge.propagate', { edge_id: '0' })
    expect(await looping.must('governance.status')).toMatchObject({ edge_count: 3, tick: 50, healthy: true })
  })

  test('follow the published trajectory to the bit, through 3001 ticks', async () => {
    await make(0.7, 100)
    await make(0.3, 50)
    const node = (node_id: string) => server.must('node.query', { node_id })
    expect(await server.must('node.mutate', { node_id: '0', delta: 0.1 })).toMatchObject({
      belief: 0.7999999999999999,
      energy: 99.895,
    })
    stateOf(await bind('0', '1', 0.5))
    expect(await server.must('edge.propagate', { edge_id: '0' })).toMatchObject({
      tick: 1,
      nodes_updated: 2,
      edges_processed: 1,
      max_belief_change: 0.31666666666666665 - 0.3,
      converged: false,
    })
    expect(await node('1')).toMatchObject({ belief: 0.31666666666666665, energy: 50.00083333333333 })
    expect(await node('0')).toMatchObject({ belief: 0.7999999999999999, energy: 99.89416666666666 })
    expect(stateOf(await server.flood(3_000, 'edge.propagate', { edge_id: '0' }))).toMatchObject({
      tick: 3_001,
      converged: true,
    })
    expect(await node('1')).toMatchObject({ belief: 0.7999999999999983, energy: 50.025000000000006 })
    expect(await node('0')).toMatchObject({ belief: 0.7999999999999999, energy: 99.86999999999999 })
    expect(await server.must('governance.status')).toMatchObject({
      drift: 0,
      healthy: true,
      lineage_length: 3_005,
    })
  })

  test('let a negative weight argue for the opposite', async () => {
    await make(0.7, 100)
    await make(0.3, 50)
    await server.must('node.mutate', { node_id: '0', delta: 0.1 })
    stateOf(await bind('0', '1', -0.5))
    for (let tick = 0; tick < 5; tick += 1) await server.must('edge.propagate', { edge_id: '0' })
    const { belief } = await server.must('node.query', { node_id: '1' })
    expect(belief).toBeLessThan(0.3)
    expect(belief).toBeGreaterThan(0.2)
  })

  test('move a belief towards its source, within bounds, and lose no energy over fifty steps', async () => {
    for (const [belief, energy] of [
      [0.9, 40],
      [0.1, 20],
      [0.4, 4],
    ]) {
      await make(belief as number, energy as number)
    }
    for (const [src, dst, weight] of [
      ['0', '1', 1],
      ['1', '2', -1e6],
      ['0', '2', 1e6],
    ] as const) {
      stateOf(await bind(src, dst, weight))
    }
    const all = () => Promise.all(['0', '1', '2'].map((node_id) => server.must('node.query', { node_id })))
    let gap = 0.8
    for (let tick = 1; tick <= 50; tick += 1) {
      expect(await server.must('edge.propagate', { edge_id: '999999' })).toMatchObject({ tick })
      const nodes = await all()
      for (const { belief } of nodes) expect(belief >= 0 && belief <= 1).toBe(true)
      expect(nodes.reduce((sum, { energy }) => sum + energy, 0)).toBeCloseTo(64, 11)
      const left = nodes[0].belief - nodes[1].belief
      expect(left).toBeLessThan(gap)
      expect(left).toBeGreaterThan(0)
      gap = left
    }
    expect(await server.must('governor.status')).toMatchObject({ drift: 0, coherent: true })
  })

  test('give a source without energy no influence', async () => {
    await make(1, 0)
    await make(0, 1)
    stateOf(await bind('0', '1', 1))
    expect(await server.must('edge.propagate', { edge_id: '0' })).toMatchObject({
      nodes_updated: 0,
      max_belief_change: 0,
      converged: true,
    })
  })
})
