import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { withDeadline } from './deadline.ts'

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void

it('aborts after its time, even when garbage is collected meanwhile', async () => {
  const { signal } = new AbortController()
  const seen = { aborted: false }
  withDeadline(signal, 200).addEventListener('abort', ({ target }) => {
    seen.aborted = (target as AbortSignal).reason.name === 'TimeoutError'
  })
  for (let turn = 0; turn < 100 && !seen.aborted; turn += 1) {
    collect()
    await sleep(20)
  }
  expect(seen.aborted).toBe(true)
})

it('aborts with the reason of the signal of the caller', () => {
  const caller = new AbortController()
  const both = withDeadline(caller.signal, 60_000)
  caller.abort('enough')
  expect(both.reason).toBe('enough')
})
