import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/platform/log-stores/sqlite/database.ts'
import { type BeliefServer, endServers, runWarrant, type ServerPlan } from '../history/belief-server.ts'
import {
  AT,
  copyDamaged,
  copyWithoutSnapshots,
  DAMAGES,
  expectLastingQuarantine,
  expectQuarantine,
  LAST,
  NODE,
  REFUSED,
  useServer,
} from '../history/damages.ts'
import {
  changeHash,
  changeNode,
  changeSnapshots,
  copyStore,
  deleteFrom,
  dropSnapshots,
  ENTRIES,
  flipBit,
  forgePayload,
  forgeSnapshot,
  makeStore,
  readPart,
  replaceGenesis,
  tamperWith,
  writePart,
} from '../history/tamper.ts'
import { sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'

let whole: ServerPlan
beforeAll(async () => {
  whole = await makeStore()
})
afterAll(async () => {
  await endServers()
  await sweep()
})

const damagedCopy = (damage: (db: Database) => unknown): Promise<ServerPlan> => copyDamaged(whole, damage)

const checkpointOf = async (plan: ServerPlan): Promise<string> => {
  const { value } = await runWarrant(plan, ['log', 'checkpoint'])
  const file = join(plan.folder, 'checkpoint')
  await writeFile(file, value.note)
  return file
}

const checkConsistency = (plan: ServerPlan, file: string) =>
  runWarrant(plan, ['log', 'consistency', '--checkpoint', file])

/** A part of an entry, a part of a payload, and the newest entry. */
const LASTING = [1, 5, 13].map((row) => DAMAGES[row]?.[2])

describe.concurrent('a log with something changed', () => {
  // In the normal run the verifier judges a quarter of the damages and a start another one.
  it.each(someRows(DAMAGES, 4))('is reported as broken by the verifier: %s', async (_, at, damage) => {
    const plan = await damagedCopy(damage)
    const { code, value } = await runWarrant(plan, ['log', 'verify'])
    expect(value).toMatchObject({ chain: { outcome: 'broken', at } })
    expect(code).toBe(1)
  })

  it.each(someRows(DAMAGES, 4, 1))(
    'is not written any more when a start finds it: %s',
    async (_, at, damage) => {
      const plan = await copyWithoutSnapshots(whole, damage)
      await expectQuarantine(plan, at)
      // The long run does this with every damage.
      if (LASTING.includes(damage)) await expectLastingQuarantine(plan, at)
    },
  )
})

describe('a log whose links were all made anew', () => {
  it('is found by a replay and by an older checkpoint', async () => {
    const checkpoint = await checkpointOf(whole)
    const plan = await damagedCopy((db) => {
      forgePayload(db, AT, /"energy":58/, '"energy":59')
      dropSnapshots(db)
    })
    const { code, value } = await runWarrant(plan, ['log', 'verify'])
    expect(value).toMatchObject({ chain: { outcome: 'intact' }, execution: { outcome: 'differs', at: AT } })
    expect(code).toBe(1)
    await expectQuarantine(plan, AT)
    expect(await checkConsistency(plan, checkpoint)).toMatchObject({ code: 1, value: { outcome: 'forked' } })
    const repaired = await runWarrant(plan, ['log', 'repair'])
    expect(repaired).toMatchObject({ code: 1, value: { outcome: 'beyond repair' } })
    await expectQuarantine(plan, AT)
  })
})

describe('a quarantine', () => {
  it('outlives what caused it, and ends with a repair that is on record', async () => {
    const plan = await copyStore(whole)
    const good = await tamperWith(plan, (db) => readPart(db, 'entry', AT))
    await tamperWith(plan, (db) => {
      changeHash(db, AT, 'checksum')
      dropSnapshots(db)
    })
    await expectQuarantine(plan, AT)
    await tamperWith(plan, (db) => writePart(db, 'entry', AT, good))
    await expectQuarantine(plan, ENTRIES)
    const repaired = await runWarrant(plan, ['log', 'repair'])
    expect(repaired).toMatchObject({ code: 0, value: { outcome: 'repaired' } })
    await useServer(plan, async (server) => {
      expect(await server.must('governance.status')).toMatchObject({ quarantined: false, healthy: true })
      await server.must('node.create', NODE)
    })
    const verified = await runWarrant(plan, ['log', 'verify'])
    expect(verified).toMatchObject({ code: 0, value: { chain: { size: ENTRIES + 2 } } })
    const newest = await tamperWith(plan, (db) => readPart(db, 'entry', ENTRIES))
    expect(JSON.parse(newest.toString('utf8'))).toMatchObject({ operation: 'lineage.repair' })
  })
})

/** All nodes and all counts. */
const readAll = (server: BeliefServer) =>
  Promise.all([
    server.must('governance.status'),
    server.must('lineage.replay'),
    ...Array.from({ length: 24 }, (_, id) => server.must('node.query', { node_id: String(id) })),
  ])

describe.concurrent('a snapshot', () => {
  let expected: Awaited<ReturnType<typeof readAll>>
  beforeAll(async () => {
    expected = await useServer(await copyStore(whole), readAll)
  })
  const changes: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
    ['with a bit flipped at its beginning', flipBit(0)],
    ['with a bit flipped in its middle', flipBit(900)],
    ['with a bit flipped at its end', flipBit(-1)],
    ['that was cut off', (bytes) => bytes.subarray(0, 200)],
    ['that is empty', () => Buffer.alloc(0)],
    ['that says it is whole', forgeSnapshot],
  ]
  it.each(someRows(changes, 3, 2))('%s is skipped, be it the newest or all of them', async (_, change) => {
    for (const most of [1, 2]) {
      const plan = await damagedCopy((db) => expect(changeSnapshots(db, change, most)).toBe(2))
      await useServer(plan, async (server) => {
        expect(await readAll(server)).toEqual(expected)
        await server.must('node.create', NODE)
        expect(server.stderr.match(/snapshot skipped/g)).toHaveLength(most)
      })
      expect(await runWarrant(plan, ['log', 'verify'])).toMatchObject({ code: 0 })
    }
  })
})

