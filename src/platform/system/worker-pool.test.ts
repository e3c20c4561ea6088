import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../kernel/manual-clock.fake.ts'
import type { Clock } from '../../kernel/ports.ts'
import { systemClock } from './clock.ts'
import { WorkerPool } from './worker-pool.ts'

const PROGRAM = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ id, args }) => {
      if (args === 'hang') for (;;);
      parentPort.postMessage({ id, value: args })
    })
  `)}`,
)

/** A busy machine: timers below one second fire at once. */
const busy: Clock = {
  ...systemClock,
  after(ms, then) {
    if (ms >= 1000) return systemClock.after(ms, then)
    queueMicrotask(then)
    return () => {}
  },
}

const never = new AbortController().signal

describe('threads', () => {
  it('that are idle get time to exit: slow is not stuck', async () => {
    const threads = new WorkerPool({ program: PROGRAM, setup: undefined, clock: busy })
    expect(await threads.run('echo', 'done', { ms: 30_000, signal: never })).toBe('done')
    expect(await threads.close()).toBe(true)
  })

  it('that run a job get little time to exit', async () => {
    const threads = new WorkerPool({ program: PROGRAM, setup: undefined, clock: busy })
    expect(await threads.run('echo', 'done', { ms: 30_000, signal: never })).toBe('done')
    threads.run('echo', 'hang', { ms: 30_000, signal: never }).catch(() => {})
    expect(await threads.close()).toBe(false)
  })

  it('leave no timer behind that would keep the process alive', async () => {
    const clock = new ManualClock()
    const threads = new WorkerPool({ program: PROGRAM, setup: undefined, clock })
    expect(await threads.run('echo', 'words', { ms: 10_000, signal: never })).toBe('words')
    expect(await threads.close()).toBe(true)
    expect(clock.waiting).toBe(0)
  })

  it('remove their listener from the signal when a job has ended', async () => {
    const threads = new WorkerPool({ program: PROGRAM, setup: undefined, clock: new ManualClock() })
    const { signal } = new AbortController()
    await threads.run('echo', 'words', { ms: 10_000, signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
    await threads.close()
  })
})
