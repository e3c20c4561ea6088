import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PostgresCluster } from '../contracts/postgres-cluster.ts'
import { runSql } from '../contracts/postgres-database.ts'
import {
  BeliefServer,
  endServers,
  isUnsettled,
  type Outcome,
  runWarrant,
  type ServerPlan,
} from '../history/belief-server.ts'
import { describeWith } from '../services.ts'
import { eventually, makeFolder, Program, sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { initialize, request } from '../support/messages.ts'

/** Longer than the server itself waits for a database, and shorter than its clients would. */
const ANSWER_MS = 45_000
const TIMEOUT = { timeout: 120_000 }

/** The fault in the scg dialect. Its code depends on the timing. */
const UNAVAILABLE = {
  kind: 'refused',
  code: 1000,
  word: 'INTERNAL_ERROR',
  message: expect.stringMatching(/^(the database|the connection was lost)/),
}

/** Every energy a client has written, and the outcome of each write. */
class Ledger {
  readonly sure = new Map<number, number>()
  readonly open = new Set<number>()
  readonly refused = new Set<number>()
  #next = 1

  async create(server: BeliefServer): Promise<Outcome> {
    const energy = this.#next++
    const outcome = await server.call('node.create', { belief: 0.5, energy }, ANSWER_MS)
    if (outcome.kind === 'answered') this.sure.set(energy, Number(outcome.value.node_id))
    else if (isUnsettled(outcome)) this.open.add(energy)
    else this.refused.add(energy)
    return outcome
  }

  /** Writes until it is stopped, a few at a time. Every error must be `unavailable`. */
  async writeUntil(server: BeliefServer, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const outcomes = await Promise.all([1, 2, 3].map(() => this.create(server)))
      for (const outcome of outcomes)
        if (outcome.kind !== 'answered') expect(outcome).toMatchObject(UNAVAILABLE)
      await sleep(5)
    }
  }
}

/** Energies in the order of the log. The only writes are those of the ledger. */
const readEnergies = async (address: string, graph: string): Promise<number[]> => {
  const rows = await runSql(
    address,
    `SELECT convert_from(payload, 'UTF8')::json #>> '{args,energy}' AS energy FROM warrant.entries
    WHERE log = (SELECT id FROM warrant.logs WHERE name = $1) ORDER BY seq`,
    [graph],
  )
  return rows.map(({ energy }) => Number(energy))
}

