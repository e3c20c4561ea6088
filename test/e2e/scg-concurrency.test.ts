import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { makeFolder, sweep } from '../support/binary.ts'
import { caseCount, someRows } from '../support/case-count.ts'
import { request } from '../support/messages.ts'
import { ScgServer, stateOf, stopServers } from './scg-client.ts'

afterEach(stopServers)
afterAll(sweep)

const NODE = { belief: 0.5, energy: 100 }

/** Several servers on the one log in a folder. */
const startOn = (folder: string, count: number): ScgServer[] =>
  Array.from({ length: count }, () => new ScgServer({ args: [], cwd: folder }))

type Client = (name: string, args?: object) => ReturnType<ScgServer['must']>

/** Lets `count` clients work at once, spread over the servers; each waits for its own answers. */
const together = async <T>(
  servers: readonly ScgServer[],
  count: number,
  work: (use: Client, client: number) => Promise<T>,
): Promise<T[]> =>
  Promise.all(
    Array.from({ length: count }, (_, client) => {
      const server = servers[client % servers.length] as ScgServer
      return work((name, args) => server.must(name, args), client)
    }),
  )

const repeat = async <T>(times: number, work: (turn: number) => Promise<T>): Promise<T[]> => {
  const done: T[] = []
  for (let turn = 0; turn < times; turn += 1) done.push(await work(turn))
  return done
}

/** All servers must report the same state, and a healthy one. */
const agreeOn = async (servers: readonly ScgServer[], expected: object): Promise<void> => {
  const seen = await Promise.all(
    servers.map(async (server) => [
      await server.must('governance.status'),
      await server.must('lineage.replay'),
    ]),
  )
  for (const [status, replay] of seen) {
    expect(status).toMatchObject({ drift: 0, healthy: true, ...expected })
    expect(replay).toEqual(seen[0]?.[1])
    expect(replay.entries).toHaveLength(status.lineage_length)
  }
}

