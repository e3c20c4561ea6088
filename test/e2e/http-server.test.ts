import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttpServer } from '../../src/http/server.ts'
import { type HttpProgram, Program, startHttp, sweep, WAIT_MS } from '../support/binary.ts'
import {
  envelope,
  findFlaw,
  initialize,
  type Message,
  modern,
  notification,
  request,
  VERSION_KEY,
} from '../support/messages.ts'
import { findSample, readMetrics, type Sample } from '../support/prometheus.ts'
import {
  exchange,
  LEGACY_POST,
  LOCAL,
  LOCAL_TEXT,
  type RawAnswer,
  RawClient,
  rawRequest,
  readBody,
  TOKEN_LINE,
} from '../support/raw-http.ts'

const MiB = 1024 * 1024
const POST_TYPES = LEGACY_POST.slice(LOCAL.length)
const TOKEN = 'a-token-of-the-tests-0123456789'
const WITH_STATUS = expect.arrayContaining([expect.objectContaining({ name: 'warrant_status' })])
const WITH_PREFLIGHT = expect.arrayContaining([expect.objectContaining({ name: 'preflight' })])
const ISSUER = 'https://issuer.example'

let server: HttpProgram
beforeAll(async () => {
  server = await startHttp()
})
afterAll(async () => {
  // A front that logged an error has met something it did not expect, even if the client saw nothing of it.
  expect(server.stderr).toBe('')
  await sweep()
})

type Header = readonly [name: string, value: string]

const ask = (
  method: string,
  path: string,
  headers: readonly Header[],
  body?: string | Uint8Array,
  port = server.port,
) => exchange(port, rawRequest(method, path, [...headers, ['Connection', 'close']], body))

const get = (path: string, headers: readonly Header[] = LOCAL, port = server.port) =>
  ask('GET', path, headers, undefined, port)

const post = (line: string | Uint8Array, headers: readonly Header[] = LEGACY_POST, port = server.port) =>
  ask('POST', '/mcp', headers, line, port)

/** The one message of an answer, checked. */
const messageOf = (answer: RawAnswer): Message => {
  const [message] = readBody(answer)
  expect(findFlaw(message)).toBeUndefined()
  return message as Message
}

const mirror = (method: string, name?: string, version = '2026-07-28'): readonly Header[] => [
  ...LOCAL,
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json, text/event-stream'],
  ['MCP-Protocol-Version', version],
  ['Mcp-Method', method],
  ...(name === undefined ? [] : [['Mcp-Name', name] as const]),
]

const withToken = (headers: readonly Header[]): readonly Header[] => [
  TOKEN_LINE,
  ...headers.filter(([name]) => name !== TOKEN_LINE[0]),
]

const ENDPOINTS: readonly (readonly [
  path: string,
  ask: (headers: readonly Header[]) => Promise<RawAnswer>,
])[] = [
  ['/mcp', (headers) => post(request(1, 'ping'), [...withToken(headers), ...POST_TYPES])],
  ['/health', (headers) => get('/health', headers)],
  ['/metrics', (headers) => get('/metrics', withToken(headers))],
]

const goodHosts = () => [
  'localhost',
  `localhost:${server.port}`,
  'localhost:1',
  'LOCALHOST',
  'LocalHost:8080',
  '127.0.0.1',
  `127.0.0.1:${server.port}`,
  '[::1]',
  `[::1]:${server.port}`,
]

const evilHosts = [
  'evil.example',
  'evil.example:7331',
  'localhost.evil.example',
  'evil.localhost.example',
  'evil.localhost',
  'localhost.',
  'localhost.:80',
  '127.0.0.1.',
  '127.0.0.1.evil.example',
  'localhost@evil.example',
  'evil.example@localhost',
  'localhost:80@evil.example',
  'localhost:80:80',
  'localhost:',
  'localhost:x',
  'localhost:-1',
  'localhost:123456',
  'localhost,evil.example',
  'localhost evil.example',
  'localhost/evil',
  'localhost#evil',
  'localhost\\evil',
  'http://localhost',
  '//localhost',
  '0.0.0.0',
  '127.1',
  '2130706433',
  '0x7f000001',
  '017700000001',
  '[::]',
  '[::1',
  '::1',
  '[::ffff:127.0.0.1]',
  '[0:0:0:0:0:0:0:1%lo]',
  'lоcalhost',
  '*',
  '',
]

const goodOrigins = [
  'http://localhost',
  'http://localhost:3000',
  'http://LOCALHOST:65535',
  'https://localhost',
  'http://127.0.0.1:5173',
  'https://127.0.0.1',
  'http://[::1]:8080',
]

const evilOrigins = [
  'null',
  '',
  'http://evil.example',
  'https://evil.example',
  'http://localhost.evil.example',
  'http://evil.localhost.example:80',
  'http://localhost@evil.example',
  'http://evil.example#localhost',
  'http://evil.example/localhost',
  'http://127.0.0.1.evil.example',
  'http://localhost.',
  'http://[::ffff:127.0.0.1]',
  'http://0.0.0.0',
  'file://',
  'file:///etc/passwd',
  'file://localhost/',
  'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  'moz-extension://localhost',
  'ws://localhost',
  'javascript://localhost',
  'localhost',
  '//localhost',
  '*',
  'http://',
  'http://localhost, http://evil.example',
]

