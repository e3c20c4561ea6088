import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { memoryLogs, type Shelf } from '../../src/platform/memory-log.ts'
import { postgresLogs } from '../../src/platform/postgres-log.ts'
import { sqliteLogs } from '../../src/platform/sqlite-log.ts'
import { describeWith } from '../services.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { logStoreContract } from './log-store.ts'
import { makeDatabase } from './postgres-database.ts'

afterAll(sweep)

logStoreContract(
  'memory',
  async () => {
    const shelf: Shelf = new Map()
    return { open: () => memoryLogs(shelf), remove: async () => {} }
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
  logStoreContract(
    'PostgreSQL',
    async () => {
      const { address, remove } = await makeDatabase(server)
      return { open: () => postgresLogs(address), remove }
    },
    25,
  )
})
