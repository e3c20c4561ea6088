import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type MemoryLogs, memoryLogs } from '../../src/platform/log-stores/memory.ts'
import { postgresLogs } from '../../src/platform/log-stores/postgres/log.ts'
import { sqliteLogs } from '../../src/platform/log-stores/sqlite/log.ts'
import { describeWith } from '../services.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { type LogPlace, logStoreContract } from './log-store.ts'
import { makeDatabase, runSql, type TestDatabase } from './postgres-database.ts'

afterAll(sweep)

logStoreContract(
  'memory',
  async () => {
    const logs: MemoryLogs = new Map()
    return { open: () => memoryLogs(logs), remove: async () => {} }
  },
  100,
)

logStoreContract(
  'SQLite',
  async () => {
    const folder = await makeFolder()
    return {
      open: () => sqliteLogs(join(folder, 'state', 'logs.sqlite')),
      remove: () => rm(folder, { recursive: true }),
    }
  },
  25,
)

describeWith('postgres', 'with PostgreSQL', (server) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await makeDatabase(server)
  })
  afterAll(() => database.remove())

  const makePlace = async (): Promise<LogPlace> => ({
    open: () => postgresLogs(database.address),
    remove: async () => {
      await runSql(database.address, 'DROP SCHEMA IF EXISTS warrant CASCADE')
    },
  })
  logStoreContract('PostgreSQL', makePlace, 25)
})