describe.concurrent.each(ENDPOINTS)('Host and Origin at %s', (_, send) => {
  test('lets in who names a loopback host, with any port and in any case', async () => {
    for (const host of goodHosts()) {
      expect([host, (await send([['Host', host]])).status]).toEqual([host, 200])
    }
  })

  test.each(evilHosts)('refuses the host %j', async (host) => {
    expect((await send([['Host', host]])).status).toBe(403)
  })

  test('lets in an origin on loopback', async () => {
    for (const origin of goodOrigins) {
      const { status } = await send([...LOCAL, ['Origin', origin]])
      expect([origin, status]).toEqual([origin, 200])
    }
  })

  test.each(evilOrigins)('refuses the origin %j', async (origin) => {
    expect((await send([...LOCAL, ['Origin', origin]])).status).toBe(403)
  })

  test('refuses a good origin at an evil host and an evil origin at a good host', async () => {
    expect(
      (
        await send([
          ['Host', 'evil.example'],
          ['Origin', 'http://localhost'],
        ])
      ).status,
    ).toBe(403)
    expect(
      (
        await send([
          ['Host', 'localhost'],
          ['Origin', 'http://evil.example'],
        ])
      ).status,
    ).toBe(403)
    expect(
      (
        await send([
          ['Host', 'evil.example'],
          ['Origin', 'http://evil.example'],
        ])
      ).status,
    ).toBe(403)
  })

  test('sees an origin behind however many headers', async () => {
    const many = Array.from({ length: 2_100 }, (_, at): Header => [`a${at}`, ''])
    expect((await send([...LOCAL, ...many, ['Origin', 'http://evil.example']])).status).toBe(403)
  })

  test('refuses two origins, whichever comes first', async () => {
    const both: readonly Header[] = [
      ['Origin', 'http://localhost'],
      ['Origin', 'http://evil.example'],
    ]
    expect((await send([...LOCAL, ...both])).status).toBe(403)
    expect((await send([...LOCAL, ...both.toReversed()])).status).toBe(403)
  })

  test('refuses a request with no host', async () => {
    expect((await send([])).status).toBe(400)
  })

  test('refuses two hosts, whichever comes first', async () => {
    const both: readonly Header[] = [...LOCAL, ['Host', 'evil.example']]
    expect((await send(both)).status).toBeOneOf([400, 403])
    expect((await send(both.toReversed())).status).toBeOneOf([400, 403])
    expect((await send([...LOCAL, ['Host', 'localhost']])).status).toBeOneOf([400, 403])
  })

  test('tells no browser that it may read the answer', async () => {
    const { headers } = await send([...LOCAL, ['Origin', 'http://localhost:3000']])
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    expect(headers['x-content-type-options']).toBe('nosniff')
  })
})

describe('A refusal by the access checks', () => {
  test('is JSON-RPC at /mcp and plain JSON elsewhere, with no stack and no path', async () => {
    const evil: readonly Header[] = [['Host', 'evil.example']]
    expect(messageOf(await post(request(1, 'ping'), [...evil, ...POST_TYPES]))).toMatchObject({
      id: null,
      error: { code: -32000 },
    })
    expect(JSON.parse((await get('/health', evil)).body)).toEqual({
      error: { status: 403, message: 'Host is not allowed' },
    })
  })

  test('comes before the request is looked at', async () => {
    const client = new RawClient(server.port)
    client.send('POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 4000000\r\n\r\n')
    expect((await client.answer()).status).toBe(403)
    client.destroy()
  })

  test('answers HTTP/1.0 without a host with 403', async () => {
    expect((await exchange(server.port, 'GET /health HTTP/1.0\r\n\r\n')).status).toBe(403)
  })
})

describe('Allowed names', () => {
  test('are let in beside loopback, and only as host or as origin', async () => {
    const { port } = await startHttp(['--allowed-hosts', 'Box.Example', '--allowed-origins', 'app.example'])
    const status = async (...headers: readonly Header[]) => (await get('/health', headers, port)).status
    expect(await status(['Host', 'box.example:1'])).toBe(200)
    expect(await status(['Host', 'app.example'])).toBe(403)
    expect(await status(['Host', 'localhost'], ['Origin', 'https://app.example'])).toBe(200)
    expect(await status(['Host', 'localhost'], ['Origin', 'https://box.example'])).toBe(403)
    expect(await status(['Host', 'x.box.example'])).toBe(403)
  })
})

describe('A bearer token', () => {
  let locked: HttpProgram
  beforeAll(async () => {
    locked = await startHttp([], { env: { WARRANT_TOKEN: TOKEN } })
  })
  const bare: readonly Header[] = [['Host', 'localhost']]
  const withToken = (value?: string): readonly Header[] =>
    value === undefined ? [] : [['Authorization', value]]

  const wrong: readonly (readonly [why: string, value: string | undefined])[] = [
    ['none', undefined],
    ['a wrong one', 'Bearer wrong-wrong-wrong-wrong'],
    ['the beginning of it', `Bearer ${TOKEN.slice(0, -1)}`],
    ['more than it', `Bearer ${TOKEN}x`],
    ['another case', `Bearer ${TOKEN.toUpperCase()}`],
    ['another scheme', `Basic ${TOKEN}`],
    ['no scheme', TOKEN],
    ['an empty one', 'Bearer '],
    ['only the scheme', 'Bearer'],
    ['two of them', `Bearer ${TOKEN} ${TOKEN}`],
  ]
  test.each(wrong)('is asked for: %s', async (_, value) => {
    for (const path of ['/metrics', '/', '/no-such']) {
      const { status, headers } = await get(path, [...bare, ...withToken(value)], locked.port)
      expect([path, status, headers['www-authenticate']]).toEqual([path, 401, 'Bearer'])
    }
    const answer = await post(request(1, 'ping'), [...bare, ...withToken(value), ...POST_TYPES], locked.port)
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toBe('Bearer')
    expect(messageOf(answer)).toMatchObject({ id: null, error: { code: -32000 } })
  })

  test('is accepted, whatever the case of the scheme', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const token = withToken(`${scheme} ${TOKEN}`)
      expect((await get('/metrics', [...bare, ...token], locked.port)).status).toBe(200)
      expect((await post(request(1, 'ping'), [...bare, ...token, ...POST_TYPES], locked.port)).status).toBe(
        200,
      )
    }
  })

  test('is not needed to ask for life signs', async () => {
    expect((await get('/health', bare, locked.port)).status).toBe(200)
  })

  test('does not help at an evil host', async () => {
    const headers: readonly Header[] = [['Host', 'evil.example'], ...withToken(`Bearer ${TOKEN}`)]
    expect((await get('/metrics', headers, locked.port)).status).toBe(403)
  })

  test('is in no answer and no log', async () => {
    const { body } = await get('/', [...bare, ...withToken(`Bearer ${TOKEN}`)], locked.port)
    expect(body).not.toContain(TOKEN)
    expect(locked.lines.join('\n') + locked.stderr).not.toContain(TOKEN)
  })

  test('lets it listen everywhere', async () => {
    const open = await startHttp(['--host', '0.0.0.0'], { env: { WARRANT_TOKEN: TOKEN } })
    const token = withToken(`Bearer ${TOKEN}`)
    expect((await get('/metrics', bare, open.port)).status).toBe(401)
    expect((await get('/metrics', [...bare, ...token], open.port)).status).toBe(200)
    expect((await get('/metrics', [['Host', 'evil.example'], ...token], open.port)).status).toBe(403)
  })
})