describe('the tail of a log', () => {
  it('cannot be truncated unnoticed when there is a checkpoint', async () => {
    const plan = await copyStore(whole)
    const file = await checkpointOf(plan)
    expect(await checkConsistency(plan, file)).toMatchObject({ code: 0, value: { outcome: 'consistent' } })
    await tamperWith(plan, (db) => deleteFrom(db, ENTRIES - 5, LAST))
    const cut = await checkConsistency(plan, file)
    expect(cut).toMatchObject({ code: 1, value: { outcome: 'truncated', had: ENTRIES, has: ENTRIES - 5 } })
    expect(await runWarrant(plan, ['log', 'adopt'])).toMatchObject({ code: 0 })
    await useServer(plan, async (server) => {
      for (let n = 0; n < 8; n += 1) await server.must('node.create', NODE)
    })
    expect(await checkConsistency(plan, file)).toMatchObject({ code: 1, value: { outcome: 'forked' } })
  })

  it('cannot be cut off under a server that has read it', async () => {
    const plan = await copyStore(whole)
    await useServer(plan, async (server) => {
      await server.must('node.query', { node_id: '0' })
      await tamperWith(plan, (db) => deleteFrom(db, ENTRIES - 5, LAST))
      expect(await server.call('node.create', NODE)).toMatchObject(REFUSED)
      expect(await server.must('governance.status')).toMatchObject({ quarantined: true, healthy: false })
    })
  })
})

describe('the settings a log was made with', () => {
  it('cannot be replaced: the server refuses the log, and its first entry does not follow', async () => {
    const plan = await damagedCopy((db) => {
      replaceGenesis(db, '"allowCycles":false', '"allowCycles":true')
      dropSnapshots(db)
    })
    await useServer(plan, async (server) => {
      expect(await server.call('node.query', { node_id: '0' })).toMatchObject(REFUSED)
      expect(await server.call('node.create', NODE)).toMatchObject(REFUSED)
    })
    const { code, value } = await runWarrant(plan, ['log', 'verify', '--allow-cycles'])
    expect(value).toMatchObject({ chain: { outcome: 'broken', at: 0 } })
    expect(code).toBe(1)
  })
})

describe('the stored part of the tree', () => {
  it.each(['changed', 'gone'] as const)('is compared when the log is verified: %s', async (how) => {
    const plan = await copyStore(whole)
    await useServer(plan, (server) =>
      Promise.all(Array.from({ length: 300 }, () => server.must('node.create', NODE))),
    )
    expect(await runWarrant(plan, ['log', 'verify'])).toMatchObject({ code: 0 })
    await tamperWith(plan, (db) => changeNode(db, how))
    const { code, value } = await runWarrant(plan, ['log', 'verify'])
    expect(code, JSON.stringify(value)).toBe(1)
    await useServer(plan, async (server) =>
      expect(await server.call('node.create', NODE)).toMatchObject(REFUSED),
    )
  })
})
