import { describe, expect, it } from 'vitest'
import { ManualClock } from '../manual-clock.fake.ts'
import { type Deadline, DeadlineQueue } from './deadline-queue.ts'

describe('deadlines', () => {
  const setUp = () => {
    const clock = new ManualClock()
    const deadlines = new DeadlineQueue(clock, 100)
    const expired: string[] = []
    const set = (name: string, then = () => {}): Deadline => {
      const expire = () => {
        expired.push(name)
        then()
      }
      const deadline = { at: clock.elapsed() + 100, over: false, expire }
      deadlines.add(deadline)
      return deadline
    }
    return { clock, deadlines, expired, set }
  }

  it('pass one by one, each in its own time, with one timer for all', () => {
    const { clock, expired, set } = setUp()
    set('first')
    clock.move(30)
    set('second')
    expect(clock.waiting).toBe(1)
    clock.move(70)
    expect(expired).toEqual(['first'])
    expect(clock.waiting).toBe(1)
    clock.move(29)
    expect(expired).toEqual(['first'])
    clock.move(1)
    expect(expired).toEqual(['first', 'second'])
    expect(clock.waiting).toBe(0)
  })

  it('that were completed do not expire, and with none left there is no timer', () => {
    const { clock, deadlines, expired, set } = setUp()
    const first = set('first')
    const second = set('second')
    deadlines.complete(second)
    deadlines.complete(second)
    expect(clock.waiting).toBe(1)
    deadlines.complete(first)
    expect(clock.waiting).toBe(0)
    clock.move(1_000)
    expect(expired).toEqual([])
  })

  it('hold while thousands come and go behind one that stays', () => {
    const { clock, deadlines, expired, set } = setUp()
    set('stays')
    for (let n = 0; n < 5_000; n += 1) deadlines.complete(set(`passes ${n}`))
    clock.move(100)
    expect(expired).toEqual(['stays'])
  })

  it('may be met by one that passes at the same time', () => {
    const { clock, deadlines, expired, set } = setUp()
    set('first', () => deadlines.complete(second))
    const second = set('second')
    clock.move(100)
    expect(expired).toEqual(['first'])
    expect(clock.waiting).toBe(0)
  })
})