describe('An issuer', () => {
  let issued: HttpProgram
  beforeAll(async () => {
    issued = await startHttp(['--issuer', ISSUER], { env: { WARRANT_TOKEN: TOKEN } })
  })

  test('is named in the metadata at both well-known paths, without a token', async () => {
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
    ]) {
      const { status, body, headers } = await get(path, [['Host', 'localhost']], issued.port)
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'application/json'])
      expect(JSON.parse(body)).toMatchObject({
        resource: `${issued.url}/mcp`,
        authorization_servers: [ISSUER],
        bearer_methods_supported: ['header'],
      })
    }
  })

  test('makes a 401 name the metadata, and the address named is really there', async () => {
    const { status, headers } = await post(request(1, 'ping'), LEGACY_POST, issued.port)
    expect(status).toBe(401)
    const [, address = ''] =
      /^Bearer resource_metadata="([^"]+)"$/.exec(headers['www-authenticate'] ?? '') ?? []
    expect(address).toBe(`${issued.url}/.well-known/oauth-protected-resource/mcp`)
    expect((await fetch(address)).status).toBe(200)
  })

  test('has no metadata when there is none', async () => {
    expect((await get('/.well-known/oauth-protected-resource')).status).toBe(404)
    expect((await get('/.well-known/oauth-protected-resource/mcp')).status).toBe(404)
  })
})

describe('Paths and methods', () => {
  test.each([
    '/no-such',
    '//',
    '//health',
    '/health/',
    '/health/../metrics',
    '/./health',
    '/%68ealth',
    '/health%00',
    '/HEALTH',
    '/mcp/',
    '/MCP',
    '/%6dcp',
    '/mcp;x',
    '/.well-known/',
    '/favicon.ico',
    '/__proto__',
    '/constructor',
    '*',
  ])('there is nothing at %s', async (path) => {
    const { status, body } = await get(path)
    expect(status).toBe(404)
    expect(JSON.parse(body)).toMatchObject({ error: { status: 404 } })
  })

  test.each([
    'http://evil.example/metrics',
    'http://evil.example/mcp',
    'https://localhost@evil.example/health',
  ])('the absolute address %s is served nothing', async (target) => {
    expect((await get(target)).status).toBeOneOf([400, 403, 404])
  })

  test.each(['/health?x=1', '/health?', '/health?/../metrics'])('%s is /health', async (path) => {
    expect((await get(path)).status).toBe(200)
  })

  const wrongMethods = ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']
  test.each(wrongMethods)('%s is refused with the allowed methods', async (method) => {
    for (const path of ['/', '/health', '/ready', '/metrics']) {
      const { status, headers } = await ask(method, path, LOCAL)
      expect([path, status, headers.allow]).toEqual([path, 405, 'GET, HEAD'])
    }
  })

  test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'TRACE'])('%s is not for /mcp', async (method) => {
    const { status, headers } = await ask(method, '/mcp', LEGACY_POST)
    expect(status).toBe(405)
    expect(headers.allow).toContain('POST')
  })

  test('HEAD has the headers of GET and no body', async () => {
    for (const path of ['/health', '/ready', '/metrics', '/']) {
      const { status, headers } = await server.fetch(path, { method: 'HEAD' })
      expect([path, status, Number(headers.get('content-length')) > 0]).toEqual([path, 200, true])
    }
  })

  test('CONNECT is refused', async () => {
    const client = new RawClient(server.port)
    client.send('CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const answers = await client.answers()
    expect(answers.map(({ status }) => status).every((status) => status >= 400)).toBe(true)
    client.destroy()
  })

  test('an upgrade is not taken up', async () => {
    const headers: readonly Header[] = [...LOCAL, ['Connection', 'Upgrade'], ['Upgrade', 'websocket']]
    const answer = await exchange(server.port, rawRequest('GET', '/health', headers))
    expect(answer.status).not.toBe(101)
  })
})

