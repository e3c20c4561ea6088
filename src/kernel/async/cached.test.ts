import { describe, expect, it } from 'vitest'
import { ManualClock } from '../manual-clock.fake.ts'
import { cacheFor } from './cached.ts'

describe('a value that is cached for a time', () => {
  it('is loaded again when the time is over, and not before', () => {
    const clock = new ManualClock()
    let loads = 0
    const read = cacheFor(clock, 100, () => ++loads)
    expect([read(), read()]).toEqual([1, 1])
    clock.move(99)
    expect(read()).toBe(1)
    clock.move(1)
    expect([read(), read()]).toEqual([2, 2])
  })

  it('is loaded once for callers at the same time, and then returned without a promise', async () => {
    const clock = new ManualClock()
    const ends: ((value: string) => void)[] = []
    const read = cacheFor(clock, 100, () => new Promise<string>((resolve) => ends.push(resolve)))
    const both = Promise.all([read(), read()])
    clock.move(500)
    ends[0]?.('first')
    expect(await both).toEqual(['first', 'first'])
    clock.move(99)
    expect(read()).toBe('first')
    clock.move(1)
    const next = read()
    ends[1]?.('second')
    expect(await next).toBe('second')
    expect(ends).toHaveLength(2)
  })

  it('is loaded again after a failure', async () => {
    let loads = 0
    const read = cacheFor(new ManualClock(), 100, async () => {
      loads += 1
      if (loads === 1) throw new Error('not today')
      return loads
    })
    await expect(read()).rejects.toThrow('not today')
    expect(await read()).toBe(2)
  })
})
