import { expect } from 'vitest'
import { caseCount } from '../support/case-count.ts'
import { beliefModel } from './belief-model.ts'
import { runWarrant, type ServerPlan } from './belief-server.ts'
import { checkHistory } from './checker.ts'
import { countWrites, type HistoryPlan, recordHistory } from './driver.ts'

/** Eight processes: half are killed, most others are suspended for a while, and the last is left alone. */
export const sharedPlan = (server: ServerPlan, seed: number): HistoryPlan => ({
  seed,
  processes: 8,
  calls: caseCount(25, 50),
  server: () => server,
  kills: (process) => (process < 4 ? 2 : 0),
  pauses: (process) => (process >= 4 && process < 7 ? 3 : 0),
})

/** Records a history on a new store: it must be linearizable, and the log must match it. */
export const expectOneCopy = async (server: ServerPlan, seed: number): Promise<void> => {
  const plan = sharedPlan(server, seed)
  const history = await recordHistory(plan)
  expect(history.refused, `seed ${seed}`).toEqual([])
  expect(history.calls).toHaveLength(plan.processes * plan.calls)
  expect(history.kills).toBeGreaterThan(3)
  expect(history.pauses).toBeGreaterThan(3)
  const verdict = checkHistory(beliefModel, history.calls)
  expect(verdict, `seed ${seed}`).toMatchObject({ outcome: 'linearizable' })

  const { sure, open } = countWrites(history.calls)
  const exported = await runWarrant(server, ['log', 'export', `${seed}.json`])
  expect(exported.code).toBe(0)
  const { count } = exported.value
  expect(count).toBeGreaterThanOrEqual(sure)
  expect(count).toBeLessThanOrEqual(sure + open)
  const verified = await runWarrant(server, ['log', 'verify'])
  expect(verified.code).toBe(0)
  expect(verified.value).toMatchObject({
    chain: { outcome: 'intact', size: count },
    execution: { outcome: 'same', entries: count },
  })
}
