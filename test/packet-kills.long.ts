import { afterAll, it } from 'vitest'
import { describeWith } from './services.ts'
import { sweep } from './support/binary.ts'
import { PacketKills } from './support/packet-kills.ts'

afterAll(sweep)

describeWith('registry', 'packets whose makers are killed two hundred times', (host) => {
  it.each(['build', 'publish', 'pull', 'index'] as const)('%s', async (verb) => {
    const kills = await PacketKills.open(host)
    await kills[verb](50)
    await kills.close()
  })
})
