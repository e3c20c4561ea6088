import { afterAll, beforeAll, it } from 'vitest'
import { describeWith } from '../services.ts'
import { sweep } from '../support/binary.ts'
import { PacketKills } from '../support/packet-kills.ts'

afterAll(sweep)

describeWith('registry', 'packets whose makers are killed', (host) => {
  let kills: PacketKills
  beforeAll(async () => {
    kills = await PacketKills.open(host)
  })
  afterAll(() => kills.close())

  it.each([
    ['build', 6],
    ['publish', 6],
    ['pull', 8],
    ['index', 6],
  ] as const)(
    '%s, %i times: nothing partial is seen, and the next run succeeds',
    { timeout: 120_000 },
    async (verb, rounds) => {
      await kills[verb](rounds)
    },
  )

  it('a lock is waited for while its owner lives, and taken over when it is dead', async () => {
    await kills.takeOver()
  })
})
