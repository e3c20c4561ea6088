import { describe, expect, it } from 'vitest'
import type { CallRecord } from '../kernel/ports.ts'
import { memoryLogs } from '../platform/log-stores/memory.ts'
import { DECISION_GENESIS, DecisionRecorder } from './decisions.ts'
import { LogWriter } from './log-writer.ts'
import { newestRun } from './newest-run.ts'
import { DECISION_LOG } from './origin.ts'
import type { LogReader, LogStore } from './store.ts'

const RUN: CallRecord = { tool: 'gate_run', effect: 'write', outcome: 'answer', ms: 1, verdict: { n: 1 } }
const CHECK: CallRecord = { ...RUN, tool: 'ai_gate_check', effect: 'read' }
const TRIED: CallRecord = { ...RUN, verdict: { policy_from: 'worktree' } }
const FAILED: CallRecord = {
  tool: 'gate_run',
  effect: 'write',
  outcome: 'fault',
  ms: 1,
  code: 'git.failed',
  args: 'sha256:00',
}

const openRecorder = (store: LogStore) =>
  new DecisionRecorder({
    open: async () => store,
    salt: (seq) => `${seq}`.padStart(32, '0'),
    time: () => '2026-01-01T00:00:00.000Z',
    version: '1.2.3',
  })

/** The newest run, and how many rows were read to find it. */
const find = async (store: LogStore) => {
  const log = await store.open(DECISION_LOG, DECISION_GENESIS)
  let rows = 0
  const read: LogReader['read'] = async (from, limit) => {
    const page = await log.read(from, limit)
    rows += page.length
    return page
  }
  const counted = new Proxy(log, { get: (target, key) => (key === 'read' ? read : Reflect.get(target, key)) })
  const { size } = await log.head()
  return { run: await newestRun(counted, size), rows }
}

describe('the newest run of the gate', () => {
  it('is found with one read, whatever number of checks, failed and trying runs came after it', async () => {
    const store = memoryLogs()
    const recorder = openRecorder(store)
    await recorder.record(CHECK)
    expect(await find(store)).toEqual({ run: null, rows: 1 })
    await recorder.record(RUN)
    expect(await find(store)).toEqual({ run: 2, rows: 1 })
    for (let n = 0; n < 500; n += 1) await recorder.record([CHECK, TRIED, FAILED][n % 3] as CallRecord)
    expect(await find(store)).toEqual({ run: 2, rows: 1 })
    await openRecorder(store).record(CHECK)
    expect(await find(store)).toEqual({ run: 2, rows: 1 })
  })

  it('is named by the entries of every process that ran the gate', async () => {
    const store = memoryLogs()
    const [one, other] = [openRecorder(store), openRecorder(store)]
    await one.record(RUN)
    await other.record(RUN)
    await one.record(CHECK)
    expect(await find(store)).toEqual({ run: 2, rows: 1 })
    await other.record(RUN)
    await one.record(CHECK)
    expect(await find(store)).toEqual({ run: 4, rows: 1 })
  })

  it('is searched from the end where entries do not name it, once', async () => {
    const store = memoryLogs()
    const log = await store.open(DECISION_LOG, DECISION_GENESIS)
    const writer = await LogWriter.open(log, () => '0'.repeat(32))
    const draft = (operation: string) => ({ operation, tick: 0, timestamp: '', payload: () => '{}' })
    const checks = Array.from({ length: 300 }, () => draft('ai_gate_check'))
    await writer.commit(writer.prepare([draft('ai_gate_check'), draft('gate_run'), ...checks]))
    expect(await find(store)).toMatchObject({ run: 1 })
    await openRecorder(store).record(CHECK)
    expect(await find(store)).toEqual({ run: 1, rows: 1 })
  })
})