// One server with several clients, and four: the long run. The clients of each of two are several too.
describe.each(someRows([2, 4, 1], 3))('clients of %i server(s) on one log', (count) => {
  const start = async () => startOn(await makeFolder(), count)
  const create = async ([server]: readonly ScgServer[], nodes: number): Promise<void> => {
    for (let made = 0; made < nodes; made += 1) await server?.must('node.create', NODE)
  }

  test('never get the same id twice', async () => {
    const servers = await start()
    const turns = caseCount(10, 20)
    const made = await together(servers, 8, (use) => repeat(turns, () => use('node.create', NODE)))
    const ids = made.flat().map(({ node_id }) => node_id)
    expect(ids.sort((a, b) => a - b)).toEqual([...Array(8 * turns).keys()])
    await agreeOn(servers, { node_count: 8 * turns, lineage_length: 8 * turns })
  })

  test('may all mutate', async () => {
    const servers = await start()
    const turns = caseCount(10, 50)
    await create(servers, 4)
    await together(servers, 4, (use, client) =>
      repeat(turns, (turn) =>
        use('node.mutate', { node_id: String(client), delta: turn % 2 === 0 ? 0.1 : -0.1 }),
      ),
    )
    await agreeOn(servers, { lineage_length: 4 + 4 * turns })
    for (const server of servers) {
      const { belief, energy } = await server.must('node.query', { node_id: '3' })
      expect(belief).toBeCloseTo(0.5, 12)
      expect(energy).toBeCloseTo(100 - turns * 0.105, 9)
    }
  })

  test('may do everything at once', async () => {
    const servers = await start()
    await create(servers, 1)
    const turns = caseCount(10, 30)
    await together(servers, 8, (use, client) =>
      repeat(turns, async (turn) => {
        const { node_id } = await use('node.create', NODE)
        const own = { node_id: String(node_id) }
        if ((turn + client) % 5 === 0) await use('lineage.replay')
        expect((await use('node.query', own)).belief).toBe(0.5)
        expect((await use('node.mutate', { ...own, delta: 0.25 })).belief).toBe(0.75)
        expect((await use('node.query', own)).belief).toBe(0.75)
        if (turn % 10 === 0) expect((await use('governor.status')).coherent).toBe(true)
      }),
    )
    await agreeOn(servers, { node_count: 8 * turns + 1, lineage_length: 16 * turns + 1 })
  })

  test('may bind and propagate', async () => {
    const servers = await start()
    await create(servers, 8)
    await together(servers, 4, async (use, client) => {
      await use('edge.bind', { src: String(client), dst: String(client + 4), weight: 0.5 })
      await repeat(10, () => use('edge.propagate', { edge_id: '0' }))
    })
    await agreeOn(servers, { edge_count: 4, tick: 40, lineage_length: 52 })
  })

  test('may all ask for the status and the lineage', async () => {
    const servers = await start()
    await create(servers, 20)
    const states = await together(servers, 16, (use) =>
      repeat(caseCount(10, 50), () => use('governor.status')),
    )
    for (const state of states.flat()) expect(state).toMatchObject({ drift: 0, coherent: true })
    const replays = await together(servers, 8, (use) =>
      repeat(caseCount(10, 20), () => use('lineage.replay')),
    )
    expect(new Set(replays.flat().map((replay) => JSON.stringify(replay))).size).toBe(1)
  })

  test('do not wait for each other for ever', async () => {
    const servers = await start()
    await create(servers, 1)
    await together(servers, 32, (use, client) =>
      repeat(20, () =>
        client % 2 === 0 ? use('node.mutate', { node_id: '0', delta: 0.01 }) : use('governance.status'),
      ),
    )
    await agreeOn(servers, { lineage_length: 321 })
  })

  test('may create while beliefs spread', async () => {
    const servers = await start()
    const turns = caseCount(10, 50)
    await together(servers, 8, (use) =>
      repeat(turns, async (turn) => {
        await use('node.create', NODE)
        if (turn % 10 === 9) await use('edge.propagate', { edge_id: '0' })
      }),
    )
    const tick = (8 * turns) / 10
    await agreeOn(servers, { node_count: 8 * turns, tick, lineage_length: 8 * turns + tick })
  })

  test('see acknowledged writes of another server immediately', async () => {
    const servers = await start()
    const [writer, reader] = [servers[0] as ScgServer, servers.at(-1) as ScgServer]
    const turns = caseCount(20, 50)
    for (let turn = 0; turn < turns; turn += 1) {
      const made = await writer.must('node.create', { belief: turn / turns, energy: turn })
      expect(await reader.must('node.query', { node_id: String(turn) })).toEqual(made)
      const moved = await reader.must('node.mutate', { node_id: String(turn), delta: 0.5 })
      expect(await writer.must('node.query', { node_id: String(turn) })).toEqual(moved)
    }
  })

  test('are answered in order when they do not wait', async () => {
    const servers = await start()
    const lines = Array.from({ length: 400 }, (_, id) =>
      id % 4 === 3 ? request(id, 'lineage.replay', { limit: 1 }) : request(id, 'node.create', NODE),
    )
    for (const server of servers) server.send(...lines)
    for (const server of servers) {
      const answers = await server.received(400)
      expect(answers.map(({ id }) => id)).toEqual([...Array(400).keys()])
      const ids = answers.filter((_, id) => id % 4 !== 3).map((answer) => stateOf(answer).node_id)
      expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    }
    await agreeOn(servers, { node_count: 300 * count })
  })
})

describe('a server that is killed among others', () => {
  test('takes nothing with it that it had acknowledged', async () => {
    const folder = await makeFolder()
    const [victim, ...others] = startOn(folder, 3) as [ScgServer, ...ScgServer[]]
    victim.send(
      ...Array.from({ length: 5_000 }, (_, id) =>
        request(id, 'node.create', { ...NODE, belief: id / 5_000 }),
      ),
    )
    const busy = together(others, 4, (use) => repeat(50, () => use('edge.propagate', { edge_id: '0' })))
    await victim.received(300)
    victim.child.kill('SIGKILL')
    await victim.finish()
    await busy
    const acknowledged = victim.messages.map(stateOf)
    const [first] = others as [ScgServer]
    const kept = await Promise.all(
      acknowledged.map(({ node_id }) => first.must('node.query', { node_id: String(node_id) })),
    )
    expect(kept).toEqual(acknowledged)
    await agreeOn(others, { tick: 200 })
    await agreeOn(startOn(folder, 1), { tick: 200 })
  })
})
