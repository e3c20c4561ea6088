import { expect, it } from 'vitest'
import { raceJails } from './support/jail-race.ts'

it('gives nothing from outside while files and folders are swapped for links, where a naive jail does', async () => {
  const { naive, real } = await raceJails(1_500)
  expect(real.leaks).toBe(0)
  expect(real.answers).toBeGreaterThan(100)
  expect(real.refusals).toBeGreaterThan(0)
  // The control: if it does not leak, the race is not being run.
  expect(naive.leaks).toBeGreaterThan(0)
})
