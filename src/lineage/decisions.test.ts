import { describe, expect, it } from 'vitest'
import { optional } from '../kernel/optional.ts'
import type { CallRecord, RecordPlace } from '../kernel/ports.ts'
import { memoryLogs } from '../platform/log-stores/memory.ts'
import { auditLog } from './audit.ts'
import { DECISION_GENESIS, DecisionRecorder } from './decisions.ts'
import type { LogMemory, LogPoint } from './log-memory.ts'
import { DECISION_LOG, logOrigin } from './origin.ts'
import { readEntry } from './read-rows.ts'
import type { LogStore } from './store.ts'

const CALL: CallRecord = { tool: 'gate_run', effect: 'write', outcome: 'answer', ms: 1, verdict: { n: 1 } }

const openRecorder = (store: LogStore, memory?: LogMemory) =>
  new DecisionRecorder({
    ...optional({ memory }),
    open: async () => store,
    salt: () => String(Math.random()).padEnd(32, '0').slice(0, 32),
    time: () => '2026-01-01T00:00:00.000Z',
    version: '1.2.3',
  })

const readLog = async (store: LogStore) => {
  const log = await store.open(DECISION_LOG, DECISION_GENESIS)
  const rows = await log.read(0, 1_000)
  const entries = rows.map((row) => ({
    operation: readEntry(row).operation,
    checksum: readEntry(row).checksum,
    payload: JSON.parse(row.payload ?? 'null'),
  }))
  return { log, entries }
}

describe('the recorder of decisions', () => {
  it('begins a log with an entry that gives it an origin of its own', async () => {
    const origins: string[] = []
    for (const store of [memoryLogs(), memoryLogs()]) {
      await openRecorder(store).record(CALL)
      const { log, entries } = await readLog(store)
      expect(entries).toMatchObject([
        { operation: 'log.begin', payload: { version: '1.2.3', salt: expect.any(String) } },
        { operation: 'gate_run', payload: { tool: 'gate_run', verdict: { n: 1 } } },
      ])
      const origin = await logOrigin(DECISION_LOG, log)
      expect(origin).toBe(`warrant/gate-decisions/${entries[0]?.checksum.slice(0, 16)}`)
      expect(await logOrigin('default', log)).toBe('warrant/default')
      origins.push(origin)
    }
    expect(new Set(origins).size).toBe(2)
  })

  it('attaches an object that names its own place, also when other processes write first', async () => {
    const store = memoryLogs()
    const recorders = Array.from({ length: 8 }, () => openRecorder(store))
    const stored: number[] = []
    const record = async (recorder: DecisionRecorder, n: number) => {
      const attach = async ({ origin, index }: RecordPlace) => {
        await new Promise(setImmediate)
        return { place: `${origin}#${index}`, n }
      }
      return recorder.record({ ...CALL, args: 'sha256:00', attach, stored: () => void stored.push(n) })
    }
    const attached = await Promise.all(
      Array.from({ length: 40 }, (_, n) => record(recorders[n % 8] as DecisionRecorder, n)),
    )
    const { log, entries } = await readLog(store)
    const [begin, ...decisions] = entries
    expect(begin?.operation).toBe('log.begin')
    expect(decisions).toHaveLength(40)
    const origin = await logOrigin(DECISION_LOG, log)
    decisions.forEach(({ payload }, at) => {
      expect(payload).toMatchObject({ args: 'sha256:00', receipt: { place: `${origin}#${at + 1}` } })
    })
    expect(decisions.map(({ payload }) => payload.receipt).sort((a, b) => a.n - b.n)).toEqual(attached)
    expect(stored.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n))
    expect((await auditLog(log)).chain).toMatchObject({ outcome: 'intact', size: 41 })
  })

  it('verifies what was appended since this machine saw the log, and continues nothing that does not follow', async () => {
    const store = memoryLogs()
    let seen: LogPoint | undefined
    const memory: LogMemory = {
      read: async () => seen,
      note: (point) => {
        seen = point
      },
      noteLost: async () => {},
      adopt: async () => {},
    }
    await openRecorder(store, memory).record(CALL)
    // Another process continues it, and then an entry comes that does not follow.
    await openRecorder(store).record(CALL)
    await openRecorder(store, memory).record(CALL)
    expect(seen?.size).toBe(4)
    const { log } = await readLog(store)
    const [row] = await log.read(3, 1)
    if (row === undefined) throw new Error('no entry')
    const forged = { ...row, seq: 4, entry: row.entry.replace('"seq":3', '"seq":4') }
    expect(await log.append(4, [forged], [{ level: 0, index: 4, hash: '0'.repeat(64) }])).toBe(true)
    const late = openRecorder(store, memory)
    await expect(late.record(CALL)).rejects.toMatchObject({ code: 'store.damaged' })
    expect((await log.head()).size).toBe(5)
  })

  it('fails the record when what was attached could not be kept', async () => {
    const recorder = openRecorder(memoryLogs())
    const attached = { attach: () => ({ digest: 'x' }), stored: () => Promise.reject(new Error('disk full')) }
    await expect(recorder.record({ ...CALL, ...attached })).rejects.toThrow('disk full')
    expect(await recorder.record(CALL)).toBe(undefined)
  })
})
