import { afterAll, beforeAll, it } from 'vitest'
import { makeFolder, sweep } from '../support/binary.ts'
import { killWriters, PacketWorkers } from './packet-workers.ts'

const workers = new PacketWorkers()
beforeAll(() => workers.build())
afterAll(() => Promise.all([workers.remove(), sweep()]))

it('never shows a part of a packet, however often its writers are killed', async () => {
  await killWriters(workers, await makeFolder(), 200)
})
