import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../evidence/schema.ts'
import type { EvidenceReading } from '../../evidence/store.ts'
import { ManualClock } from '../../kernel/manual-clock.fake.ts'
import { ServerState } from './server-state.ts'

const reading = (status: string, time: number): EvidenceReading => ({
  kind: 'valid',
  digest: '',
  evidence: {
    timestamp: new Date(time).toISOString(),
    ai_gate: { status, violations: [{}] },
    snapshot: { stage: 'PRE_COMMIT' },
  } as unknown as Evidence,
})

const setUp = () => {
  const clock = new ManualClock()
  const seen = { reads: 0, heads: 0, changes: 0 }
  let evidence: () => Promise<EvidenceReading> = async () => ({ kind: 'missing' })
  const state = new ServerState({
    clock,
    evidence: () => {
      seen.reads += 1
      return evidence()
    },
    head: async () => {
      seen.heads += 1
      return { tree: 'abc' }
    },
    lineageSize: async () => 7,
    receipts: async () => ({ listsKeys: false, lacksReceipt: false }),
    changed: () => {
      seen.changes += 1
    },
  })
  const find = (next: typeof evidence) => {
    evidence = next
  }
  return { clock, seen, state, find }
}

describe('the state of a server', () => {
  it('is read at most once in a while, and asks nothing of git while the gate does not block', async () => {
    const { clock, seen, state } = setUp()
    await state.offer.refresh()
    expect(state.offer.refresh()).toBeUndefined()
    clock.move(199)
    expect(state.offer.refresh()).toBeUndefined()
    clock.move(1)
    await state.offer.refresh()
    expect(seen).toEqual({ reads: 2, heads: 0, changes: 0 })
  })

  it('announces a change once, and none at the first look', async () => {
    const { clock, seen, state, find } = setUp()
    find(async () => reading('BLOCKED', 0))
    await state.offer.refresh()
    expect([state.closed?.why, seen.changes]).toEqual([expect.stringContaining('1 violation'), 0])
    find(async () => reading('ALLOWED', 0))
    clock.move(1_000)
    await state.offer.refresh()
    await state.reload()
    expect([state.closed, seen.changes]).toEqual([undefined, 1])
  })

  it('is assumed open when the first look takes too long, and corrects that', async () => {
    const { clock, seen, state, find } = setUp()
    let answer = (_: EvidenceReading) => {}
    find(
      () =>
        new Promise((resolve) => {
          answer = resolve
        }),
    )
    const waiting = state.offer.refresh()
    clock.move(5_000)
    await waiting
    expect(state.offer.key()).toBe('open')
    answer(reading('BLOCKED', 0))
    await new Promise((resolve) => setImmediate(resolve))
    expect([state.offer.key(), seen.changes]).toEqual(['closed', 1])
  })

  it('keeps the last state when the evidence cannot be read, and answers while a disk hangs', async () => {
    const { clock, state, find } = setUp()
    find(async () => reading('BLOCKED', 0))
    await state.offer.refresh()
    find(() => Promise.reject(new Error('EIO')))
    await state.reload()
    expect(state.closed).toBeDefined()
    find(() => new Promise(() => {}))
    clock.move(1_000)
    const waiting = state.offer.refresh()
    clock.move(500)
    await waiting
    expect(state.closed).toBeDefined()
    expect([state.offer.refresh(), state.offer.pending()]).toEqual([undefined, undefined])
  })

  it('tells how fresh answers are, by the second', async () => {
    const { clock, state, find } = setUp()
    expect(state.freshnessJson()).toBe('{}')
    find(async () => reading('ALLOWED', 0))
    await state.touch()
    expect(state.touch()).toBeUndefined()
    expect(JSON.parse(state.freshnessJson())).toEqual({ tree: 'abc', evidenceAgeSeconds: 0, lineageSize: 7 })
    clock.move(2_500)
    expect(JSON.parse(state.freshnessJson())).toMatchObject({ evidenceAgeSeconds: 2 })
  })
})
