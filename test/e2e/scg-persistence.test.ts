import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { sweep } from '../support/binary.ts'
import { expectError, ScgServer, serverWithFile, stopServers } from './scg-client.ts'

afterEach(stopServers)
afterAll(sweep)

const NODE = { belief: 0.5, energy: 1 }

/** Changes the payload of an entry in the file, past the product. */
const forgePayload = (folder: string, seq: number, from: string, to: string): void => {
  const db = new DatabaseSync(join(folder, '.warrant', 'lineage.db'))
  const changed = db
    .prepare(
      'update runs set bytes = cast(replace(cast(bytes as text), ?, ?) as blob) where id & 4294967295 = ? and instr(bytes, ?)',
    )
    .run(from, to, seq, Buffer.from(from))
  db.close()
  expect(Number(changed.changes)).toBe(1)
}

describe('a graph in a file', () => {
  const shape = async (one: ScgServer) => ({
    status: await one.must('governance.status'),
    replay: await one.must('lineage.replay'),
    nodes: await Promise.all(['0', '1', '2'].map((node_id) => one.must('node.query', { node_id }))),
  })

  test('is there again after a restart, and after a kill', async () => {
    const { server: first, folder } = await serverWithFile()
    for (const belief of [0.9, 0.1, 0.4]) await first.must('node.create', { belief, energy: 10 })
    await first.must('edge.bind', { src: '0', dst: '1', weight: 1 })
    await first.must('edge.propagate', { edge_id: '0' })
    const before = await shape(first)
    expect((await first.finish()).code).toBe(0)

    const second = new ScgServer({ args: [], cwd: folder })
    expect(await shape(second)).toEqual(before)
    await second.must('edge.propagate', { edge_id: '0' })
    const later = await shape(second)
    second.child.kill('SIGKILL')
    await second.finish()

    const third = new ScgServer({ args: [], cwd: folder })
    expect(await shape(third)).toEqual(later)
    expect((await third.must('node.create', NODE)).node_id).toBe(3)
  })

  test('is left with a line in the log that says what was asked of it', async () => {
    const { server } = await serverWithFile({ args: ['--log-level', 'debug'] })
    await server.must('node.create', NODE)
    await server.must('node.create', NODE)
    expectError(await server.call('node.query', { node_id: '7' }), 4004)
    const { stderr } = await server.finish()
    const told = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
    expect(told.success_rate).toBeCloseTo(66.67, 2)
    const counts = Object.values(told.latency_ms['node.create']) as number[]
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2)
    expect(told).toMatchObject({
      message: 'served',
      requests_total: 3,
      requests_success: 2,
      requests_failed: 1,
      invariant_failures: 0,
      tools: { 'node.create': 2, 'node.query': 1 },
    })
  })

  test('is one of many by its name', async () => {
    const { server: one, folder } = await serverWithFile({ args: ['--graph', 'one'] })
    const two = new ScgServer({ args: ['--graph', 'two'], cwd: folder })
    await one.must('node.create', NODE)
    await one.must('node.create', NODE)
    expect((await two.must('node.create', NODE)).node_id).toBe(0)
    expect((await one.must('governance.status')).node_count).toBe(2)
  })

  test('that was tampered with is read and not written', async () => {
    const { server: first, folder } = await serverWithFile({ args: ['--snapshot-every', '1000000'] })
    for (const belief of [0.1, 0.2, 0.3]) await first.must('node.create', { belief, energy: 1 })
    first.child.kill('SIGKILL')
    await first.finish()
    forgePayload(folder, 1, '"belief":0.2', '"belief":0.9')

    const second = new ScgServer({ args: [], cwd: folder })
    expect(await second.must('governance.status')).toMatchObject({
      quarantined: true,
      healthy: false,
      coherent: false,
    })
    expect((await second.must('node.query', { node_id: '0' })).belief).toBe(0.1)
    expectError(await second.call('node.create', NODE), 5000)
    expectError(await second.call('node.mutate', { node_id: '0', delta: 0.1 }), 5000)
    expectError(await second.call('edge.propagate', { edge_id: '0' }), 5000)
    await second.finish()
    const third = new ScgServer({ args: [], cwd: folder })
    expect(await third.must('governor.status')).toMatchObject({ coherent: false })
    expectError(await third.call('node.create', NODE), 5000)
  })
})
