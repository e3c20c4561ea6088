import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { waitForDrain } from './stream-drain.ts'

it('waits until a full stream takes more, and leaves no listener behind', async () => {
  const stream = new PassThrough({ highWaterMark: 1 })
  const before = ['drain', 'close'].map((event) => stream.listenerCount(event))
  expect(stream.write('words')).toBe(false)
  const room = waitForDrain(stream)
  stream.resume()
  await room
  expect(stream.writableNeedDrain).toBe(false)
  expect(['drain', 'close'].map((event) => stream.listenerCount(event))).toEqual(before)
})

it('does not wait for a stream that is gone', async () => {
  const stream = new PassThrough({ highWaterMark: 1 })
  stream.write('words')
  const room = waitForDrain(stream)
  stream.destroy()
  await room
  expect(stream.listenerCount('drain')).toBe(0)
})
