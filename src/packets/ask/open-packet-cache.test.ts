import { describe, expect, it } from 'vitest'
import { OpenPacketCache } from './open-packet-cache.ts'
import type { OpenPacket } from './retrieve.ts'

/** Packets that only count how often they are opened and closed. */
const open = () => {
  const opened: string[] = []
  const closed: string[] = []
  const packet = (name: string, bytes: number) => async () => {
    opened.push(name)
    return { bytes, close: () => closed.push(name) } as unknown as OpenPacket
  }
  return { opened, closed, packet }
}
const nothing = async () => {}

describe('the cache of open packets', () => {
  it('keeps packets open, and lets the least recently used go when there are too many', async () => {
    const { opened, closed, packet } = open()
    const cache = new OpenPacketCache({ packets: 2, bytes: 1000 })
    for (const name of ['a', 'b', 'a', 'c', 'a']) await cache.use(name, packet(name, 1), nothing)
    expect(opened).toEqual(['a', 'b', 'c'])
    expect(closed).toEqual(['b'])
    await cache.close()
    expect(closed.sort()).toEqual(['a', 'b', 'c'])
  })

  it('lets them go when they take too much, except the one that is asked', async () => {
    const { closed, packet } = open()
    const cache = new OpenPacketCache({ packets: 8, bytes: 100 })
    for (const [name, bytes] of [
      ['a', 40],
      ['b', 40],
      ['c', 50],
      ['huge', 500],
    ] as const)
      await cache.use(name, packet(name, bytes), nothing)
    await new Promise((resolve) => setImmediate(resolve))
    expect(closed).toEqual(['a', 'b', 'c'])
  })

  it('closes one that gave way only when its last question is answered', async () => {
    const { closed, packet } = open()
    const cache = new OpenPacketCache({ packets: 1, bytes: 1000 })
    await cache.use('a', packet('a', 1), async () => {
      await cache.use('b', packet('b', 1), nothing)
      expect(closed).toEqual([])
    })
    expect(closed).toEqual(['a'])
  })
})
