import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../kernel/manual-clock.fake.ts'
import type { Repository } from '../../kernel/ports.ts'
import { statusReader } from './tools.ts'

const readerOver = (freshness: Repository['freshness']) => {
  const clock = new ManualClock()
  const read = statusReader({
    about: () => ({ version: '1', protocol: [], toolsets: [], readOnly: false }),
    store: { health: async () => ({ kind: 'sqlite', state: 'ready', detail: '' }) },
    repository: { freshness },
    clock,
  })
  return { clock, read }
}

describe('the status', () => {
  it('is read at most once a second', async () => {
    let reads = 0
    const { clock, read } = readerOver(async () => ({ head: String(++reads), at: '' }))
    const { signal } = new AbortController()
    expect((await read(() => signal)).freshness.head).toBe('1')
    clock.move(999)
    expect(read(() => signal)).toMatchObject({ freshness: { head: '1' } })
    clock.move(1)
    expect((await read(() => signal)).freshness.head).toBe('2')
  })

  it('of a cancelled call is not given to the next', async () => {
    const { read } = readerOver(async (signal) => (signal.aborted ? { at: '' } : { head: 'abc', at: '' }))
    expect((await read(() => AbortSignal.abort())).freshness.head).toBeUndefined()
    expect((await read(() => new AbortController().signal)).freshness.head).toBe('abc')
  })
})