describeWith('postgres', 'a belief server whose database', () => {
  let cluster: PostgresCluster
  let folder: string
  beforeAll(async () => {
    cluster = await PostgresCluster.start()
    folder = await makeFolder()
  })
  afterAll(async () => {
    await endServers()
    await cluster.remove()
    await sweep()
  })

  const planFor = (graph: string): ServerPlan => ({
    store: cluster.address,
    folder,
    args: ['--graph', graph],
  })

  /** Every acknowledged write is there once, at its sequence number; refused ones are not. */
  const expectKept = async (graph: string, ledger: Ledger): Promise<void> => {
    const energies = await readEnergies(cluster.address, graph)
    const places = new Map(energies.map((energy, place) => [energy, place]))
    expect(places.size).toBe(energies.length)
    for (const [energy, id] of ledger.sure) expect(places.get(energy)).toBe(id)
    expect([...ledger.refused].filter((energy) => places.has(energy))).toEqual([])
    const unannounced = energies.filter((energy) => !ledger.sure.has(energy))
    for (const energy of unannounced) expect(ledger.open).toContain(energy)
    const verified = await runWarrant(planFor(graph), ['log', 'verify', '--graph', graph])
    expect(verified.value).toMatchObject({
      chain: { outcome: 'intact', size: energies.length },
      execution: { outcome: 'same' },
    })
  }

  /** The server with the common dialect; its answers are tool results. */
  const startCommon = (graph: string): Program => {
    const program = new Program(['mcp', '--store', cluster.address, '--graph', graph], { cwd: folder })
    program.send(initialize(0))
    return program
  }
  const callCommon = async (program: Program, id: number) => {
    const call = { name: 'node_create', arguments: { belief: 0.5, energy: 1_000_000 + id } }
    program.send(request(id, 'tools/call', call))
    return (await program.answers(id + 1, ANSWER_MS)).at(-1)?.result
  }
  const UNAVAILABLE_RESULT = {
    isError: true,
    _meta: { 'warrant/fault': { kind: 'unavailable', code: expect.stringMatching(/^store\./) } },
  }

  it('is stopped says so, and goes on by itself when it is back', TIMEOUT, async () => {
    const ledger = new Ledger()
    const [early, common] = [new BeliefServer(planFor('stopped')), startCommon('stopped-too')]
    for (let n = 0; n < 3; n += 1) expect(await ledger.create(early)).toMatchObject({ kind: 'answered' })
    expect((await callCommon(common, 1)).structuredContent).toMatchObject({ node_id: 0 })
    await cluster.stop('SIGINT')
    const late = new BeliefServer(planFor('stopped'))
    for (const server of [early, late]) {
      expect(await server.call('node.query', { node_id: '0' }, ANSWER_MS)).toMatchObject(UNAVAILABLE)
      expect(await server.call('governance.status', {}, ANSWER_MS)).toMatchObject(UNAVAILABLE)
      expect(await ledger.create(server)).toMatchObject(UNAVAILABLE)
    }
    expect(await callCommon(common, 2)).toMatchObject(UNAVAILABLE_RESULT)
    await cluster.restart()
    for (const server of [early, late]) {
      expect(await server.must('node.query', { node_id: '2' })).toMatchObject({ energy: 3 })
      expect(await ledger.create(server)).toMatchObject({ kind: 'answered' })
    }
    expect((await callCommon(common, 3)).structuredContent).toMatchObject({ node_id: 1 })
    expect(ledger.open.size).toBe(0)
    await expectKept('stopped', ledger)
    for (const server of [early, late]) await server.finish()
    await common.finish()
  })

  it.each(someRows(['SIGINT', 'SIGQUIT', 'SIGKILL'] as const, 3, 2))(
    'goes by %s in the middle of writes and comes back loses nothing and has nothing twice',
    TIMEOUT,
    async (signal) => {
      const ledger = new Ledger()
      const servers = [1, 2, 3].map(() => new BeliefServer(planFor(signal)))
      const done = new AbortController()
      const writing = Promise.all(servers.map((server) => ledger.writeUntil(server, done.signal)))
      await eventually('writes', () => ledger.sure.size > 20, ANSWER_MS)
      await cluster.stop(signal)
      await eventually('refused writes', () => ledger.refused.size + ledger.open.size > 0, ANSWER_MS)
      const before = ledger.sure.size
      await cluster.restart()
      await eventually('writes after the database came back', () => ledger.sure.size > before + 3, ANSWER_MS)
      done.abort()
      await writing
      await expectKept(signal, ledger)
      for (const server of servers) await server.finish()
    },
  )

  it('is slow for a while makes its callers wait, and nothing else', TIMEOUT, async () => {
    const ledger = new Ledger()
    const servers = [1, 2].map(() => new BeliefServer(planFor('slow')))
    for (const server of servers) expect(await ledger.create(server)).toMatchObject({ kind: 'answered' })
    for (let round = 0; round < 3; round += 1) {
      const asked = servers.flatMap((server) => [1, 2, 3].map(() => ledger.create(server)))
      await sleep(round * 3)
      cluster.freeze()
      await sleep(700)
      cluster.thaw()
      for (const outcome of await Promise.all(asked)) expect(outcome).toMatchObject({ kind: 'answered' })
    }
    expect(ledger.sure.size).toBe(20)
    await expectKept('slow', ledger)
    for (const server of servers) await server.finish()
  })

  it('does not answer at all says so in time, and nothing is there twice when it does', TIMEOUT, async () => {
    const ledger = new Ledger()
    const server = new BeliefServer(planFor('frozen'))
    const common = startCommon('frozen-too')
    expect(await ledger.create(server)).toMatchObject({ kind: 'answered' })
    expect((await callCommon(common, 1)).structuredContent).toMatchObject({ node_id: 0 })
    const stop = new AbortController()
    const writing = ledger.writeUntil(server, stop.signal)
    await eventually('writes', () => ledger.sure.size > 3)
    cluster.freeze()
    stop.abort()
    const other = callCommon(common, 2)
    await writing
    const read = await server.call('node.query', { node_id: '0' }, ANSWER_MS)
    expect(read).toMatchObject(UNAVAILABLE)
    expect(await other).toMatchObject(UNAVAILABLE_RESULT)
    cluster.thaw()
    // The server now reads everything that was sent while it was suspended.
    await sleep(500)
    expect(await server.must('node.query', { node_id: '0' })).toMatchObject({ energy: 1 })
    expect(await ledger.create(server)).toMatchObject({ kind: 'answered' })
    await expectKept('frozen', ledger)
    await server.finish()
    await common.finish()
  })
})
