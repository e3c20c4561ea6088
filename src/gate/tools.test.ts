import { expect, it } from 'vitest'
import { readRange } from './facts/scope.ts'
import { type GateService, gateTools } from './tools.ts'

const unasked = async (): Promise<never> => {
  throw new Error('not called in this test')
}
const service: GateService = { check: unasked, run: unasked, explain: unasked, why: unasked }
const gateRun = gateTools(service).find(({ name }) => name === 'gate_run')

it.each(['main...', 'main..', '..', '...', 'main', '', 'a..b\u2028c', 'a\n..b'])(
  'refuses the range %j instead of judging something else',
  (range) => {
    expect(gateRun?.input.safeParse({ range }).success).toBe(false)
  },
)

it.each(['main..HEAD', 'origin/main...HEAD~1', 'v1.2..v1.3', 'a..b c'])('takes the range %j', (range) => {
  expect(gateRun?.input.safeParse({ range }).success).toBe(true)
  expect(readRange(range)).toMatchObject({ kind: 'range' })
})
