import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeDatabase } from '../contracts/postgres-database.ts'
import { beliefModel } from '../history/belief-model.ts'
import { endServers } from '../history/belief-server.ts'
import { checkHistory } from '../history/checker.ts'
import { recordHistory } from '../history/driver.ts'
import { expectOneCopy, sharedPlan } from '../history/shared-graph.ts'
import { describeWith } from '../services.ts'
import { makeFolder, sweep } from '../support/binary.ts'

afterAll(async () => {
  await endServers()
  await sweep()
})

const TIMEOUT = { timeout: 120_000 }
const ARGS = ['--snapshot-every', '40']

// Another history every time. The seed is in the message of whatever fails.
const seed = Math.floor(Math.random() * 1e6)

describe('a belief graph that eight processes share, some of them killed and some stopped', () => {
  it('is one copy to all of them, in a file', TIMEOUT, async () => {
    const folder = await makeFolder()
    await expectOneCopy({ store: join(folder, 'beliefs.db'), folder, args: ARGS }, seed)
  })

  it('would be found out if they did not share it', TIMEOUT, async () => {
    const folder = await makeFolder()
    const history = await recordHistory({
      ...sharedPlan({ store: '', folder }, seed),
      processes: 4,
      calls: 15,
      server: (process) => ({ store: join(folder, `half-${process % 2}.db`), folder }),
      kills: () => 0,
      pauses: () => 0,
    })
    expect(history.refused).toEqual([])
    expect(history.calls).toHaveLength(60)
    expect(checkHistory(beliefModel, history.calls), `seed ${seed}`).toMatchObject({ outcome: 'impossible' })
  })
})

describeWith('postgres', 'the same on PostgreSQL', (address) => {
  it('is one copy to all of them', TIMEOUT, async () => {
    const database = await makeDatabase(address)
    const folder = await makeFolder()
    await expectOneCopy({ store: database.address, folder, args: ARGS }, seed)
    await database.remove()
  })
})
