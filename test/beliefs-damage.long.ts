import { afterAll, beforeAll, describe, it } from 'vitest'
import { endServers, type ServerPlan } from './history/belief-server.ts'
import {
  copyWithoutSnapshots,
  DAMAGES,
  expectLastingQuarantine,
  expectQuarantine,
} from './history/damages.ts'
import { makeStore } from './history/tamper.ts'
import { sweep } from './support/binary.ts'

let whole: ServerPlan
beforeAll(async () => {
  whole = await makeStore()
})
afterAll(async () => {
  await endServers()
  await sweep()
})

describe.concurrent('a log with something changed', () => {
  it.each(DAMAGES)('stays in quarantine after another start, beyond repair: %s', async (_, at, damage) => {
    const plan = await copyWithoutSnapshots(whole, damage)
    await expectQuarantine(plan, at)
    await expectLastingQuarantine(plan, at)
  })
})
