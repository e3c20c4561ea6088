import { afterAll, describe, expect, test } from 'vitest'
import { sweep, WAIT_MS, within } from '../support/binary.ts'
import { type Message, request } from '../support/messages.ts'
import { expectError, ScgServer, stateOf, stopServers } from './scg-client.ts'

afterAll(async () => {
  stopServers()
  await sweep()
})

const POOL = 2n ** 60n
const MOST = 10n ** 12n
const BATCH = 20_000

describe('the reserve', () => {
  test('gives out all it has to more than a million nodes, and not a quantum more', async () => {
    const server = new ScgServer()
    const full = Number(POOL / MOST)
    let last: Message | undefined
    for (let made = 0; made < full; made += BATCH) {
      const count = Math.min(BATCH, full - made)
      last = await within(
        server.flood(count, 'node.create', { belief: 0.5, energy: Number(MOST) }),
        WAIT_MS,
        'a batch',
      )
      // The client keeps every line, which is too much for a million.
      server.lines.length = 0
      server.messages.length = 0
    }
    expect(stateOf(last as Message)).toMatchObject({ node_id: full - 1, energy: 1e12 })

    const create = (energy: number) =>
      server.answerTo('c', request('c', 'node.create', { belief: 0, energy }))
    const rest = Number(POOL % MOST)
    expectError(await create(1e12), 5000)
    expectError(await create(rest + 1), 5000)
    expect(stateOf(await create(rest - 0.5)).node_id).toBe(full)
    expectError(await create(0.5000000000000001), 5000)
    expect(stateOf(await create(0.5)).node_id).toBe(full + 1)
    expectError(await create(2 ** -104), 5000)
    expect(stateOf(await create(0)).node_id).toBe(full + 2)
    expect(stateOf(await create(2 ** -105)).energy).toBe(0)

    // What a node loses is dissipated; it does not come back to the reserve.
    await server.must('node.mutate', { node_id: '0', delta: 0.5 })
    expectError(await create(2 ** -104), 5000)
    const status = await server.must('governance.status')
    expect(status).toMatchObject({ drift: 0, healthy: true, node_count: full + 4, lineage_length: full + 5 })
  })
})
