import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { copyFile, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Fault } from '../../src/kernel/fault.ts'
import type { LogStore } from '../../src/lineage/store.ts'
import { makeState } from '../../src/platform/files/state-folder.ts'
import { type Database, openDatabase } from '../../src/platform/log-stores/sqlite/database.ts'
import { sqliteLogs } from '../../src/platform/log-stores/sqlite/log.ts'
import { createSqliteTables, inspectSchema } from '../../src/platform/log-stores/sqlite/schema.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { caseCount } from '../support/case-count.ts'
import { readFileLog, surviveBirths, surviveKills } from './log-crash.ts'
import { GENESIS, node, readAll, row, rows } from './log-rows.ts'
import { LogWorkers } from './log-workers.ts'

const workers = new LogWorkers()
beforeAll(() => workers.build())
afterAll(async () => {
  await workers.remove()
  await sweep()
})

const makeFile = async (): Promise<string> => join(await makeFolder(), 'logs.sqlite')

const using = async <T>(file: string, work: (store: LogStore) => Promise<T>): Promise<T> => {
  const store = sqliteLogs(file)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** A closed file with thirty entries, their nodes and a snapshot. */
const makeLog = async (): Promise<string> => {
  const file = await makeFile()
  await using(file, async (store) => {
    const log = await store.open('log', GENESIS)
    const nodes = rows(0, 30).map(({ seq }) => node(0, seq))
    await log.append(0, rows(0, 30), nodes)
    await log.saveSnapshot({ size: 30, bytes: new Uint8Array(10_000).fill(7) })
  })
  return file
}

const openFails = (file: string) => using(file, (store) => store.open('log', GENESIS)).catch((error) => error)

describe('the file', () => {
  it('is not rejected as foreign while another process creates it', async () => {
    const path = await makeFile()
    const [ours, theirs] = [await openDatabase(path), await openDatabase(path)]
    for (const db of [ours, theirs]) db.exec('PRAGMA busy_timeout = 0')
    let asked = 0
    const watched: Database = {
      exec: (sql) => ours.exec(sql),
      close: () => ours.close(),
      prepare: (sql) => {
        asked += 1
        // Between our queries: the earlier ones saw an empty file.
        if (asked === 3) {
          try {
            createSqliteTables(theirs)
          } catch {
            // A busy error is acceptable too.
          }
        }
        return ours.prepare(sql)
      },
    }
    expect(['empty', 'ours']).toContain(inspectSchema(watched))
    expect(asked).toBeGreaterThanOrEqual(3)
    createSqliteTables(theirs)
    expect(inspectSchema(ours)).toBe('ours')
    for (const db of [ours, theirs]) db.close()
  })

  it('is created with its folder on the first open, without access for other users', async () => {
    const folder = join(await makeFolder(), 'a', 'b')
    const store = sqliteLogs(join(folder, 'logs.sqlite'))
    await store.find('log')
    await store.names()
    expect(existsSync(folder)).toBe(false)
    await (await store.open('log', GENESIS)).append(0, rows(0, 1), [])
    const modes = (await readdir(folder)).map((name) => statSync(join(folder, name)).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600, 0o600])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, '..')).mode & 0o777).toBe(0o700)
    await store.close()
  })

  it('is all there is once it is closed', async () => {
    const [file, copy] = [await makeLog(), await makeFile()]
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
    await copyFile(file, copy)
    expect(await readFileLog(copy)).toHaveLength(30)
  })

  it('that is no database is a fault, and stays as it is', async () => {
    const file = await makeFile()
    await writeFile(file, 'this is not a database, and long enough to have a header '.repeat(100))
    const before = await readFile(file)
    expect(await openFails(file)).toMatchObject({ kind: 'corrupt', code: 'store.damaged' })
    const found = await using(file, (store) => store.find('log')).catch((error) => error)
    expect(found).toMatchObject({ kind: 'corrupt', code: 'store.damaged' })
    expect((await readFile(file)).equals(before)).toBe(true)
  })

  it('of another program is refused, and stays as it is', async () => {
    const file = await makeFile()
    const db = await openDatabase(file)
    db.exec('CREATE TABLE theirs (a)')
    db.close()
    const before = await readFile(file)
    expect(await openFails(file)).toMatchObject({ kind: 'invalid', code: 'store.address' })
    expect((await readFile(file)).equals(before)).toBe(true)
  })

  // A view or trigger of that name would run inside our statements, and an endless query has no deadline.
  it.each([
    ['a trigger', 'CREATE TRIGGER more AFTER INSERT ON runs BEGIN DELETE FROM nodes; END'],
    ['a view', 'ALTER TABLE logs RENAME TO kept; CREATE VIEW logs AS SELECT * FROM kept'],
    ['another column', 'ALTER TABLE snapshots ADD COLUMN more TEXT GENERATED ALWAYS AS (hex(bytes))'],
    ['another table', 'CREATE TABLE more (a)'],
  ])('with %s that we did not make is refused, and stays as it is', async (_, sql) => {
    const file = await makeLog()
    const db = await openDatabase(file)
    db.exec(sql)
    db.close()
    const before = await readFile(file)
    expect(await openFails(file)).toMatchObject({ kind: 'corrupt', code: 'store.damaged' })
    expect((await readFile(file)).equals(before)).toBe(true)
  })

  it('of a newer version is refused', async () => {
    const file = await makeLog()
    const db = await openDatabase(file)
    db.exec('PRAGMA user_version = 2')
    db.close()
    expect(await openFails(file)).toMatchObject({ kind: 'invalid', code: 'store.newer' })
  })

  it('that cannot be one is refused', async () => {
    const folder = await makeFolder()
    await writeFile(join(folder, 'file'), '')
    mkdirSync(join(folder, 'folder'))
    for (const path of ['folder', 'file/logs.sqlite', 'nul\u0000.sqlite']) {
      const error = await openFails(join(folder, path))
      expect(error, path).toBeInstanceOf(Fault)
      expect(['invalid', 'unavailable']).toContain(error.kind)
      expect(error.message, path).not.toContain(folder)
    }
  })

  it('in a folder that cannot be made is a fault that says where else to go', async () => {
    const stone = await makeFile()
    await writeFile(stone, '')
    const refusal = async (folder: string) => {
      const store = sqliteLogs(join(folder, 'logs.sqlite'), () => makeState(folder))
      const fault = await store.open('log', GENESIS).catch((thrown: unknown) => thrown)
      await store.close()
      return fault
    }
    expect(await refusal(stone)).toMatchObject({ code: 'place.occupied' })
    // No user can create folders there, not even root.
    expect(await refusal('/sys/warrant/state')).toMatchObject({
      code: 'store.unreachable',
      message: expect.stringMatching(/^the state folder cannot be created \(E[A-Z]+\)$/),
      fix: expect.stringContaining('--state-dir'),
    })
  })

  it('that is empty or gone counts as new, unless its journal is not', async () => {
    const file = await makeFile()
    await writeFile(file, '')
    expect(await using(file, (store) => store.find('log'))).toBe(undefined)
    expect(await readFileLog(file)).toEqual([])
    await truncate(file, 0)
    await writeFile(`${file}-wal`, 'entries')
    expect(await openFails(file)).toMatchObject({ kind: 'corrupt' })
    await rm(file)
    expect(await openFails(file)).toMatchObject({ kind: 'corrupt' })
    expect(existsSync(file)).toBe(false)
  })

  it('that was removed or replaced under a writer takes no more entries', async () => {
    const file = await makeFile()
    await using(file, async (store) => {
      const log = await store.open('log', GENESIS)
      await log.append(0, rows(0, 1), [])
      await rename(file, `${file}.away`)
      expect(() => log.append(1, rows(1, 1), [])).toThrow(expect.objectContaining({ kind: 'corrupt' }))
      await writeFile(file, '')
      expect(() => log.append(1, rows(1, 1), [])).toThrow(expect.objectContaining({ kind: 'corrupt' }))
      await rename(`${file}.away`, file)
      expect(await log.append(1, rows(1, 1), [])).toBe(true)
    })
  })

  it('can be read, and lets this process work, while another has it', async () => {
    const file = await makeLog()
    const holder = await openDatabase(file)
    holder.exec('BEGIN IMMEDIATE')
    await using(file, async (store) => {
      const log = await store.open('log', GENESIS)
      const adding = log.append(30, [row(30)], [])
      let turns = 0
      const ticking = setInterval(() => {
        turns += 1
      }, 5)
      await sleep(200)
      expect(turns).toBeGreaterThan(5)
      expect((await log.head()).size).toBe(30)
      holder.exec('COMMIT')
      expect(await adding).toBe(true)
      clearInterval(ticking)
    })
    holder.close()
  })

  it('holds nothing of what was erased', async () => {
    const file = await makeFile()
    await using(file, async (store) => {
      const log = await store.open('log', GENESIS)
      for (let seq = 0; seq < 200; seq++) {
        const payload = `secret-${seq}-${'x'.repeat((seq * 97) % 3_000)}`
        await log.append(seq, [{ ...row(seq), payload }], [node(0, seq)])
      }
      for (let seq = 0; seq < 200; seq++) if (seq % 3 !== 0) await log.erase(seq)
      const folder = join(file, '..')
      // A copy, because closing the file itself would release the POSIX locks of the open handle.
      const copies = await Promise.all(
        (await readdir(folder)).map(async (name) => {
          const copy = join(await makeFolder(), name)
          await copyFile(join(folder, name), copy)
          return await readFile(copy, 'latin1')
        }),
      )
      const left = Array.from({ length: 200 }, (_, seq) => seq).filter((seq) =>
        copies.some((text) => text.includes(`secret-${seq}-`)),
      )
      expect(left).toEqual(Array.from({ length: 67 }, (_, i) => i * 3))
    })
  })
})

