import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Fault } from '../../src/kernel/fault.ts'
import type { LineageLog, LogStore } from '../../src/lineage/store.ts'
import { postgresLogs } from '../../src/platform/log-stores/postgres/log.ts'
import { describeWith } from '../services.ts'
import { eventually } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { CutProxy, DELAY_MS, FATES } from './cut-proxy.ts'
import { GENESIS, node, readAll, row, rows, texts } from './log-rows.ts'
import { PostgresCluster } from './postgres-cluster.ts'
import { makeDatabase, runSql, type TestDatabase } from './postgres-database.ts'

const faultOf = (work: Promise<unknown>): Promise<Fault> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error) => {
      if (!(error instanceof Fault)) throw error
      return error
    },
  )

describe('an address', () => {
  it.each([
    '',
    'file',
    '/tmp/file',
    'mysql://a@b/c',
    'postgres://u:sekret@h:99999999/d',
    'postgres://u:%zz@h/d',
  ])('cannot be %j', (address) => {
    const opened = () => postgresLogs(address)
    expect(opened).toThrow(expect.objectContaining({ kind: 'invalid', code: 'store.address' }))
    expect(opened).not.toThrow(/sekret/)
  })

  it('that is unreachable is unavailable, and its password is not in the message', async () => {
    const store = postgresLogs('postgres://somebody:sekret@127.0.0.1:1/nothing')
    const fault = await faultOf(store.open('log', GENESIS))
    expect(fault).toMatchObject({ kind: 'unavailable', code: 'store.unreachable' })
    expect(inspect(fault, { depth: 20, showHidden: true })).not.toContain('sekret')
    await store.close()
  })
})

