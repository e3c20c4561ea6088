import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { endServers } from '../history/belief-server.ts'
import { surviveCrashes } from '../history/crash.ts'
import { makeFolder, sweep } from '../support/binary.ts'

afterAll(async () => {
  await endServers()
  await sweep()
})

const CYCLES = 12

describe('a belief graph whose servers are killed', () => {
  it(`loses nothing that was acknowledged in ${CYCLES} kills`, { timeout: 240_000 }, async () => {
    const folder = await makeFolder()
    const server = { store: join(folder, 'beliefs.db'), folder, args: ['--snapshot-every', '25'] }
    const seed = Math.floor(Math.random() * 1e6)
    const report = await surviveCrashes({ seed, server, cycles: CYCLES, writers: 4, checkpointMs: 500 })
    expect(report.entries).toBeGreaterThan(CYCLES)
    expect(report.checkpoints.length).toBeGreaterThan(1)
  })
})
