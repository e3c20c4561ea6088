import { expect, it } from 'vitest'
import { ManualClock } from '../../kernel/manual-clock.fake.ts'
import { systemClock } from './clock.ts'
import { WorkTime } from './own-time.ts'

it('counts work, and takes a long stop of the process for a short one', () => {
  const clock = new ManualClock()
  const time = new WorkTime(clock)
  for (let at = 0; at < 10; at += 1) {
    clock.move(100)
    expect(time.mark()).toBe((at + 1) * 100)
  }
  clock.move(3_600_000)
  expect(time.mark()).toBe(3_601_000)
  expect(time.used()).toBeLessThan(2_500)
  clock.move(900)
  time.mark()
  expect(time.used()).toBeGreaterThan(1_500)
})

it('counts a computation, however rarely it marks its progress', () => {
  const time = new WorkTime(systemClock)
  const end = systemClock.elapsed() + 1_500
  while (systemClock.elapsed() < end);
  const wall = time.mark()
  expect(time.used()).toBeLessThanOrEqual(wall)
  expect(time.used()).toBeGreaterThan(100)
})
