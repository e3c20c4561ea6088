import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sweep } from '../support/binary.ts'
import { expectError, ScgServer, stateOf, stopServers, TIME, WAYS } from './scg-client.ts'

afterEach(stopServers)
afterAll(sweep)

const NODE = { belief: 0.5, energy: 1 }
const EMPTY = {
  checksum_valid: true,
  drift: 0,
  drift_epsilon: 1e-6,
  drift_ok: true,
  esv_valid: true,
  coherent: true,
  quarantined: false,
  healthy: true,
  node_count: 0,
  edge_count: 0,
  lineage_length: 0,
  tick: 0,
  server_version: '0.3.0',
  timestamp: expect.stringMatching(TIME),
}

let server: ScgServer
beforeEach(() => {
  server = new ScgServer()
})

describe.each(Object.entries(WAYS))('%s', (_, way) => {
  test('status is exactly what scg-mcp-server shows, and a part of the governance status', async () => {
    const governor = { drift: 0, coherent: true, timestamp: expect.stringMatching(TIME) }
    expect(stateOf(await way(server, 'governor.status'))).toEqual(governor)
    expect(stateOf(await way(server, 'governance.status'))).toEqual(EMPTY)
    for (let made = 0; made < 5; made += 1) await server.must('node.create', NODE)
    const { timestamp } = await server.must('edge.bind', { src: '0', dst: '1', weight: 1 })
    expect(stateOf(await way(server, 'governor.status'))).toEqual({ ...governor, timestamp })
    const full = { ...EMPTY, node_count: 5, edge_count: 1, lineage_length: 6, timestamp }
    expect(stateOf(await way(server, 'governance.status'))).toEqual(full)
  })

  test('an audit finds a node valid, and an absent one absent', async () => {
    const { timestamp } = await server.must('node.create', NODE)
    const audit = await way(server, 'esv.audit', { node_id: '0' })
    expect(stateOf(audit)).toEqual({ node_id: 0, valid: true, result: 'VALID', timestamp })
    expect(audit.result.content[0].text).toMatch(/\bVALID\b/)
    expectError(await way(server, 'esv.audit', { node_id: '1' }), 4004)
    for (const args of [{}, { node_id: '-1' }, { node_id: 0 }]) {
      expectError(await way(server, 'esv.audit', args), 2000)
    }
  })

  test('a replay is a list of checksums, empty at first', async () => {
    expect(stateOf(await way(server, 'lineage.replay'))).toEqual({ entries: [], truncated: false })
    await server.must('node.create', NODE)
    const answer = await way(server, 'lineage.replay')
    const entry = {
      seq: 0,
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      timestamp: expect.stringMatching(TIME),
    }
    expect(stateOf(answer)).toEqual({ entries: [entry], truncated: false })
    expect(JSON.parse(answer.result.content[0].text)).toEqual([entry])
  })
})

