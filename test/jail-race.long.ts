import { expect, it } from 'vitest'
import { raceJails } from './support/jail-race.ts'

it('holds for a minute of swapping', async () => {
  const { naive, real } = await raceJails(60_000)
  expect(naive.leaks).toBeGreaterThan(0)
  expect(real.leaks).toBe(0)
  expect(real.answers).toBeGreaterThan(10_000)
})
