import { afterAll, expect, it } from 'vitest'
import { sweep } from './support/binary.ts'
import { attackPaths, createHostileProject } from './support/jail-attacks.ts'
import { expectNothingFromOutside, pathCalls, WAYS } from './support/jail-calls.ts'

afterAll(sweep)

it('no tool gives a byte from outside for any hostile path', async () => {
  const hostile = createHostileProject()
  const calls = pathCalls(WAYS, attackPaths(hostile))
  expect(calls.length).toBeGreaterThan(20_000)
  await expectNothingFromOutside(hostile, calls)
  hostile.remove()
})