describe('the lineage', () => {
  const length = async () => (await server.must('lineage.replay')).entries.length

  test('grows by one with each operation that changes something, and by nothing else', async () => {
    const steps: readonly (readonly [string, object, number])[] = [
      ['node.create', NODE, 1],
      ['node.create', NODE, 1],
      ['node.create', { belief: 7, energy: 1 }, 0],
      ['node.query', { node_id: '0' }, 0],
      ['node.query', { node_id: '9' }, 0],
      ['node.mutate', { node_id: '0', delta: 0 }, 1],
      ['node.mutate', { node_id: '9', delta: 0 }, 0],
      ['edge.bind', { src: '0', dst: '1', weight: 0 }, 1],
      ['edge.bind', { src: '1', dst: '0', weight: 0 }, 0],
      ['edge.bind', { src: '0', dst: '9', weight: 0 }, 0],
      ['edge.propagate', { edge_id: 'x' }, 1],
      ['edge.propagate', {}, 0],
      ['governor.status', {}, 0],
      ['governance.status', {}, 0],
      ['esv.audit', { node_id: '0' }, 0],
      ['lineage.replay', {}, 0],
      ['lineage.export', { path: '/nowhere/at/all' }, 0],
      ['nonsense', {}, 0],
    ]
    let before = 0
    for (const [name, args, more] of steps) {
      await server.call(name, args)
      const after = await length()
      expect([name, args, after - before]).toEqual([name, args, more])
      before = after
    }
  })

  test('never changes what it has said', async () => {
    const seen: unknown[][] = []
    for (let step = 0; step < 10; step += 1) {
      await server.must('node.create', NODE)
      seen.push((await server.must('lineage.replay')).entries)
    }
    const last = seen.at(-1) ?? []
    for (const entries of seen) expect(entries).toEqual(last.slice(0, entries.length))
    expect(new Set(last.map((entry) => (entry as { checksum: string }).checksum)).size).toBe(10)
  })

  test('is listed in parts with from_seq and limit', async () => {
    for (let step = 0; step < 7; step += 1) await server.must('node.create', NODE)
    const seqs = async (args: object) => {
      const { entries, truncated } = await server.must('lineage.replay', args)
      return [entries.map(({ seq }: { seq: number }) => seq), truncated]
    }
    expect(await seqs({})).toEqual([[0, 1, 2, 3, 4, 5, 6], false])
    expect(await seqs({ limit: 2 })).toEqual([[5, 6], true])
    expect(await seqs({ from_seq: 0, limit: 3 })).toEqual([[0, 1, 2], false])
    expect(await seqs({ from_seq: 5 })).toEqual([[5, 6], true])
    expect(await seqs({ from_seq: 7 })).toEqual([[], true])
    const bad = [{ from_seq: -1 }, { from_seq: 1.5 }, { from_seq: '0' }, { limit: 0 }, { limit: 10_001 }]
    for (const args of bad) expectError(await server.call('lineage.replay', args), 2000)
  })

  test('shows the newest ten thousand, and the rest to who asks', async () => {
    await server.flood(10_050, 'edge.propagate', { edge_id: '' })
    const { entries, truncated } = await server.must('lineage.replay')
    expect([entries.length, entries[0].seq, entries.at(-1).seq, truncated]).toEqual([
      10_000,
      50,
      10_049,
      true,
    ])
    const older = await server.must('lineage.replay', { from_seq: 0, limit: 51 })
    expect(older.entries.at(-1)).toEqual(entries[0])
  })
})

describe('time', () => {
  test.each([
    ['SCG_DETERMINISM', '1'],
    ['SCG_TIMESTAMP_MODE', 'deterministic'],
  ])('is counted in entries with %s=%s', async (name, value) => {
    const fixed = new ScgServer({ env: { [name]: value } })
    const at = (seq: number) => new Date((1_700_000_000 + seq) * 1_000).toISOString()
    expect((await fixed.must('node.create', NODE)).timestamp).toBe(at(0))
    expect((await fixed.must('node.create', NODE)).timestamp).toBe(at(1))
    expect((await fixed.must('edge.bind', { src: '0', dst: '1', weight: 1 })).timestamp).toBe(at(2))
    expect((await fixed.must('edge.propagate', { edge_id: '' })).timestamp).toBe(at(3))
    expect((await fixed.must('node.mutate', { node_id: '1', delta: 0.1 })).timestamp).toBe(at(4))
    expect((await fixed.must('node.query', { node_id: '0' })).timestamp).toBe(at(0))
    expect((await fixed.must('esv.audit', { node_id: '1' })).timestamp).toBe(at(4))
    expect((await fixed.must('governor.status')).timestamp).toBe(at(4))
    const { entries } = await fixed.must('lineage.replay')
    expect(entries.map(({ timestamp }: { timestamp: string }) => timestamp)).toEqual([0, 1, 2, 3, 4].map(at))
  })

  test('is otherwise that of the last write, which reading does not change', async () => {
    const before = Date.now()
    const made = await server.must('node.create', NODE)
    expect(Date.parse(made.timestamp)).toBeGreaterThanOrEqual(before - 1)
    expect(Date.parse(made.timestamp)).toBeLessThanOrEqual(Date.now() + 1)
    const reads = ['node.query', 'node.query', 'esv.audit'].map((name) => server.must(name, { node_id: '0' }))
    for (const { timestamp } of await Promise.all(reads)) expect(timestamp).toBe(made.timestamp)
  })
})