describe('Bytes that are no HTTP', () => {
  test.each([
    ['garbage', '\0\x01\x02garbage\r\n\r\n', [400]],
    ['TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', [400]],
    ['a header without a colon', 'GET /health HTTP/1.1\r\nHost: localhost\r\nbroken\r\n\r\n', [400]],
    ['a space before the colon', 'GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n', [400]],
    [
      'a length that is no number',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: ten\r\n\r\n',
      [400],
    ],
    ['a negative length', 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n', [400]],
    [
      'two lengths',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      [400],
    ],
    [
      'a length and chunks',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      [400],
    ],
    [
      'a chunk of no size',
      `POST /mcp HTTP/1.1\r\n${LOCAL_TEXT}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`,
      [400],
    ],
    [
      'a header of 100 KB',
      `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      [431],
    ],
    ['a target of 100 KB', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, [431, 414]],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 505]],
    ['HTTP/9.9', 'GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n', [400, 505]],
  ])('are refused: %s', async (_, bytes, statuses) => {
    expect((await exchange(server.port, Buffer.from(bytes, 'latin1'))).status).toBeOneOf(statuses)
    expect((await get('/health')).status).toBe(200)
  })

  test('of a header value in another alphabet do no harm', async () => {
    const bytes = Buffer.from(
      'GET /health HTTP/1.1\r\nHost: localhost\r\nX: \xff\xfe\x80\r\nConnection: close\r\n\r\n',
      'latin1',
    )
    expect((await exchange(server.port, bytes)).status).toBe(200)
    const call = rawRequest('POST', '/mcp', [...LEGACY_POST, ['X', 'ÿþ']], request(1, 'ping'))
    expect((await exchange(server.port, call)).status).toBe(200)
  })
})

const chunked = (path: string, body: Buffer, size = 64 * 1024): Buffer => {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return Buffer.concat([
    rawRequest('POST', path, [...LEGACY_POST, ['Transfer-Encoding', 'chunked']]),
    ...parts,
    Buffer.from('0\r\n\r\n'),
  ])
}

describe('Bodies', () => {
  const blank = (bytes: number) => Buffer.alloc(bytes, ' ')
  const announce = (path: string, bytes: number) =>
    `POST ${path} HTTP/1.1\r\n${LOCAL_TEXT}Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`

  test.each([
    ['/health', MiB],
    ['/metrics', MiB],
    ['/no-such', MiB],
    ['/mcp', 4 * MiB],
  ])('that announce more than %s takes are refused before they are sent', async (path, limit) => {
    const { status, headers } = await exchange(server.port, announce(path, limit + 1))
    expect(status).toBe(413)
    expect(headers.connection).toBe('close')
  })

  test('of 1 MiB reach the route, whatever it says', async () => {
    expect((await ask('POST', '/health', LOCAL, blank(MiB))).status).toBe(405)
    expect((await exchange(server.port, chunked('/health', blank(MiB)))).status).toBe(405)
    expect((await ask('POST', '/no-such', LOCAL, blank(MiB))).status).toBe(404)
  })

  test('of exactly 4 MiB of JSON are served at /mcp', async () => {
    const bare = request(1, 'ping', { pad: '' })
    const line = request(1, 'ping', { pad: 'x'.repeat(4 * MiB - bare.length) })
    expect(Buffer.byteLength(line)).toBe(4 * MiB)
    expect((await post(line)).status).toBe(200)
    expect((await exchange(server.port, chunked('/mcp', Buffer.from(line)))).status).toBe(200)
  })

  test('in chunks that grow too long are refused as soon as they are', async () => {
    for (const [path, limit] of [
      ['/health', MiB],
      ['/mcp', 4 * MiB],
    ] as const) {
      const client = new RawClient(server.port)
      client.send(chunked(path, blank(limit + 1)).subarray(0, -5))
      expect((await client.answer()).status).toBe(413)
      client.destroy()
    }
  })

  // An answer that comes while the client is still writing must not be torn down with the connection.
  test.each([
    ['with its length', false],
    ['in chunks', true],
  ])('that are too long are refused while they are still being sent, %s', async (_, inChunks) => {
    const statuses: (number | string)[] = []
    for (let round = 0; round < 10; round += 1) {
      for (const bytes of [4 * MiB + 1, 8 * MiB]) {
        const body = inChunks ? new Blob([blank(bytes)]).stream() : blank(bytes)
        const options = {
          method: 'POST',
          body,
          duplex: 'half',
          headers: { 'content-type': 'application/json' },
        }
        const answer = await server
          .fetch('/mcp', options as RequestInit)
          .catch((error: Error & { cause?: { code?: string } }) => ({
            status: error.cause?.code ?? error.message,
          }))
        statuses.push(answer.status)
      }
    }
    expect(statuses).toEqual(statuses.map(() => 413))
  })

  test('that are too long are a JSON-RPC error at /mcp', async () => {
    const answer = await exchange(server.port, announce('/mcp', 5 * MiB))
    expect(messageOf(answer)).toMatchObject({ id: null, error: { code: -32000 } })
  })

  test('with Expect: 100-continue are invited, or refused when too long', async () => {
    const client = new RawClient(server.port)
    client.send(announce('/mcp', 2).replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'))
    expect((await client.answers(1)).map(({ status }) => status)).toEqual([100])
    client.send('{}')
    expect((await client.answers(2)).map(({ status }) => status)).toEqual([100, 400])
    client.destroy()
  })

  test.each([
    ['nothing', ''],
    ['half an object', '{"jsonrpc":'],
    ['plain text', 'good morning'],
    [
      'a byte that is no text',
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\xff"}}', 'latin1'),
    ],
    ['UTF-16', Buffer.from(request(1, 'ping'), 'utf16le')],
  ])('that are not JSON are a parse error: %s', async (_, body) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(messageOf(answer)).toMatchObject({ id: null, error: { code: -32700 } })
  })

  test.each([
    ['null', 'null'],
    ['a number', '42'],
    ['an empty object', '{}'],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
    ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ['an empty batch', '[]'],
  ])('that are no message are refused: %s', async (_, body) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(messageOf(answer).error?.code).toBe(-32600)
  })

  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
  test.each([
    [
      'an argument',
      request(1, 'tools/call', { name: 'warrant_status', arguments: { x: 'DEEP' } }),
      LEGACY_POST,
    ],
    ['the params', request(1, 'ping', { x: 'DEEP' }), LEGACY_POST],
    ['_meta', request(1, 'ping', { _meta: { x: 'DEEP' } }), LEGACY_POST],
    ['the whole body', '"DEEP"', LEGACY_POST],
    [
      'an argument of a modern call',
      modern(1, 'tools/call', { name: 'warrant_status', arguments: { x: 'DEEP' } }),
      mirror('tools/call', 'warrant_status'),
    ],
    [
      'the envelope',
      modern(
        1,
        'tools/call',
        { name: 'warrant_status' },
        envelope({ 'io.modelcontextprotocol/clientCapabilities': 'DEEP' }),
      ),
      mirror('tools/call', 'warrant_status'),
    ],
    [
      'the client in the envelope',
      modern(1, 'tools/list', {}, envelope({ 'io.modelcontextprotocol/clientInfo': 'DEEP' })),
      mirror('tools/list'),
    ],
  ])('nested 20,000 deep are answered: %s', async (_, line, headers) => {
    const body = line.replace('"DEEP"', deep)
    const answer = await exchange(server.port, rawRequest('POST', '/mcp', headers, body), 5_000)
    expect(answer.status).toBeLessThan(500)
    expect((await get('/health')).status).toBe(200)
  })
})

describe('Connections', () => {
  // A client that hangs up cancels what it asked for, and a half-closed socket looks just like one.
  test('that are half closed are ended cleanly, without cost to other clients', async () => {
    const requests: readonly Buffer[] = [
      rawRequest('GET', '/ready', LOCAL),
      rawRequest('POST', '/mcp', LEGACY_POST, request(1, 'tools/call', { name: 'warrant_status' })),
      rawRequest(
        'POST',
        '/mcp',
        mirror('tools/call', 'warrant_status'),
        modern(1, 'tools/call', { name: 'warrant_status' }),
      ),
    ]
    const clients = Array.from({ length: 60 }, (_, at) => {
      const client = new RawClient(server.port)
      client.send(requests[at % requests.length] ?? '')
      client.hangUp()
      return client
    })
    for (let round = 0; round < 5; round += 1) expect((await get('/health', LOCAL)).status).toBe(200)
    await expect.poll(() => clients.every(({ closed }) => closed), { timeout: 5_000 }).toBe(true)
    expect((await post(request(2, 'ping'), LEGACY_POST)).status).toBe(200)
  })

  test('that carry many requests at once get the answers in their order', async () => {
    const client = new RawClient(server.port)
    const paths = ['/health', '/ready', '/no-such', '/health', '/metrics', '/']
    const calls = [1, 2, 3].map((id) =>
      rawRequest('POST', '/mcp', mirror('tools/list'), modern(id, 'tools/list')),
    )
    client.send(Buffer.concat([...paths.map((path) => rawRequest('GET', path, LOCAL)), ...calls]))
    const answers = await client.answers(paths.length + calls.length)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200, 200, 200, 200, 200, 200])
    expect(answers.slice(-3).map((answer) => messageOf(answer).id)).toEqual([1, 2, 3])
    client.destroy()
  })

  test('are kept for the next request, also after a refusal', async () => {
    const client = new RawClient(server.port)
    for (const [at, [path, status]] of [
      ['/health', 200],
      ['/no-such', 404],
      ['/metrics', 200],
    ].entries()) {
      client.send(rawRequest('GET', String(path), LOCAL))
      expect((await client.answers(at + 1)).at(-1)?.status).toBe(status)
    }
    client.destroy()
  })

  test('that vanish in the middle of everything do no harm', async () => {
    const body = request(1, 'tools/call', { name: 'warrant_status' })
    const bytes = rawRequest('POST', '/mcp', LEGACY_POST, body)
    for (const share of [0.1, 0.5, 0.9, 1]) {
      const clients = Array.from({ length: 20 }, () => new RawClient(server.port))
      for (const client of clients) client.send(bytes.subarray(0, Math.ceil(bytes.length * share)))
      await sleep(20)
      for (const client of clients) client.socket.resetAndDestroy()
    }
    await sleep(100)
    expect((await get('/health')).status).toBe(200)
    expect(server.stderr).toBe('')
  })
})

describe.concurrent('Slow clients', () => {
  let patient: HttpProgram
  beforeAll(async () => {
    patient = await startHttp(['--limits-headers-ms', '1500', '--limits-request-ms', '2500'])
  })

  test('that never finish their headers get 408', async () => {
    const client = new RawClient(patient.port)
    client.send('GET /health HTTP/1.1\r\nHost: localhost\r\n')
    expect((await client.answer()).status).toBe(408)
    await client.answers(2)
    expect(client.closed).toBe(true)
  })

  test('that send one header after another get 408 all the same', async () => {
    const client = new RawClient(patient.port)
    client.send('GET /health HTTP/1.1\r\nHost: localhost\r\n')
    const drip = setInterval(() => client.closed || client.send('X-Drip: x\r\n'), 200)
    expect((await client.answer()).status).toBe(408)
    clearInterval(drip)
    client.destroy()
  })

  test.each(['/mcp', '/health'])('that never finish their body get 408 at %s', async (path) => {
    const client = new RawClient(patient.port)
    client.send(
      `POST ${path} HTTP/1.1\r\n${LOCAL_TEXT}Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{"jsonrpc"`,
    )
    const drip = setInterval(() => client.closed || client.send(' '), 400)
    expect((await client.answer()).status).toBe(408)
    clearInterval(drip)
    client.destroy()
  })

  test('that say nothing at all are let go', async () => {
    const client = new RawClient(patient.port)
    await client.answers(2, WAIT_MS)
    expect(client.closed).toBe(true)
  })

  test('do not make a healthy one wait, even when there are 200', async () => {
    const slow = Array.from({ length: 200 }, () => new RawClient(patient.port))
    for (const [at, client] of slow.entries()) {
      client.send(
        at % 2 === 0
          ? 'GET /health HTTP/1.1\r\nHost: localhost\r\n'
          : `POST /mcp HTTP/1.1\r\n${LOCAL_TEXT}Content-Length: 9\r\n\r\n{`,
      )
    }
    const body = modern(1, 'tools/call', { name: 'warrant_status' })
    for (let round = 0; round < 10; round += 1) {
      const start = performance.now()
      expect((await get('/health', LOCAL, patient.port)).status).toBe(200)
      expect((await post(body, mirror('tools/call', 'warrant_status'), patient.port)).status).toBe(200)
      expect(performance.now() - start).toBeLessThan(2_000)
    }
    const statuses = await Promise.all(slow.map((client) => client.answer()))
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([408]))
    for (const client of slow) client.destroy()
  })
})

describe('Limits on waiting', () => {
  test('that do not fit each other are a setting to correct, not a crash', async () => {
    const program = new Program(['serve', '--port', '0', '--limits-headers-ms', '60000'])
    const first = await Promise.race([program.ended(), program.heard(1).catch(() => undefined)])
    if (Array.isArray(first)) return program.child.kill('SIGTERM')
    expect(program.stderr).not.toContain('internal error')
    expect(program.stderr.trim().split('\n')).toHaveLength(1)
    expect((await program.ended()).code).toBe(2)
  })
})

describe('MCP of revision 2026-07-28 over HTTP', () => {
  const call = modern(1, 'tools/call', { name: 'warrant_status' })

  test('serves a call whose headers mirror it, as JSON', async () => {
    const answer = await post(call, mirror('tools/call', 'warrant_status'))
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(messageOf(answer)).toMatchObject({
      id: 1,
      result: { resultType: 'complete', structuredContent: { readOnly: false } },
    })
  })

  test('serves a name in another spelling and a name that is encoded', async () => {
    const dotted = modern(1, 'tools/call', { name: 'warrant.status' })
    expect((await post(dotted, mirror('tools/call', 'warrant.status'))).status).toBe(200)
    const encoded = `=?base64?${Buffer.from('warrant_status').toString('base64')}?=`
    expect((await post(call, mirror('tools/call', encoded))).status).toBe(200)
  })

  test('serves discovery, lists and resources', async () => {
    expect(
      messageOf(await post(modern(1, 'server/discover'), mirror('server/discover'))).result,
    ).toMatchObject({
      supportedVersions: ['2026-07-28'],
    })
    expect(messageOf(await post(modern(2, 'tools/list'), mirror('tools/list'))).result).toMatchObject({
      tools: WITH_STATUS,
    })
    const read = modern(3, 'resources/read', { uri: 'warrant://about' })
    expect(messageOf(await post(read, mirror('resources/read', 'warrant://about'))).result).toMatchObject({
      contents: [{ uri: 'warrant://about' }],
    })
  })

  const mismatches: readonly (readonly [what: string, headers: readonly Header[]])[] = [
    ['the method', mirror('tools/list', 'warrant_status')],
    ['the name', mirror('tools/call', 'other_tool')],
    ['no name', mirror('tools/call')],
    ['no method', mirror('tools/call', 'warrant_status').filter(([name]) => name !== 'Mcp-Method')],
    ['the version', mirror('tools/call', 'warrant_status', '2025-11-25')],
    [
      'no version',
      mirror('tools/call', 'warrant_status').filter(([name]) => name !== 'MCP-Protocol-Version'),
    ],
  ]
  test.each(mismatches)('refuses headers that differ from the body: %s', async (_, headers) => {
    const answer = await post(call, headers)
    expect(answer.status).toBe(400)
    expect(messageOf(answer)).toMatchObject({ error: { code: -32020 } })
  })

  test('refuses a request without an envelope', async () => {
    const answer = await post(
      request(1, 'tools/call', { name: 'warrant_status' }),
      mirror('tools/call', 'warrant_status'),
    )
    expect(answer.status).toBe(400)
    expect(messageOf(answer)).toMatchObject({ error: { code: -32602 } })
  })

  test('refuses an envelope without capabilities', async () => {
    const line = modern(1, 'tools/list', {}, { [VERSION_KEY]: '2026-07-28' })
    const answer = await post(line, mirror('tools/list'))
    expect(answer.status).toBe(400)
    expect(messageOf(answer)).toMatchObject({ id: 1, error: { code: -32602 } })
  })

  test('refuses a version it does not speak, and says which it does', async () => {
    const line = modern(1, 'tools/list', {}, envelope({ [VERSION_KEY]: '2099-01-01' }))
    const answer = await post(line, mirror('tools/list', undefined, '2099-01-01'))
    expect(answer.status).toBe(400)
    expect(messageOf(answer)).toMatchObject({
      id: 1,
      error: {
        code: -32022,
        data: { supported: expect.arrayContaining(['2026-07-28']), requested: '2099-01-01' },
      },
    })
  })

  test.each(['no/such', 'ping', '__proto__'])('does not know the method %s', async (method) => {
    const answer = await post(modern(1, method), mirror(method))
    expect(answer.status).toBe(404)
    expect(messageOf(answer)).toMatchObject({ id: 1, error: { code: -32601 } })
  })

  test('answers an unknown tool, bad arguments and a missing resource with 200', async () => {
    const unknown = await post(modern(1, 'tools/call', { name: 'nope' }), mirror('tools/call', 'nope'))
    expect([unknown.status, messageOf(unknown).error?.code]).toEqual([200, -32602])
    const bad = await post(
      modern(1, 'tools/call', { name: 'warrant_status', arguments: { x: 1 } }),
      mirror('tools/call', 'warrant_status'),
    )
    expect([bad.status, messageOf(bad).result.isError]).toEqual([200, true])
    const missing = await post(modern(1, 'resources/read', { uri: 'x:y' }), mirror('resources/read', 'x:y'))
    expect(messageOf(missing)).toMatchObject({ error: { code: -32602, data: { uri: 'x:y' } } })
  })

  test('refuses a batch', async () => {
    const answer = await post(`[${call}]`, mirror('tools/call', 'warrant_status'))
    expect(answer.status).toBe(400)
    expect(messageOf(answer)).toMatchObject({ error: { code: -32600 } })
  })

  test('has no GET and no DELETE', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status } = await ask(method, '/mcp', mirror('tools/list'))
      expect([method, status]).toEqual([method, 405])
    }
  })

  test('mints no session', async () => {
    const { headers } = await post(call, [
      ...mirror('tools/call', 'warrant_status'),
      ['Mcp-Session-Id', 'abc'],
    ])
    expect(headers['mcp-session-id']).toBeUndefined()
  })

  test('gives the same bytes whichever way it is served', async () => {
    const bodies = async (name: string, args: object) => {
      const line = modern(1, 'tools/call', { name, arguments: args })
      // An encoded name is left to the SDK.
      const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`
      const answers = [name, encoded].map((header) => post(line, mirror('tools/call', header)))
      return (await Promise.all(answers)).map(({ status, body }) => ({ status, body }))
    }
    for (const [direct, viaSdk] of [await bodies('nope', {}), await bodies('warrant_status', { x: 1 })]) {
      expect(viaSdk).toEqual(direct)
    }
  })
})

describe('MCP of the older revisions over HTTP', () => {
  test('opens with nothing in initialize', async () => {
    for (const line of [initialize(), request(0, 'initialize')]) {
      const answer = await post(line)
      expect(answer.status).toBe(200)
      expect(messageOf(answer)).toMatchObject({ id: 0, result: { protocolVersion: '2025-11-25' } })
    }
  })

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'opens with %s',
    async (protocolVersion) => {
      const answer = await post(
        initialize(0, { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } }),
      )
      expect(messageOf(answer)).toMatchObject({ result: { protocolVersion } })
      expect(answer.headers['mcp-session-id']).toBeUndefined()
    },
  )

  test('serves calls and lists without an opening', async () => {
    expect(messageOf(await post(request(1, 'tools/call', { name: 'warrant_status' })))).toMatchObject({
      id: 1,
      result: { structuredContent: { readOnly: false } },
    })
    expect(messageOf(await post(request(2, 'prompts/list')))).toMatchObject({
      result: { prompts: WITH_PREFLIGHT },
    })
  })

  test('answers an unknown method with 200 and its error', async () => {
    const answer = await post(request(1, 'no/such'))
    expect([answer.status, messageOf(answer).error?.code]).toEqual([200, -32601])
  })

  test('takes a notification with 202 and nothing else', async () => {
    const { status, body } = await post(notification('notifications/initialized'))
    expect([status, body]).toEqual([202, ''])
  })

  test('answers every request of a batch', async () => {
    const messages = readBody(await post(`[${request(1, 'ping')},${request(2, 'tools/list')}]`)) as Message[]
    expect(messages.map(({ id }) => id).sort()).toEqual([1, 2])
  })

  test.each(['2024-11-05', '2025-03-26'])('takes a batch in revision %s', async (version) => {
    const headers: Header[] = [...LEGACY_POST, ['MCP-Protocol-Version', version]]
    const messages = readBody(
      await post(`[${request(1, 'ping')},${request(2, 'ping')}]`, headers),
    ) as Message[]
    expect(messages.map(({ id }) => id).sort()).toEqual([1, 2])
  })

  test.each(['2025-06-18', '2025-11-25'])('refuses a batch in revision %s', async (version) => {
    const answer = await post(`[${request(1, 'ping')}]`, [...LEGACY_POST, ['MCP-Protocol-Version', version]])
    expect(answer.status).toBe(400)
    expect(messageOf(answer)).toMatchObject({ id: null, error: { code: -32600 } })
  })

  test('refuses a batch of very many messages', async () => {
    const answer = await post(`[${Array(1_001).fill(request(1, 'ping')).join()}]`)
    expect(answer.status).toBe(400)
    expect(messageOf(answer)).toMatchObject({ error: { code: -32600 } })
  })

  test.each(['text/plain', 'application/xml', 'application/jsonx', 'multipart/form-data'])(
    'refuses the content type %s',
    async (type) => {
      const headers = LEGACY_POST.map(
        ([name, value]): Header => [name, name === 'Content-Type' ? type : value],
      )
      expect((await post(request(1, 'ping'), headers)).status).toBe(415)
    },
  )

  test('refuses a request without a content type', async () => {
    const headers = LEGACY_POST.filter(([name]) => name !== 'Content-Type')
    expect((await post(request(1, 'ping'), headers)).status).toBe(415)
  })

  test.each(['application/json; charset=utf-8', 'APPLICATION/JSON'])(
    'takes the content type %s',
    async (type) => {
      const headers = LEGACY_POST.map(
        ([name, value]): Header => [name, name === 'Content-Type' ? type : value],
      )
      expect((await post(request(1, 'ping'), headers)).status).toBe(200)
    },
  )

  test('refuses a client that does not take both kinds of answer', async () => {
    const headers = LEGACY_POST.map(
      ([name, value]): Header => [name, name === 'Accept' ? 'text/html' : value],
    )
    expect((await post(request(1, 'ping'), headers)).status).toBe(406)
  })

  test.each(['[]', '"x"', '{"progressToken":{}}', '{"progressToken":1.5}'])(
    'answers a request whose _meta is %s',
    async (meta) => {
      const line = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":${meta}}}`
      const answer = await exchange(server.port, rawRequest('POST', '/mcp', LEGACY_POST, line), 5_000)
      expect(answer.status).toBeOneOf([200, 400])
      expect(findFlaw(readBody(answer)[0])).toBeUndefined()
    },
  )
})

describe('A route that breaks', () => {
  const logged: { readonly message: string; readonly fields: object }[] = []
  const bug = (): never => {
    throw new Error('secret detail')
  }
  const front = createHttpServer({
    routes: [
      { path: '/at-once', summary: 'Breaks.', handle: bug },
      { path: '/later', summary: 'Breaks.', handle: () => sleep(5).then(bug) },
      {
        path: '/half-way',
        summary: 'Breaks.',
        handle(_, response) {
          response.writeHead(200, { 'content-length': 10 })
          response.write('half')
          bug()
        },
      },
      { path: '/fine', summary: 'Does not.', handle: (_, response) => void response.end('fine') },
    ],
    access: { allowedHosts: [], allowedOrigins: [], token: undefined },
    headersMs: 5_000,
    requestMs: 5_000,
    log: { write: (_, message, fields = {}) => void logged.push({ message, fields }) },
    ids: { next: () => 'the-id' },
    observe: () => {},
    challenge: () => 'Bearer',
  })
  let port = 0
  beforeAll(async () => {
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
    port = (front.address() as AddressInfo).port
  })
  afterAll(() => void front.close())

  test.each(['/at-once', '/later'])('answers 500 and keeps the details in the log: %s', async (path) => {
    for (const body of [undefined, 'x'.repeat(1_000)]) {
      logged.length = 0
      const method = body === undefined ? 'GET' : 'POST'
      const { status, body: answer } = await exchange(port, rawRequest(method, path, LOCAL, body), 3_000)
      expect(status).toBe(500)
      expect(answer).toContain('the-id')
      expect(answer).not.toContain('secret detail')
      expect(logged).toMatchObject([
        { fields: { id: 'the-id', stack: expect.stringContaining('secret detail') } },
      ])
    }
  })

  test('half-way through its answer ends the connection, so that a client does not take the half for the whole', async () => {
    logged.length = 0
    const client = new RawClient(port)
    client.send(rawRequest('GET', '/half-way', LOCAL))
    expect(await client.answers(1, 3_000)).toEqual([])
    expect(logged).toHaveLength(1)
  })

  test('does not stop the others', async () => {
    expect((await exchange(port, rawRequest('GET', '/fine', [...LOCAL, ['Connection', 'close']]))).body).toBe(
      'fine',
    )
  })
})

describe('Metrics', () => {
  let counted: HttpProgram
  beforeAll(async () => {
    counted = await startHttp()
  })

  const scrape = async () => {
    const { status, headers, body } = await get('/metrics', LOCAL, counted.port)
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    return readMetrics(body)
  }

  test('include the belief graph once it is open', async () => {
    const own = await startHttp(['--store', 'memory'])
    const look = async () => readMetrics((await get('/metrics', LOCAL, own.port)).body.toString())
    expect(findSample(await look(), 'warrant_graph_nodes', {})).toBeUndefined()
    const create = request(1, 'tools/call', { name: 'node_create', arguments: { belief: 0.5, energy: 1 } })
    expect((await post(create, LEGACY_POST, own.port)).status).toBe(200)
    const samples = await look()
    const values = ['nodes', 'edges', 'tick', 'drift'].map((name) =>
      findSample(samples, `warrant_graph_${name}`, {}),
    )
    expect(values).toEqual([1, 0, 0, 0])
    expect(findSample(samples, 'warrant_lineage_entries', {})).toBe(1)
    expect(findSample(samples, 'warrant_lineage_bytes', {})).toBeGreaterThan(100)
  })

  test('are answered without the graph while its database does not answer', async () => {
    // It takes the connection, and hangs up when the figures have been asked for.
    const [waiting, database] = [new Set<Socket>(), createTcpServer()]
    const called = new Promise<void>((resolve) => {
      database.on('connection', (socket) => {
        waiting.add(socket.on('error', () => {}))
        resolve()
      })
    })
    await new Promise<void>((resolve) => database.listen(0, '127.0.0.1', resolve))
    const { port: at } = database.address() as AddressInfo
    const own = await startHttp(['--store', `postgres://nobody@127.0.0.1:${at}/none`])
    const query = request(1, 'tools/call', { name: 'node_query', arguments: { node_id: '0' } })
    const asked = post(query, LEGACY_POST, own.port)
    await called
    const scraped = get('/metrics', LOCAL, own.port)
    setTimeout(() => {
      for (const socket of waiting) socket.destroy()
    }, 200)
    const { status, body } = await scraped
    expect(status).toBe(200)
    expect(findSample(readMetrics(body.toString()), 'process_uptime_seconds', {})).toBeGreaterThan(0)
    await asked
    database.close()
  })

  test('count calls by their outcome and requests by their status', async () => {
    const headers = mirror('tools/call', 'warrant_status')
    const good = modern(1, 'tools/call', { name: 'warrant_status' })
    const bad = modern(1, 'tools/call', { name: 'warrant_status', arguments: { x: 1 } })
    for (const line of [good, good, good, bad, bad]) await post(line, headers, counted.port)
    await post(request(1, 'tools/call', { name: 'warrant_status' }), LEGACY_POST, counted.port)
    await get('/no-such', LOCAL, counted.port)
    await get('/other-no-such', LOCAL, counted.port)
    await get('/health', [['Host', 'evil.example']], counted.port)
    const samples = await scrape()
    expect(findSample(samples, 'warrant_calls_total', { tool: 'warrant_status', outcome: 'answer' })).toBe(4)
    expect(findSample(samples, 'warrant_calls_total', { tool: 'warrant_status', outcome: 'fault' })).toBe(2)
    expect(findSample(samples, 'warrant_http_requests_total', { route: '/mcp', status: '200' })).toBe(6)
    expect(findSample(samples, 'warrant_http_requests_total', { route: 'other', status: '404' })).toBe(2)
    expect(findSample(samples, 'warrant_http_requests_total', { route: '/health', status: '403' })).toBe(1)
    expect(findSample(samples, 'process_resident_memory_bytes', {})).toBeGreaterThan(MiB)
  })

  test('have a histogram that adds up', async () => {
    const samples = await scrape()
    const buckets = samples.filter(({ name }) => name === 'warrant_call_seconds_bucket')
    const values = buckets.map(({ value }) => value)
    expect(values).toEqual(values.toSorted((a, b) => a - b))
    expect(buckets.at(-1)?.labels.le).toBe('+Inf')
    expect(findSample(samples, 'warrant_call_seconds_count', { tool: 'warrant_status' })).toBe(values.at(-1))
  })

  test('stay the same when nothing happens but their own reading', async () => {
    await scrape()
    const [before, after] = [await scrape(), await scrape()]
    const own = { route: '/metrics', status: '200' }
    const counter = 'warrant_http_requests_total'
    expect(findSample(after, counter, own)).toBe((findSample(before, counter, own) ?? 0) + 1)
    const rest = (samples: readonly Sample[]) =>
      samples.filter(({ name, labels }) => !name.startsWith('process_') && labels.route !== '/metrics')
    expect(rest(after)).toEqual(rest(before))
    const names = (samples: readonly Sample[]) => samples.map(({ name, labels }) => [name, labels])
    expect(names(after)).toEqual(names(before))
  })
})
