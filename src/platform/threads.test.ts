import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { StillClock } from '../../test/support/still-clock.ts'
import { Threads } from './threads.ts'

const ECHO = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ id, args }) => parentPort.postMessage({ id, value: args }))
  `)}`,
)

it('leaves no timer behind that would keep the process after its threads have ended', async () => {
  const clock = new StillClock()
  const threads = new Threads({ program: ECHO, setup: undefined, clock })
  const { signal } = new AbortController()
  expect(await threads.run('echo', 'words', 10_000, signal)).toBe('words')
  expect(await threads.close()).toBe(true)
  expect(clock.waiting).toBe(0)
})

it('lets go of the signal of a job that has ended', async () => {
  const threads = new Threads({ program: ECHO, setup: undefined, clock: new StillClock() })
  const { signal } = new AbortController()
  await threads.run('echo', 'words', 10_000, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
  await threads.close()
})
