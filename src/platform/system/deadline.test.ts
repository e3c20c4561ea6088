import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { eventually } from '../../../test/support/binary.ts'
import { withDeadline } from './deadline.ts'

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void

it('aborts after its time, even when garbage is collected meanwhile', async () => {
  const { signal } = new AbortController()
  const seen = { aborted: false }
  withDeadline(signal, 200).addEventListener('abort', ({ target }) => {
    seen.aborted = (target as AbortSignal).reason.name === 'TimeoutError'
  })
  await eventually('the deadline', () => {
    collect()
    return seen.aborted
  })
})

it('aborts with the reason of the signal of the caller', () => {
  const caller = new AbortController()
  const both = withDeadline(caller.signal, 60_000)
  caller.abort('enough')
  expect(both.reason).toBe('enough')
})
