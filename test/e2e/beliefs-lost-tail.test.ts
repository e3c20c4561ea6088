import { copyFile, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BeliefServer, endServers, runWarrant, type ServerPlan } from '../history/belief-server.ts'
import { NODE, REFUSED, useServer } from '../history/damages.ts'
import { changeHash, copyStore, deleteFrom, ENTRIES, makeStore, tamperWith } from '../history/tamper.ts'
import { sweep } from '../support/binary.ts'

/** A log that lost its end, or its beginning, behind the back of its servers. */

let whole: ServerPlan
beforeAll(async () => {
  whole = await makeStore()
})
afterAll(async () => {
  await endServers()
  await sweep()
})

/** A store that this machine has seen with one entry more than the copy that is kept beside it. */
const seenStore = async (): Promise<ServerPlan> => {
  const plan = await copyStore(whole)
  await copyFile(plan.store, join(plan.folder, 'backup'))
  await useServer(plan, (server) => server.must('node.create', NODE))
  await tamperWith(plan, () => {})
  return plan
}

const LOSSES: readonly (readonly [string, (plan: ServerPlan) => Promise<unknown>])[] = [
  ['its newest entry', (plan) => tamperWith(plan, (db) => deleteFrom(db, ENTRIES))],
  ['what came after a backup', ({ store, folder }) => copyFile(join(folder, 'backup'), store)],
  ['its whole content', ({ store }) => truncate(store)],
  ['its file', ({ store }) => rm(store)],
]

const expectQuarantined = (plan: ServerPlan): Promise<void> =>
  useServer(plan, async (server) => {
    expect(await server.must('governance.status')).toMatchObject({ quarantined: true, healthy: false })
    expect(await server.call('node.create', NODE)).toMatchObject(REFUSED)
  })

describe.concurrent('a log that lost', () => {
  it.each(LOSSES)('%s is in quarantine until a person accepts it', async (_, lose) => {
    const plan = await seenStore()
    await lose(plan)
    await expectQuarantined(plan)
    expect(await runWarrant(plan, ['log', 'verify'])).toMatchObject({ code: 1, value: { seen: {} } })
    expect(await runWarrant(plan, ['log', 'repair'])).toMatchObject({ code: 1 })
    expect(await runWarrant(plan, ['log', 'adopt'])).toMatchObject({ value: { outcome: 'adopted' } })
    await useServer(plan, (server) => server.must('node.create', NODE))
    expect(await runWarrant(plan, ['log', 'verify'])).toMatchObject({ code: 0 })
  })

  it('what an open server knows is accepted under that server', async () => {
    const plan = await copyStore(whole)
    const server = new BeliefServer(plan)
    await server.must('node.create', NODE)
    await tamperWith(plan, (db) => deleteFrom(db, ENTRIES))
    expect(await server.call('node.create', NODE)).toMatchObject(REFUSED)
    expect(await runWarrant(plan, ['log', 'adopt'])).toMatchObject({ value: { outcome: 'adopted' } })
    expect(await server.must('node.create', NODE)).toMatchObject({ node_id: 24 })
    await server.finish()
    expect(await runWarrant(plan, ['log', 'verify'])).toMatchObject({ code: 0 })
  })

  it('its newest entry, while a read-only server serves it, is marked in every answer', async () => {
    const plan = await seenStore()
    await tamperWith(plan, (db) => deleteFrom(db, ENTRIES))
    await useServer({ ...plan, args: ['--read-only'] }, async (server) => {
      for (let n = 0; n < 2; n += 1)
        expect(await server.content('node.query', { node_id: '0' })).toMatchObject([
          { text: expect.stringContaining('"node_id": 0') },
          { text: expect.stringMatching(/^Quarantined: the log was cut: this machine saw 41 entries/) },
        ])
    })
    expect(await readFile(plan.store)).not.toHaveLength(0)
  })
})

describe('damage before a snapshot that is valid', () => {
  it('is found before the next write', async () => {
    const plan = await copyStore(whole)
    await tamperWith(plan, (db) => changeHash(db, 8, 'payload_hash'))
    await useServer(plan, async (server) => {
      expect(await server.must('node.query', { node_id: '0' })).toMatchObject({ node_id: 0 })
      expect(await server.call('node.create', NODE)).toMatchObject(REFUSED)
    })
    await expectQuarantined(plan)
  })

  it('is found by a verification, and from then on by every process', async () => {
    const plan = await copyStore(whole)
    const server = new BeliefServer(plan)
    await server.must('node.create', NODE)
    await tamperWith(plan, (db) => changeHash(db, 8, 'payload_hash'))
    expect(await runWarrant(plan, ['log', 'verify'])).toMatchObject({ code: 1 })
    expect(await server.call('node.create', NODE)).toMatchObject(REFUSED)
    await server.finish()
  })
})