describe('damage', () => {
  /** Calls every operation. Each must return or throw a fault, whatever the file contains. */
  const exercise = async (file: string): Promise<string> => {
    try {
      return await using(file, async (store) => {
        const log = await store.open('log', GENESIS)
        await store.names()
        const { size } = await log.head()
        await readAll(log, 7)
        await log.nodes([node(0, 0), node(0, 29)])
        await log.snapshots()
        await log.quarantine()
        await log.append(size, [row(size)], [node(1, size)])
        return 'answer'
      })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return error.kind
    }
  }

  /** A seeded generator, so that a failure can be reproduced. */
  const numbers = (seed: number) => {
    let state = seed
    return (below: number): number => {
      state = (state * 48271) % 0x7fffffff
      return state % below
    }
  }

  it('by flipped bits ends in an answer or a fault', async () => {
    const whole = await readFile(await makeLog())
    const next = numbers(7)
    const outcomes = new Set<string>()
    for (let round = 0; round < caseCount(60, 200); round++) {
      const file = await makeFile()
      const bytes = Buffer.from(whole)
      // Every other time in the page headers, where damage matters most.
      const span = round % 2 === 0 ? bytes.length : 200
      for (let flip = 0; flip <= round % 4; flip++) {
        const at = next(span)
        bytes[at] = (bytes[at] ?? 0) ^ (1 << next(8))
      }
      await writeFile(file, bytes)
      outcomes.add(await exercise(file))
      await rm(join(file, '..'), { recursive: true })
    }
    expect([...outcomes]).toEqual(expect.arrayContaining(['answer', 'corrupt']))
  })

  it('by truncation ends in a fault, or in what came before', async () => {
    const whole = await readFile(await makeLog())
    for (let length = 0; length < whole.length; length += 511) {
      const file = await makeFile()
      await writeFile(file, whole.subarray(0, length))
      const outcome = await exercise(file)
      if (length > 0) expect(outcome, `${length} bytes`).not.toBe('answer')
      await rm(join(file, '..'), { recursive: true })
    }
  })

  it('of the journal costs at most what came last', async () => {
    const file = await makeFile()
    const store = sqliteLogs(file)
    const log = await store.open('log', GENESIS)
    for (let seq = 0; seq < 20; seq++) await log.append(seq, [row(seq)], [node(0, seq)])
    const [main, journal] = [await makeFile(), `${file}-wal`]
    await copyFile(file, main)
    const whole = await readFile(journal)
    await store.close()
    for (let cut = 0; cut < whole.length; cut += 3_001) {
      const copy = await makeFile()
      await copyFile(main, copy)
      await writeFile(`${copy}-wal`, whole.subarray(0, cut))
      const outcome = await exercise(copy)
      expect(['answer', 'corrupt', 'missing']).toContain(outcome)
      await rm(join(copy, '..'), { recursive: true })
    }
  })
})

