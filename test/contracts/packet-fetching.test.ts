import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFolder, sweep } from '../support/binary.ts'
import { FaultRegistry } from '../support/fault-registry.ts'
import type { MadePacket } from '../support/packet-maker.ts'
import { buildTexts, noAbort, openTestPackets, publishToMemory } from '../support/packet-setup.ts'

/** Who waits for a packet that comes slowly, and who stops it. */

const registry = new FaultRegistry()
let packet: MadePacket
let largest = ''
beforeAll(async () => {
  await registry.start()
  packet = await publishToMemory(await buildTexts({ 'guide.md': '# Wicks\n\nTrim the wick at dusk.\n' }))
  largest = [...packet.blobs].sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? ''
})
afterAll(() => Promise.all([registry.stop(), sweep()]))

/** A registry that sends half of the largest file, and the rest on request. */
const slowWorld = async () => {
  const held: ServerResponse[] = []
  const gone: string[] = []
  const bytes = packet.blobs.get(largest) as Uint8Array
  registry.play(packet, ({ path }, response) => {
    if (!path.endsWith(largest) || held.length > 0) return false
    response.writeHead(200, { 'content-length': bytes.length })
    response.write(bytes.subarray(0, 100))
    response.on('close', () => {
      if (!response.writableFinished) gone.push(path)
    })
    held.push(response)
    return true
  })
  const { packets } = openTestPackets(await makeFolder(), registry.address)
  const ask = (signal: AbortSignal) => packets.query({ ref: 'demo', q: 'wick' }, signal)
  const begun = () => expect.poll(() => held.length, { timeout: 5000 }).toBe(1)
  return { ask, begun, gone, finish: () => held[0]?.end(bytes.subarray(100)) }
}

describe('a packet that comes slowly', () => {
  it('comes for who still waits when another leaves, and is asked for once', async () => {
    const { ask, begun, finish } = await slowWorld()
    const leaving = new AbortController()
    const [first, second] = [ask(leaving.signal), ask(noAbort)]
    await begun()
    leaving.abort('changed my mind')
    await expect(first).rejects.toBe('changed my mind')
    finish()
    expect(await second).toMatchObject({ ok: true, digest: packet.digest })
    expect(registry.calls.filter(({ path }) => path.endsWith(largest))).toHaveLength(1)
  })

  it('is stopped when no caller waits any more, and started again by the next', async () => {
    const { ask, begun, gone } = await slowWorld()
    const leaving = new AbortController()
    const only = ask(leaving.signal)
    await begun()
    leaving.abort('changed my mind')
    await expect(only).rejects.toBe('changed my mind')
    // At once: the next call must not join the stopped download.
    const next = ask(noAbort)
    await expect.poll(() => gone, { timeout: 5000 }).toHaveLength(1)
    expect(await next).toMatchObject({ ok: true, digest: packet.digest })
  })
})
