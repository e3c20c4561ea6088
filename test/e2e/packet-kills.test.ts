import { afterAll, beforeAll, expect, it } from 'vitest'
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
    ['build', 1],
    ['publish', 1],
    ['pull', 1],
    ['index', 1],
  ] as const)(
    '%s, %i times: nothing partial is seen, and the next run succeeds',
    { timeout: 120_000 },
    async (verb, rounds) => {
      await kills[verb](rounds)
    },
  )

  it('a lock is waited for while its owner lives, and taken over when it is dead', async () => {
    expect(await kills.takeOver()).toBeLessThan(5000)
  })

  it('what a restart of the machine leaves blocks no call, with the registry out of reach', async () => {
    await kills.restart()
  })

  it('one of eight processes that ask at once makes the table, and all use it', async () => {
    expect(await kills.crowd(8)).toBe(1)
  })
})
