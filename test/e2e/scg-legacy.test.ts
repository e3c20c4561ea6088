import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { makeFolder, sweep } from '../support/binary.ts'
import { type Message, request } from '../support/messages.ts'
import { expectError, ScgServer, stopServers } from './scg-client.ts'

afterEach(stopServers)
afterAll(sweep)

const HASH = expect.stringMatching(/^[0-9a-f]{64}$/)

test('With --wire legacy the answers are those of the older server', async () => {
  const folder = await makeFolder()
  const server = new ScgServer({ args: ['--store', 'memory', '--wire', 'legacy'], cwd: folder })
  const text = async (tool: string, args: object = {}) => {
    const { result } = await server.call(tool, args)
    return (result as { content: readonly { text: string }[] }).content[0]?.text ?? ''
  }
  const said = async (tool: string, args?: object) => JSON.parse(await text(tool, args))

  expect(await said('node.create', { belief: 0.9, energy: 10 })).toEqual({
    id: 0,
    belief: 0.9,
    energy: 10,
    esv_valid: true,
    stability: 1,
  })
  await said('node.create', { belief: 0.1, energy: 10 })
  expect(await said('edge.bind', { src: '0', dst: '1', weight: 0.5 })).toEqual({
    id: 0,
    src: 0,
    dst: 1,
    weight: 0.5,
  })
  expect(await text('edge.propagate', { edge_id: '0' })).toBe(
    'Propagation step completed (all edges processed)',
  )
  expect((await said('node.query', { node_id: '1' })).stability).toBeLessThan(1)
  expect(await text('esv.audit', { node_id: '1' })).toBe('ESV audit result: VALID')
  const governor = {
    drift_ok: true,
    energy_drift: 0,
    coherence: 1,
    node_count: 2,
    edge_count: 1,
    healthy: true,
  }
  expect(await said('governor.status')).toEqual(governor)
  expect(await said('governance.status')).toEqual(governor)
  expect(await said('lineage.replay')).toEqual([
    { sequence: 3, operation: 'tick', checksum: HASH, tick: 1 },
    { sequence: 2, operation: 'decision', checksum: HASH, tick: 0 },
    { sequence: 1, operation: 'energy', checksum: HASH, tick: 0 },
    { sequence: 0, operation: 'energy', checksum: HASH, tick: 0 },
  ])
  const { checksum } = await said('lineage.export', { path: 'log.json' })
  const bytes = readFileSync(join(folder, 'log.json'))
  expect(checksum).toBe(bytes.reduce((sum, byte) => (sum + byte) >>> 0, 0))
  expectError(await server.call('node.query', { node_id: '7' }), 4004)
})

test('Pipelined calls are answered each with its own state, never with a later one', async () => {
  const server = new ScgServer({ args: ['--store', 'memory', '--wire', 'legacy'] })
  const call = (id: number, name: string, args: object = {}) =>
    request(id, 'tools/call', { name, arguments: args })
  server.send(
    call(1, 'node.create', { belief: 0.5, energy: 10 }),
    call(2, 'governor.status'),
    call(3, 'lineage.replay'),
    call(4, 'node.mutate', { node_id: '0', delta: 0.25 }),
    call(5, 'node.query', { node_id: '0' }),
    call(6, 'node.query', { node_id: '1' }),
    call(7, 'node.create', { belief: 1, energy: 1 }),
    call(8, 'node.mutate', { node_id: '0', delta: 0.125 }),
  )
  const answers = await server.received(8)
  const said = answers.map(({ result }) => result && JSON.parse(result.content[0].text))
  expect(said[0]).toEqual({ id: 0, belief: 0.5, energy: 10, esv_valid: true, stability: 1 })
  expect(said[1]).toMatchObject({ node_count: 1 })
  expect(said[2]).toHaveLength(1)
  expect(said[3]).toMatchObject({ id: 0, belief: 0.75 })
  expect(said[4]).toMatchObject({ id: 0, belief: 0.75 })
  expectError(answers[5] as Message, 4004)
  expect(said[6]).toMatchObject({ id: 1, belief: 1 })
  expect(said[7]).toMatchObject({ id: 0, belief: 0.875 })
})
