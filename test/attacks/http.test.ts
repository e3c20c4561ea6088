import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type HttpProgram, startHttp, sweep } from '../support/binary.ts'
import { exchange, LEGACY_POST, LOCAL, LOCAL_TEXT, RawClient, rawRequest } from '../support/raw-http.ts'
import { Repo } from '../support/repository.ts'
import { askHealth, sendSlowBodies } from '../support/slow-bodies.ts'

let server: HttpProgram
beforeAll(async () => {
  server = await startHttp([], { cwd: Repo.init().commit({ a: '1' }).folder })
})
afterAll(sweep)

type Header = readonly [name: string, value: string]

const send = async (method: string, target: string, headers: readonly Header[], body?: string) =>
  (await exchange(server.port, rawRequest(method, target, [...headers, ['Connection', 'close']], body)))
    .status

const TOOL = JSON.stringify({ name: 'ai_gate_check' })

describe('What a web page can send without the browser asking first', () => {
  it.each([
    ['text/plain', 'text/plain;charset=UTF-8'],
    ['a form', 'application/x-www-form-urlencoded'],
    ['another form', 'multipart/form-data; boundary=x'],
    ['a type that only begins like JSON', 'application/jsonx'],
  ])('%s does not reach a tool', async (_, type) => {
    expect(await send('POST', '/tool', [...LOCAL, ['Content-Type', type]], TOOL)).toBe(415)
  })

  it('a body without a type does not reach a tool', async () => {
    expect(await send('POST', '/tool', LOCAL, TOOL)).toBe(415)
  })

  it('JSON reaches it', async () => {
    for (const type of ['application/json', 'Application/JSON; charset=utf-8']) {
      expect(await send('POST', '/tool', [...LOCAL, ['Content-Type', type]], TOOL)).toBe(200)
    }
  })

  it('the question whether JSON may be sent is not answered with yes', async () => {
    const asked: readonly Header[] = [
      ...LOCAL,
      ['Origin', 'http://localhost:8001'],
      ['Access-Control-Request-Method', 'POST'],
      ['Access-Control-Request-Headers', 'content-type'],
    ]
    const answer = await exchange(server.port, rawRequest('OPTIONS', '/tool', asked))
    expect(answer.status).toBe(405)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('Addresses that only look like ours', () => {
  it.each(['127.0.0.1:99999', '127.0.0.1:65536', 'localhost:'])('the host %s is refused', async (host) => {
    expect(await send('GET', '/health', [['Host', host]])).toBe(403)
  })

  it.each(['http://evil@127.0.0.1', 'http://a:b@localhost', 'http://localhost:99999', 'http://localhost/x'])(
    'the origin %s is refused',
    async (origin) => {
      expect(await send('GET', '/health', [...LOCAL, ['Origin', origin]])).toBe(403)
    },
  )

  it.each(['http://127.0.0.1/health', 'http://localhost/tool', 'http://evil.example/health', 'HTTP://x/'])(
    'the absolute target %s is refused',
    async (target) => {
      expect(await send('GET', target, LOCAL)).toBe(400)
    },
  )

  it('a target that names a host after two slashes is no path', async () => {
    expect(await send('GET', '//evil.example/tools', LOCAL)).toBe(404)
  })
})

describe('Filling the server', () => {
  it('1,100 slow bodies that are renewed leave healthy clients served', async () => {
    const slow = await sendSlowBodies({ port: server.port, count: 1_100, bytes: 10, renew: true })
    const { failed, answered } = await askHealth(server.port, 1_500)
    slow.stop()
    expect([failed, answered > 0]).toEqual([0, true])
  })

  it('30 unfinished bodies of 4 MB do not keep a whole one out', async () => {
    const slow = await sendSlowBodies({ port: server.port, count: 30, bytes: 4_000_000, renew: true })
    const ping = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'ping',
      params: { pad: 'x'.repeat(200_000) },
    })
    const statuses: number[] = []
    for (let at = 0; at < 4; at += 1) statuses.push(await send('POST', '/mcp', LEGACY_POST, ping))
    slow.stop()
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('connections that never send anything give way to those that do', async () => {
    const silent = Array.from({ length: 1_200 }, () => connect({ port: server.port, host: '127.0.0.1' }))
    for (const socket of silent) socket.on('error', () => {}).resume()
    await eventually('1,200 connections', () => silent.every(({ connecting }) => !connecting))
    expect(await send('GET', '/health', LOCAL)).toBe(200)
    const countOpen = () =>
      silent.filter(({ destroyed, readyState }) => !destroyed && readyState === 'open').length
    // The request may be accepted before the last silent ones, which then take its place.
    await expect.poll(countOpen, { timeout: 10_000 }).toBeLessThanOrEqual(1_024)
    for (const socket of silent) socket.destroy()
  })

  it('a body that never ends is answered with 503 when the server is full', async () => {
    const body = new RawClient(server.port)
    body.send(`POST /mcp HTTP/1.1\r\n${LOCAL_TEXT}Content-Length: 9\r\n\r\n{`)
    const slow = await sendSlowBodies({ port: server.port, count: 1_100, bytes: 10, renew: false })
    expect((await body.answer()).status).toBe(503)
    slow.stop()
  })
})
