import { afterAll, beforeAll, describe, it } from 'vitest'
import { sweep } from '../support/binary.ts'
import { surviveBirths, surviveKills } from './log-crash.ts'
import { LogWorkers } from './log-workers.ts'

const workers = new LogWorkers()
beforeAll(() => workers.build())
afterAll(async () => {
  await workers.remove()
  await sweep()
})

describe('a SQLite log', () => {
  it('loses nothing that was acknowledged in five hundred kills', () => surviveKills(workers, 500))
  it('can be made after two hundred kills of those who made it', () => surviveBirths(workers, 200))
})