describe('processes', () => {
  it('that open one file at the same moment and append get one place each', async () => {
    const file = join(await makeFolder(), 'state', 'logs.sqlite')
    const all = Array.from({ length: 8 }, (_, who) => workers.start(file, `${who}`, 50))
    for (const worker of all) await worker.ended()
    const acknowledgedRows = all.flatMap(({ acknowledged }) => acknowledged).sort((a, b) => a.seq - b.seq)
    expect(all.map(({ stderr }) => stderr).join('')).toBe('')
    expect(acknowledgedRows.map(({ text }) => text)).toEqual(await readFileLog(file))
    expect(acknowledgedRows).toHaveLength(400)
  })

  it('that are killed lose nothing that was acknowledged', { timeout: 60_000 }, async () => {
    await surviveKills(workers, caseCount(8, 20))
  })

  it('that are killed while they make the file leave nothing to repair', async () => {
    await surviveBirths(workers, caseCount(5, 12))
  })

  it('that may write no more get a fault, and keep what was acknowledged', async () => {
    const file = await makeFile()
    const limited = ['/bin/sh', '-c', 'ulimit -f 600; exec "$0" "$@"']
    const worker = workers.startIn(limited, file, 'limited', 100_000)
    await worker.ended()
    expect(worker.stderr).toBe('')
    expect(worker.lines.at(-2)).toMatch(/^fault (unavailable store.unreachable|exhausted store.full)$/)
    expect(worker.acknowledged.length).toBeGreaterThan(10)
    expect(await readFileLog(file)).toEqual(worker.acknowledged.map(({ text }) => text))
    const next = workers.start(file, 'next', 5)
    await next.ended()
    expect(next.acknowledged).toHaveLength(5)
  })

  // A small disk needs a mount, which is not permitted on every machine.
  const mayMount = spawnSync('unshare', ['-rm', 'true']).status === 0
  it.skipIf(!mayMount)('on a full disk get a fault, and keep what was acknowledged', async () => {
    const folder = await makeFolder()
    const script = 'mount -t tmpfs -o size=500k none "$0" && exec "$@"'
    const through = ['unshare', '-rm', '/bin/sh', '-c', script, folder]
    const worker = workers.startIn(through, join(folder, 'logs.sqlite'), 'full', 100_000)
    await worker.ended()
    expect(worker.stderr).toBe('')
    expect(worker.lines.slice(-2)).toEqual([
      'fault exhausted store.full',
      `kept ${worker.acknowledged.length}`,
    ])
    expect(worker.acknowledged.length).toBeGreaterThan(10)
  })
})
