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

  it('leave no timer behind when they are closed while jobs run and wait', async () => {
    const clock = new ManualClock()
    const threads = new WorkerPool({ program: PROGRAM, setup: undefined, clock, maxThreads: 1 })
    for (let i = 0; i < 3; i++) threads.run('echo', 'words', { ms: 10_000, signal: never }).catch(() => {})
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

/** A thread that marks its progress, as the worker loop does. `slow` goes on for a while, `hang` does nothing more. */
const WORKING = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData } from 'node:worker_threads'
    const mark = () => Atomics.add(workerData.shared, 1, 1)
    const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    parentPort.on('message', ({ id, args }) => {
      mark()
      if (args === 'hang') for (;;) sleep(1000)
      for (let at = 0; args === 'slow' && at < 60; at++) { mark(); sleep(10) }
      parentPort.postMessage({ id, value: args })
    })
    mark()
  `)}`,
)

describe('a thread on a busy machine', () => {
  it('that makes progress is not taken for stuck, and neither is a job that waits behind it', async () => {
    const threads = new WorkerPool({ program: WORKING, setup: undefined, clock: systemClock, maxThreads: 1 })
    await threads.run('echo', 'ready', { ms: 10_000, signal: never })
    const jobs = ['slow', 'slow', 'last'].map((args) =>
      threads.run('echo', args, { ms: 1_000, signal: never }),
    )
    // A look every 110 ms by a limit of 1 s: the last job waits longer than its own limit.
    expect(await Promise.all(jobs)).toEqual(['slow', 'slow', 'last'])
    expect(await threads.close()).toBe(true)
  })

  it('that makes none is stuck, and so is a job that waits behind it', async () => {
    const threads = new WorkerPool({ program: WORKING, setup: undefined, clock: systemClock, maxThreads: 1 })
    await threads.run('echo', 'ready', { ms: 10_000, signal: never })
    const jobs = ['hang', 'waits'].map((args) => threads.run('echo', args, { ms: 300, signal: never }))
    const [first, second] = await Promise.allSettled(jobs)
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'jail.timeout' } })
    expect(second?.status).toBeDefined()
    await threads.close()
  })

  it('is not taken for stuck after the whole process was stopped', async () => {
    const clock = new ManualClock()
    const threads = new WorkerPool({ program: WORKING, setup: undefined, clock, maxThreads: 1 })
    await threads.run('echo', 'ready', { ms: 10_000, signal: never })
    const job = threads.run('echo', 'slow', { ms: 10_000, signal: never })
    // An hour passes while nothing runs; then the overdue timer comes first.
    clock.move(3_600_000)
    expect(await job).toBe('slow')
    await threads.close()
  })
})
