import { expect, it } from 'vitest'
import { readRange } from './facts/scope.ts'
import { type GateService, gateTools } from './tools.ts'
import type { VerdictExplanation } from './why/explanation.ts'

const unasked = async (): Promise<never> => {
  throw new Error('not called in this test')
}
const service: GateService = { check: unasked, judge: unasked, run: unasked, explain: unasked, why: unasked }
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

it('explains a long verdict within an answer: the worst reasons, and the run that comes last', async () => {
  const about = { file: 'a.ts', rule: 'r', fingerprint: 'f' }
  const reason = { severity: 'ERROR', code: 'C', message: 'm', blocks: true, ...about } as const
  const repair = (action: string) => ({ action, removes: 1 })
  const explanation: VerdictExplanation = {
    status: 'BLOCKED',
    stage: 'CI',
    agents: { allowed: false, reasons: [] },
    reasons: Array.from({ length: 30 }, () => reason),
    repairs: [...Array.from({ length: 24 }, (_, at) => repair(`edit ${at}`)), repair('run')],
    counted: [],
    rests_on: [],
    notes: [],
  }
  const asked: unknown[] = []
  const why: GateService['why'] = async (request) => {
    asked.push(request)
    return explanation
  }
  const tool = gateTools({ ...service, why }).find(({ name }) => name === 'gate_explain')
  const answer = await tool?.run(
    { stage: 'CI', rule: 'r' } as never,
    {
      signal: new AbortController().signal,
    } as never,
  )
  const { verdict } = answer as unknown as { readonly verdict: VerdictExplanation }
  expect(asked).toEqual([{ stage: 'CI', about: 'r' }])
  expect(verdict).toMatchObject({ not_shown: { reasons: 10, repairs: 5 } })
  expect([verdict.reasons.length, verdict.repairs.length]).toEqual([20, 20])
  expect(verdict.repairs.at(-1)?.action).toBe('run')
})
