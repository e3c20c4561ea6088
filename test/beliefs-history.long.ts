import { join } from 'node:path'
import { afterAll, describe, it } from 'vitest'
import { makeDatabase } from './contracts/postgres-database.ts'
import { endServers } from './history/belief-server.ts'
import { expectOneCopy } from './history/shared-graph.ts'
import { describeWith } from './services.ts'
import { makeFolder, sweep } from './support/binary.ts'

afterAll(async () => {
  await endServers()
  await sweep()
})

const ARGS = ['--snapshot-every', '40']

describe('a belief graph that eight processes share, some of them killed and some stopped', () => {
  it('is one copy to all of them, in forty histories of a file', async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const folder = await makeFolder()
      await expectOneCopy({ store: join(folder, 'beliefs.db'), folder, args: ARGS }, seed)
    }
  })
})

describeWith('postgres', 'the same on PostgreSQL', (address) => {
  it('is one copy to all of them, in twenty histories', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const database = await makeDatabase(address)
      const folder = await makeFolder()
      await expectOneCopy({ store: database.address, folder, args: ARGS }, seed)
      await database.remove()
    }
  })
})
