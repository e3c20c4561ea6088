import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineTool, NoInput, type Tool } from '../../src/kernel/tool.ts'
import { eventually } from '../support/binary.ts'
import { startFront } from '../support/front.ts'
import { envelope, initialize, modern, notification, request } from '../support/messages.ts'
import { makeService, Wire } from '../support/service.ts'

/** A tool that works until it is told to stop, and remembers being told. */
const patient = () => {
  const stopped: unknown[] = []
  const begun: string[] = []
  const tool: Tool = defineTool({
    name: 'wait',
    title: 'Wait',
    description: 'Waits to be cancelled.',
    effect: 'read',
    input: NoInput,
    output: z.strictObject({ done: z.boolean() }),
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        begun.push('wait')
        signal.addEventListener('abort', () => {
          stopped.push(signal.reason)
          reject(new Error('stopped'))
        })
      }),
  })
  return { stopped, begun, toolset: { tools: [tool], resources: [], prompts: [] } }
}

const eras = [
  ['2025', (id: number, method: string, params?: object) => request(id, method, params), initialize('open')],
  ['2026', (id: number, method: string, params?: object) => modern(id, method, params), ''],
] as const

describe.each(eras)('in the %s era', (_, ask, opening) => {
  describe.each([true, false])('with the direct path %s', (direct) => {
    it('a cancelled call stops its work and is never answered', async () => {
      const { stopped, begun, toolset } = patient()
      const wire = new Wire(makeService({ toolset }), { direct })
      await wire.ask(opening, ask(0, 'tools/list', { cursor: 'loads the SDK' }))
      wire.send(ask(1, 'tools/call', { name: 'wait' }))
      await eventually('the call', () => begun.length > 0)
      wire.send(notification('notifications/cancelled', { requestId: 1, reason: 'changed my mind' }))
      await wire.connection.settled()
      await eventually('the end of the work', () => stopped.length > 0)
      expect(stopped).toEqual(['changed my mind'])
      expect(wire.messages.filter(({ id }) => id === 1)).toEqual([])
      const again = await wire.ask(ask(1, 'tools/list'))
      expect(again.filter(({ id }) => id === 1)).toHaveLength(1)
    })

    it('a call cancelled while everything is still being loaded is never answered', async () => {
      const { toolset } = patient()
      const wire = new Wire(makeService({ toolset, limits: { callMs: 100 } }), { direct })
      wire.send(opening, ask(1, 'tools/call', { name: 'wait' }))
      wire.send(notification('notifications/cancelled', { requestId: 1 }))
      await wire.connection.settled()
      await sleep(150)
      expect(wire.messages.filter(({ id }) => id === 1)).toEqual([])
    })

    it('a call past its deadline is stopped and answered with a fault', async () => {
      const { stopped, toolset } = patient()
      const wire = new Wire(makeService({ toolset, limits: { callMs: 40 } }), { direct })
      const answers = await wire.ask(opening, ask(1, 'tools/call', { name: 'wait' }))
      expect(answers.find(({ id }) => id === 1)?.result._meta['warrant/fault'].code).toBe('call.deadline')
      expect(stopped).toHaveLength(1)
    })

    it('closing stops the work', async () => {
      const { stopped, begun, toolset } = patient()
      const wire = new Wire(makeService({ toolset }), { direct })
      await wire.ask(opening, ask(0, 'tools/list', { cursor: 'loads the SDK' }))
      wire.send(ask(1, 'tools/call', { name: 'wait' }))
      await eventually('the call', () => begun.length > 0)
      await wire.connection.close()
      await eventually('the end of the work', () => stopped.length > 0)
      expect(stopped).toHaveLength(1)
      expect(wire.messages.filter(({ id }) => id === 1)).toMatchObject([{ error: { code: -32000 } }])
    })
  })
})

describe('changes', () => {
  const changed = async (...lines: string[]) => {
    const made = makeService({ toolset: patient().toolset })
    const wire = new Wire(made, { direct: true })
    await wire.ask(...lines)
    made.service.parts.changes.emit({ kind: 'tools' })
    await sleep(20)
    return wire.messages.filter(({ method }) => method !== undefined)
  }

  it('are told to an older client unasked, with and without the SDK loaded', async () => {
    const news = [{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]
    expect(await changed(initialize(), request(1, 'tools/list'))).toEqual(news)
    expect(await changed(initialize(), request(1, 'tools/list', { cursor: 'x' }))).toEqual(news)
  })

  it('are told to a newer client only when it listens, stamped with its subscription', async () => {
    expect(await changed(modern(1, 'tools/list'))).toEqual([])
    const heard = await changed(
      modern(7, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
    )
    expect(heard.map(({ method }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
    ])
    expect(JSON.stringify(heard[1])).toContain('"io.modelcontextprotocol/subscriptionId":7')
  })
})

describe('over HTTP', () => {
  it.each([true, false])('hanging up stops the work, with the direct path %s', async (direct) => {
    const { stopped, begun, toolset } = patient()
    const front = await startFront(makeService({ toolset }), direct)
    const client = httpRequest({
      port: front.port,
      path: '/mcp',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'wait',
      },
    })
    client.on('error', () => {})
    const params = { name: 'wait', _meta: envelope() }
    client.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
    await expect.poll(() => begun, { timeout: 5_000 }).toHaveLength(1)
    expect(stopped).toEqual([])
    client.destroy()
    await expect.poll(() => stopped.length, { timeout: 5_000 }).toBe(1)
    await front.close()
  })
})
