import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeDatabase } from '../contracts/postgres-database.ts'
import { beliefModel } from '../history/belief-model.ts'
import { endServers, runWarrant, type ServerPlan } from '../history/belief-server.ts'
import { checkHistory } from '../history/checker.ts'
import { countWrites, type HistoryPlan, recordHistory } from '../history/driver.ts'
import { describeWith } from '../services.ts'
import { makeFolder, sweep } from '../support/binary.ts'

afterAll(async () => {
  await endServers()
  await sweep()
})

const TIMEOUT = { timeout: 90_000 }

// Another history every time. The seed is in the message of whatever fails.
const seed = Math.floor(Math.random() * 1e6)

/** Half of the processes are killed, the other half stopped for a while, and the last left alone. */
const planFor = (server: ServerPlan): HistoryPlan => ({
  seed,
  processes: 8,
  calls: 50,
  server: () => server,
  kills: (process) => (process < 4 ? 2 : 0),
  pauses: (process) => (process >= 4 && process < 7 ? 3 : 0),
})

const expectLinearizable = async (server: ServerPlan): Promise<void> => {
  const history = await recordHistory(planFor(server))
  expect(history.refused, `seed ${seed}`).toEqual([])
  expect(history.calls).toHaveLength(400)
  expect(history.kills).toBeGreaterThan(3)
  expect(history.pauses).toBeGreaterThan(3)
  expect(checkHistory(beliefModel, history.calls), `seed ${seed}`).toMatchObject({ outcome: 'linearizable' })

  const { sure, open } = countWrites(history.calls)
  const exported = await runWarrant(server, ['lineage', 'export', 'all.json'])
  expect(exported.code).toBe(0)
  expect(exported.value.count).toBeGreaterThanOrEqual(sure)
  expect(exported.value.count).toBeLessThanOrEqual(sure + open)
  const verified = await runWarrant(server, ['lineage', 'verify'])
  expect(verified.code).toBe(0)
  expect(verified.value).toMatchObject({
    chain: { outcome: 'intact', size: exported.value.count },
    execution: { outcome: 'same', entries: exported.value.count },
  })
}

describe('a belief graph that eight processes share, some of them killed and some stopped', () => {
  it('is one copy to all of them, in a file', TIMEOUT, async () => {
    const folder = await makeFolder()
    await expectLinearizable({ store: join(folder, 'beliefs.db'), folder, args: ['--snapshot-every', '40'] })
  })

  it('would be found out if they did not share it', TIMEOUT, async () => {
    const folder = await makeFolder()
    const history = await recordHistory({
      ...planFor({ store: '', folder }),
      processes: 4,
      calls: 15,
      server: (process) => ({ store: join(folder, `half-${process % 2}.db`), folder }),
      kills: () => 0,
      pauses: () => 0,
    })
    expect(history.refused).toEqual([])
    expect(checkHistory(beliefModel, history.calls), `seed ${seed}`).toMatchObject({ outcome: 'impossible' })
  })
})

describeWith('postgres', 'the same on PostgreSQL', (address) => {
  it('is one copy to all of them', TIMEOUT, async () => {
    const database = await makeDatabase(address)
    const folder = await makeFolder()
    await expectLinearizable({ store: database.address, folder, args: ['--snapshot-every', '40'] })
    await endServers()
    await database.remove()
  })
})