describeWith('postgres', 'a PostgreSQL log', (server) => {
  let database: TestDatabase
  let stores: LogStore[] = []
  beforeAll(async () => {
    database = await makeDatabase(server)
  })
  afterAll(async () => {
    for (const store of stores) await store.close()
    await database.remove()
  })

  const openLog = (name: string, address = database.address): Promise<LineageLog> => {
    const store = postgresLogs(address)
    stores = [...stores, store]
    return store.open(name, GENESIS)
  }

  it('of a newer version is refused', async () => {
    const { address, remove } = await makeDatabase(server)
    const first = postgresLogs(address)
    await first.open('log', GENESIS)
    await first.close()
    await runSql(address, 'UPDATE warrant.format SET version = 2')
    const store = postgresLogs(address)
    expect(await faultOf(store.open('log', GENESIS))).toMatchObject({ kind: 'invalid', code: 'store.newer' })
    expect(await faultOf(store.names())).toMatchObject({ kind: 'invalid', code: 'store.newer' })
    await store.close()
    await remove()
  })

  it('of a database that is not there, or not for us, is refused', async () => {
    const url = new URL(database.address)
    url.pathname = '/no_such_database'
    expect(await faultOf(openLog('log', url.href))).toMatchObject({ code: 'store.address' })
    url.username = 'nobody-of-that-name'
    url.password = 'sekret'
    const fault = await faultOf(openLog('log', url.href))
    expect(fault).toMatchObject({ kind: 'invalid', code: 'store.address' })
    expect(inspect(fault, { depth: 20, showHidden: true })).not.toContain('sekret')
  })

  it('whose tables were dropped is damaged', async () => {
    const { address, remove } = await makeDatabase(server)
    const store = postgresLogs(address)
    const log = await store.open('log', GENESIS)
    await runSql(address, 'DROP TABLE warrant.entries')
    expect(await faultOf(Promise.resolve(log.append(0, rows(0, 1), [])))).toMatchObject({ kind: 'corrupt' })
    await store.close()
    await remove()
  })

  it('is durable and exact even where the server is set up otherwise', async () => {
    const { address, remove } = await makeDatabase(server)
    const { pathname } = new URL(address)
    for (const setting of ['synchronous_commit = off', "default_transaction_isolation = 'serializable'"]) {
      await runSql(address, `ALTER DATABASE ${pathname.slice(1)} SET ${setting}`)
    }
    const store = postgresLogs(address)
    const logs = await Promise.all([1, 2, 3, 4].map(() => store.open('log', GENESIS)))
    for (let size = 0; size < 20; size++) {
      const wins = await Promise.all(logs.map((log, who) => log.append(size, [row(size, `${who}`)], [])))
      expect(wins.filter((won) => won)).toHaveLength(1)
    }
    await store.close()
    await remove()
  })

  it('waits for the lock on the head, and gives up in time', async () => {
    const store = postgresLogs(database.address, { statementMs: 300 })
    const log = await store.open('held', GENESIS)
    const holding = runSql(
      database.address,
      "BEGIN; SELECT FROM warrant.logs WHERE name = 'held' FOR UPDATE; SELECT pg_sleep(1); COMMIT",
    )
    await eventually('the lock', async () => {
      const asleep =
        "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
      return (await runSql(database.address, asleep)).length > 0
    })
    expect(await faultOf(Promise.resolve(log.append(0, rows(0, 1), [])))).toMatchObject({
      kind: 'unavailable',
      code: 'store.busy',
    })
    expect((await log.head()).size).toBe(0)
    await holding
    expect(await log.append(0, rows(0, 1), [])).toBe(true)
    await store.close()
  })

  it.each(FATES)('knows what became of an append whose connection was cut: %s', async (fate) => {
    const proxy = await CutProxy.start(database.address)
    const store = postgresLogs(proxy.address, { statementMs: 200 })
    const log = await store.open(fate, GENESIS)
    for (let size = 0; size < 3; size++) {
      const cut = proxy.cutNext(fate)
      expect(await log.append(size, [row(size)], [node(0, size)])).toBe(true)
      await cut
    }
    // The delayed request reaches the server after another writer has appended.
    if (fate === 'delay') await sleep(2 * DELAY_MS)
    expect(await readAll(await openLog(fate))).toEqual(rows(0, 3))
    await store.close()
    proxy.stop()
  })

  it('knows that another writer was first, even if the connection was cut', async () => {
    const proxy = await CutProxy.start(database.address)
    const [log, other] = [await openLog('raced', proxy.address), await openLog('raced')]
    const cut = proxy.cutNext('drop', async () => {
      await other.append(0, [row(0, 'other')], [])
    })
    expect(await log.append(0, [row(0, 'ours')], [])).toBe(false)
    await cut
    // The same entry by another writer is not ours.
    const twin = proxy.cutNext('drop', async () => {
      await other.append(1, [row(1)], [])
    })
    expect(await log.append(1, [row(1)], [])).toBe(false)
    await twin
    expect(texts(await readAll(other))).toEqual(['other', 'entry 1'])
    proxy.stop()
  })

  it('has every entry once when its connections are killed all the time', async () => {
    const writers = ['a', 'b', 'c']
    const logs = await Promise.all(writers.map(() => openLog('killed')))
    const done = new AbortController()
    const writing = Promise.all(logs.map((log, who) => writeUntil(log, writers[who] ?? '', done.signal)))
    for (let kill = 0; kill < 60; kill++) {
      await sleep(Math.random() * 30)
      await runSql(
        database.address,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'warrant' AND datname = current_database()`,
      )
    }
    done.abort()
    const counts = await writing
    expectOnce(texts(await readAll(await openLog('killed'))), writers, counts)
  })
})

/** Adds `WHO:0`, `WHO:1` and so on until it is stopped; returns how many were acknowledged. */
const writeUntil = async (
  log: LineageLog,
  who: string,
  stop: AbortSignal,
  seen = { added: 0 },
): Promise<number> => {
  for (let count = 0; ; ) {
    if (stop.aborted) return count
    try {
      const { size } = await log.head()
      if (await log.append(size, [row(size, `${who}:${count}`)], [node(0, size)])) {
        count += 1
        seen.added += 1
      }
    } catch (error) {
      // Nothing was added: an append of unknown outcome has another fault code.
      if (!(error instanceof Fault) || error.code !== 'store.unreachable') throw error
      await sleep(20)
    }
  }
}

/** No entry is lost, none is there twice, and each writer's are in its order. */
const expectOnce = (all: readonly string[], writers: readonly string[], counts: readonly number[]): void => {
  writers.forEach((who, place) => {
    const own = all.filter((text) => text.startsWith(`${who}:`))
    expect(own).toEqual(Array.from({ length: counts[place] ?? 0 }, (_, i) => `${who}:${i}`))
    expect(own.length).toBeGreaterThan(0)
  })
}

describeWith('postgres', 'a PostgreSQL server of our own', () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await PostgresCluster.start()
  })
  afterAll(() => cluster.remove())

  it.each(someRows(['SIGINT', 'SIGQUIT'] as const, 2, 1))(
    'may stop by %s and restart: every entry is there once, without opening the log again',
    async (signal) => {
      const writers = ['a', 'b']
      const store = postgresLogs(cluster.address)
      const logs = await Promise.all(writers.map(() => store.open(signal, GENESIS)))
      const done = new AbortController()
      const seen = writers.map(() => ({ added: 0 }))
      const writing = Promise.all(
        logs.map((log, who) => writeUntil(log, writers[who] ?? '', done.signal, seen[who])),
      )
      await eventually('entries of each', () => seen.every(({ added }) => added > 5))
      await cluster.stop(signal)
      // Down for a moment: an append whose outcome is unknown waits for the server to come back.
      await sleep(300)
      await cluster.restart()
      const before = (await store.find(signal).catch(() => undefined))?.head()
      const earlier = seen.map(({ added }) => added)
      await eventually('entries after the restart', () =>
        seen.every(({ added }, who) => added > (earlier[who] ?? 0) + 5),
      )
      done.abort()
      const counts = await writing
      const all = texts(await readAll(await store.open(signal, GENESIS)))
      expectOnce(all, writers, counts)
      expect(all.length).toBeGreaterThan((await before)?.size ?? 0)
      await store.close()
    },
  )

  it('that is stopped is unavailable, and available again when it is back', async () => {
    const store = postgresLogs(cluster.address, { settleMs: 300 })
    const log = await store.open('gone', GENESIS)
    await log.append(0, rows(0, 1), [])
    await cluster.stop('SIGINT')
    for (const ask of [() => log.head(), () => log.read(0, 1), () => log.append(1, rows(1, 1), [])]) {
      expect(await faultOf(Promise.resolve(ask()))).toMatchObject({ kind: 'unavailable' })
    }
    await cluster.restart()
    expect(await log.head()).toMatchObject({ size: 1 })
    expect(await log.append(1, rows(1, 1), [])).toBe(true)
    await store.close()
  })

  it('that is frozen is unavailable in time, and leaves no entry twice', async () => {
    const limits = { connectMs: 400, statementMs: 300, settleMs: 500 }
    const store = postgresLogs(cluster.address, limits)
    const log = await store.open('frozen', GENESIS)
    await log.append(0, rows(0, 1), [])
    cluster.freeze()
    const begin = performance.now()
    const added = await faultOf(Promise.resolve(log.append(1, [row(1, 'frozen')], [])))
    expect(added).toMatchObject({ kind: 'unavailable', code: 'store.unsettled' })
    expect(await faultOf(Promise.resolve(log.head()))).toMatchObject({ kind: 'unavailable' })
    expect(performance.now() - begin).toBeLessThan(8_000)
    cluster.thaw()
    // The server now reads everything that was sent while it was suspended.
    await sleep(500)
    const left = texts(await readAll(log))
    expect([['entry 0'], ['entry 0', 'frozen']]).toContainEqual(left)
    const { size } = await log.head()
    expect(await log.append(size, [row(size)], [])).toBe(true)
    await store.close()
  })
})
