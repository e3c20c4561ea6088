import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { StillClock } from '../../../test/support/still-clock.ts'
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

/** A machine so busy that whatever gets less than a second gets nothing. */
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
  it('that have answered are waited for: slow to end is not stuck', async () => {
    const threads = new WorkerPool({ program: PROGRAM, setup: undefined, clock: busy })
    expect(await threads.run('echo', 'done', 30_000, never)).toBe('done')
    expect(await threads.close()).toBe(true)
  })

  it('that are at work are not waited for long', async () => {
    const threads = new WorkerPool({ program: PROGRAM, setup: undefined, clock: busy })
    expect(await threads.run('echo', 'done', 30_000, never)).toBe('done')
    threads.run('echo', 'hang', 30_000, never).catch(() => {})
    expect(await threads.close()).toBe(false)
  })

  it('leave no timer behind that would keep the process after they have ended', async () => {
    const clock = new StillClock()
    const threads = new WorkerPool({ program: PROGRAM, setup: undefined, clock })
    expect(await threads.run('echo', 'words', 10_000, never)).toBe('words')
    expect(await threads.close()).toBe(true)
    expect(clock.waiting).toBe(0)
  })

  it('let go of the signal of a job that has ended', async () => {
    const threads = new WorkerPool({ program: PROGRAM, setup: undefined, clock: new StillClock() })
    const { signal } = new AbortController()
    await threads.run('echo', 'words', 10_000, signal)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    await threads.close()
  })
})
