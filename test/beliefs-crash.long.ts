import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { endServers } from './history/belief-server.ts'
import { surviveCrashes } from './history/crash.ts'
import { makeFolder, sweep } from './support/binary.ts'

afterAll(async () => {
  await endServers()
  await sweep()
})

describe('a belief graph whose servers are killed', () => {
  it('loses nothing that was acknowledged in two thousand kills', async () => {
    const folder = await makeFolder()
    const server = { store: join(folder, 'beliefs.db'), folder, args: ['--snapshot-every', '25'] }
    const report = await surviveCrashes({ seed: 1, server, cycles: 2_000, writers: 4, checkpointMs: 10_000 })
    const { lives, unborn, checkpoints, entries, unannounced } = report
    process.stdout.write(
      `${lives.length} kills, ${unborn} before an answer: ${entries} entries, ${unannounced} of them unannounced, ${checkpoints.length} checkpoints\n`,
    )
    expect(entries).toBeGreaterThan(2_000)
  })
})
