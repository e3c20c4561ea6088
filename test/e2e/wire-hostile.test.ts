import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { converse, type Ending, Program, sweep, WAIT_MS } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import {
  CAPABILITIES_KEY,
  envelope,
  initialize,
  type Message,
  modern,
  notification,
  readMessage,
  request,
} from '../support/messages.ts'

afterAll(sweep)

const MiB = 1024 * 1024

/** Sends raw bytes, hangs up, and returns every message. */
const sendBytes = async (...chunks: readonly (string | Uint8Array)[]) => {
  const program = new Program(['mcp'])
  for (const chunk of chunks) await program.write(Buffer.from(chunk))
  const ending = await program.finish()
  return { ...ending, messages: program.lines.map(readMessage) }
}

const expectGoodEnd = ({ code, stderr }: Ending) => expect({ code, stderr }).toEqual({ code: 0, stderr: '' })

const byId = (messages: readonly Message[], id: string | number | null) =>
  messages.filter((message) => message.id === id)

const residentBytes = async (pid: number): Promise<number> => {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

describe.skipIf(process.platform !== 'linux')('A line of 20 MiB', () => {
  test('costs one error and no more memory than the limit of a line', async () => {
    const program = new Program(['mcp'])
    program.send(
      initialize(),
      request(1, 'resources/list'),
      request(2, 'tools/call', { name: 'warrant_status' }),
    )
    await program.answers(3)
    const before = await residentBytes(program.pid)
    const part = Buffer.alloc(MiB, 'x')
    let most = before
    for (let sent = 0; sent < 20; sent += 1) {
      await program.write(part)
      most = Math.max(most, await residentBytes(program.pid))
    }
    await program.write(Buffer.from(`\n${request(3, 'ping')}\n`))
    const answers = await program.answers(5)
    most = Math.max(most, await residentBytes(program.pid))
    expect(answers.slice(3)).toMatchObject([
      { id: null, error: { code: -32600 } },
      { id: 3, result: {} },
    ])
    expect((most - before) / MiB).toBeLessThan(40)
    expectGoodEnd(await program.finish())
    expect(program.lines).toHaveLength(5)
  })

  test('that comes five times over does not add up', async () => {
    const program = new Program(['mcp'])
    const long = Buffer.concat([Buffer.alloc(20 * MiB, 'x'), Buffer.from('\n')])
    program.send(request(0, 'ping'))
    await program.answers(1)
    const before = await residentBytes(program.pid)
    for (let sent = 0; sent < 5; sent += 1) await program.write(long)
    program.send(request(1, 'ping'))
    await program.answers(7)
    const growth = ((await residentBytes(program.pid)) - before) / MiB
    expect(growth).toBeLessThan(40)
    expectGoodEnd(await program.finish())
  })

  test('that never ends is answered before the client hangs up', async () => {
    const program = new Program(['mcp'])
    await program.write(Buffer.alloc(5 * MiB, '['))
    expect(await program.answers(1)).toMatchObject([{ id: null, error: { code: -32600 } }])
    const ending = await program.finish()
    expectGoodEnd(ending)
    expect(program.lines).toHaveLength(1)
  })

  test('that comes in small pieces costs no more than in large ones', async () => {
    const program = new Program(['mcp'])
    program.send(request(0, 'ping'))
    await program.answers(1)
    const before = await residentBytes(program.pid)
    const piece = Buffer.alloc(512, 'x')
    for (let sent = 0; sent < 3 * MiB; sent += piece.length) await program.write(piece)
    expect(((await residentBytes(program.pid)) - before) / MiB).toBeLessThan(40)
    program.send('')
    expect(await program.answers(2)).toMatchObject([{ id: 0 }, { id: null, error: { code: -32700 } }])
    expectGoodEnd(await program.finish())
  })
})

const DEPTH = 20_000
const deepArray = '['.repeat(DEPTH) + ']'.repeat(DEPTH)
const deepObject = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`
/** Puts nested text, which no JSON writer could make, where the placeholder is. */
const nest = (line: string, deep: string) => line.replace('"DEEP"', deep)

const deepPlaces: readonly (readonly [place: string, line: string])[] = [
  ['the arguments of a call', request(1, 'tools/call', { name: 'warrant_status', arguments: 'DEEP' })],
  ['an argument', request(1, 'tools/call', { name: 'warrant_status', arguments: { x: 'DEEP' } })],
  ['the params', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"DEEP"}'],
  ['a member of params', request(1, 'tools/list', { x: 'DEEP' })],
  [
    'the params of a method the SDK serves',
    request(1, 'resources/read', { uri: 'warrant://about', x: 'DEEP' }),
  ],
  ['_meta', request(1, 'tools/list', { _meta: 'DEEP' })],
  ['a member of _meta', request(1, 'tools/list', { _meta: { x: 'DEEP' } })],
  [
    'the progress token',
    request(1, 'tools/call', { name: 'warrant_status', _meta: { progressToken: 'DEEP' } }),
  ],
  ['the id', '{"jsonrpc":"2.0","id":"DEEP","method":"ping"}'],
  ['the method', '{"jsonrpc":"2.0","id":1,"method":"DEEP"}'],
  ['an unknown member', '{"jsonrpc":"2.0","id":1,"method":"ping","x":"DEEP"}'],
  ['a whole line', '"DEEP"'],
  ['the result of a response', '{"jsonrpc":"2.0","id":1,"result":"DEEP"}'],
  ['the error of a response', '{"jsonrpc":"2.0","id":1,"error":"DEEP"}'],
  ['the capabilities of initialize', request(1, 'initialize', { capabilities: { experimental: 'DEEP' } })],
  [
    'the client of initialize',
    request(1, 'initialize', { clientInfo: { name: 'a', version: '1', x: 'DEEP' } }),
  ],
  ['the modern envelope', modern(1, 'tools/list', {}, envelope({ [CAPABILITIES_KEY]: 'DEEP' }))],
  [
    'the modern envelope of a call',
    modern(1, 'tools/call', { name: 'warrant_status' }, envelope({ [CAPABILITIES_KEY]: { roots: 'DEEP' } })),
  ],
  [
    'a notification',
    notification('notifications/cancelled', {
      requestId: 'DEEP',
      _meta: envelope({ [CAPABILITIES_KEY]: 'DEEP' }),
    }),
  ],
  ['a cancelled id', notification('notifications/cancelled', { requestId: 'DEEP' })],
]

describe.concurrent(`Nesting ${DEPTH} deep`, () => {
  const loadSdk = request('sdk', 'resources/list')
  // Every place, and both ways for each: the long run.
  for (const [row, [place, line]] of someRows([...deepPlaces.entries()], 2)) {
    // Before the SDK is loaded and after: the two ways are different code. The normal run takes them in turn.
    const ways: [string, string[]][] = [
      ['before', []],
      ['after', [loadSdk]],
    ]
    test.each(someRows(ways, 2, (row / 2) % 2))(
      `as ${place} is survived %s the SDK is loaded`,
      async (_, opening) => {
        const nested = [deepArray, deepObject].map((deep, at) =>
          nest(line.replace('"id":1', `"id":${at + 1}`), deep),
        )
        const answered = [...opening, ...nested, 'not JSON']
        const ending = await converse(answered)
        expectGoodEnd(ending)
        expect(byId(ending.messages, null).some(({ error }) => error?.code === -32700)).toBe(true)
        if (line.startsWith('{"jsonrpc":"2.0","id":1,"method"')) {
          for (const id of [1, 2]) expect(byId(ending.messages, id).length).toBeLessThanOrEqual(1)
          expect(ending.messages.filter(({ id }) => id === 1 || id === 2 || id === null)).toHaveLength(3)
        }
        expect(ending.messages.length).toBeLessThanOrEqual(answered.length)
      },
    )
  }
})

describe.concurrent('Bytes that are no text', () => {
  const broken: readonly (readonly [string, readonly number[]])[] = [
    ['a byte that no character has', [0xff]],
    ['a character cut short', [0xe2, 0x82]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half of a pair', [0xed, 0xa0, 0x80]],
    ['a character beyond the last one', [0xf4, 0x90, 0x80, 0x80]],
    ['a continuation byte on its own', [0x80]],
  ]
  test.each(someRows(broken, 2))('are answered with a parse error: %s', async (_, bytes) => {
    const line = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"'),
      Buffer.from(bytes),
      Buffer.from('"}}\n'),
    ])
    const ending = await sendBytes(line, `${request(2, 'ping')}\n`)
    expectGoodEnd(ending)
    expect(ending.messages).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: 2, result: {} },
    ])
  })

  test('of every value, each on a line of its own, get one error each', async () => {
    const values = Array.from({ length: 256 }, (_, value) => value).filter(
      // White space alone is a blank line, and a digit alone is JSON.
      (value) => !' \t\r\n\v\f0123456789'.includes(String.fromCharCode(value)),
    )
    const ending = await sendBytes(Buffer.from(values.flatMap((value) => [value, 10])))
    expectGoodEnd(ending)
    expect(ending.messages).toHaveLength(values.length)
    expect(new Set(ending.messages.map(({ error }) => error?.code))).toEqual(new Set([-32700]))
  })

  test('such as NUL inside a message are a parse error, and escaped they are a character', async () => {
    const ending = await sendBytes(
      '{"jsonrpc":"2.0","id":"\0","method":"ping"}\n',
      '{"jsonrpc":"2.0","id":"\\u0000","method":"ping"}\n',
    )
    expectGoodEnd(ending)
    expect(ending.messages).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: '\0', result: {} },
    ])
  })
})

describe.concurrent('Names of Object.prototype', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']

  test('are no tools', async () => {
    const { messages, ...ending } = await converse(
      names.map((name) => request(name, 'tools/call', { name, arguments: {} })),
    )
    expectGoodEnd(ending)
    expect(messages).toMatchObject(names.map((id) => ({ id, error: { code: -32602 } })))
  })

  test('are unknown arguments like any other', async () => {
    const lines = names.map(
      (name) =>
        `{"jsonrpc":"2.0","id":${JSON.stringify(name)},"method":"tools/call","params":{"name":"warrant_status","arguments":{${JSON.stringify(name)}:{"polluted":1}}}}`,
    )
    const { messages, ...ending } = await converse([...lines, request('after', 'ping')])
    expectGoodEnd(ending)
    expect(byId(messages, 'after')).toMatchObject([{ result: {} }])
    for (const id of names) {
      expect(byId(messages, id)).toMatchObject([
        { result: { isError: true, _meta: { 'warrant/fault': { code: 'call.arguments' } } } },
      ])
    }
    expect(messages.filter((message) => 'polluted' in message)).toEqual([])
  })

  test('as members of params, of _meta and of the message change nothing', async () => {
    const member = '"__proto__":{"id":9,"method":"resources/list"},"constructor":{"prototype":{"x":1}}'
    const { messages, ...ending } = await converse([
      `{"jsonrpc":"2.0","id":1,"method":"ping",${member}}`,
      `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{${member}}}`,
      `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{${member}}}}`,
      '{"__proto__":{"jsonrpc":"2.0","id":4,"method":"ping"}}',
    ])
    expectGoodEnd(ending)
    expect(byId(messages, 1)).toMatchObject([{ result: {} }])
    expect(byId(messages, 2)).toMatchObject([{ result: { tools: expect.any(Array) } }])
    expect(byId(messages, 3)).toMatchObject([{ result: { tools: expect.any(Array) } }])
    expect(byId(messages, null)).toMatchObject([{ error: { code: -32600 } }])
    expect(messages).toHaveLength(4)
  })
})

describe.concurrent('Ids', () => {
  test('in flight twice: the second is refused, the first is served', async () => {
    const { messages, ...ending } = await sendBytes(
      `${request(1, 'resources/read', { uri: 'warrant://about' })}\n${request(1, 'tools/list')}\n`,
    )
    expectGoodEnd(ending)
    expect(messages.filter(({ error }) => error)).toMatchObject([{ id: 1, error: { code: -32600 } }])
    expect(messages.filter(({ result }) => result)).toMatchObject([
      { id: 1, result: { contents: expect.any(Array) } },
    ])
  })

  test('in flight a hundred times: one is served', async () => {
    const line = `${request('same', 'resources/read', { uri: 'warrant://tools' })}\n`
    const { messages, ...ending } = await sendBytes(line.repeat(100))
    expectGoodEnd(ending)
    expect(messages).toHaveLength(100)
    expect(messages.filter(({ result }) => result)).toHaveLength(1)
  })

  test('are free again once they were answered', async () => {
    const program = new Program(['mcp'])
    for (let round = 1; round <= 5; round += 1) {
      program.send(request(1, 'resources/list'))
      expect((await program.answers(round)).at(-1)).toMatchObject({ id: 1, result: {} })
    }
    expectGoodEnd(await program.finish())
  })

  const echoed: readonly (readonly [text: string, id: string | number])[] = [
    ['0', 0],
    ['-1', -1],
    ['-0', 0],
    ['1e2', 100],
    ['1.0', 1],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', Number.MIN_SAFE_INTEGER],
    ['""', ''],
    ['" "', ' '],
    ['"\\ud800"', '\ud800'],
    ['"\\udc00\\ud800"', '\udc00\ud800'],
    ['"\\u0000"', '\0'],
    ['"\\u2028\\n"', '\u2028\n'],
    ['"__proto__"', '__proto__'],
    ['"warrant:replay\\u0000"', 'warrant:replay\0'],
  ]
  test('are given back as they came', async () => {
    const program = new Program(['mcp', '--limits-drain-ms', '3000'])
    let answers = 0
    // First without the SDK, which the second method loads.
    for (const [method, result] of [
      ['ping', {}],
      ['resources/list', { resources: expect.any(Array) }],
    ] as const)
      for (const [text, id] of echoed) {
        program.send(`{"jsonrpc":"2.0","id":${text},"method":"${method}"}`)
        answers += 1
        expect((await program.answers(answers)).at(-1), text).toMatchObject({ id, result })
      }
    expectGoodEnd(await program.finish())
    expect(program.lines).toHaveLength(2 * echoed.length)
  })

  const refused = [
    '9007199254740992',
    '-9007199254740992',
    '1e999',
    '0.5',
    '1e-7',
    'null',
    'false',
    '{}',
    '["a"]',
  ]
  test('that are none are refused', async () => {
    const lines = refused.map((text) => `{"jsonrpc":"2.0","id":${text},"method":"ping"}`)
    const { messages, ...ending } = await converse(lines)
    expectGoodEnd(ending)
    expect(messages).toMatchObject(refused.map(() => ({ id: null, error: { code: -32600 } })))
    expect(messages).toHaveLength(refused.length)
  })

  test('of 100,000 characters are given back', async () => {
    const id = 'x'.repeat(100_000)
    const { messages, ...ending } = await converse([request(id, 'ping'), request(id, 'no/such')])
    expectGoodEnd(ending)
    expect(messages).toMatchObject([
      { id, result: {} },
      { id, error: { code: -32601 } },
    ])
  })
})

describe.concurrent('Strings and numbers', () => {
  const values = [
    '"\\ud800"',
    '"\\udfff\\ud800x"',
    '1e999',
    '-1e999',
    '-0',
    '1e-400',
    '123456789012345678901234567890',
  ]
  test.each(someRows(values, 3))('of every kind survive as an argument: %s', async (text) => {
    const line = (id: number, method: string, params: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`
    const { messages, ...ending } = await converse([
      line(1, 'tools/call', `{"name":"warrant_status","arguments":{"x":${text}}}`),
      line(2, 'tools/call', `{"name":${text}}`),
      line(3, 'resources/read', `{"uri":${text}}`),
      line(4, 'tools/call', `{"name":"warrant_status","_meta":{"progressToken":${text}}}`),
      line(5, 'prompts/get', `{"name":"preflight","arguments":{"task":${text}}}`),
      line(6, 'initialize', `{"protocolVersion":${text}}`),
    ])
    expectGoodEnd(ending)
    expect(
      messages
        .filter(({ id }) => id !== undefined)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('that are lone surrogates come back escaped, so that the line stays UTF-8', async () => {
    const { stdout, messages, ...ending } = await converse([
      '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"\\ud800"}}',
      '{"jsonrpc":"2.0","id":"b","method":"resources/read","params":{"uri":"x:\\udfff"}}',
      `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"${'😀'.repeat(100)}x${'😀'.repeat(100)}"}}`,
    ])
    expectGoodEnd({ ...ending, stdout })
    expect(messages).toHaveLength(3)
    expect(stdout).not.toContain('\ufffd')
  })

  test('that are very long are not repeated in full', async () => {
    const name = 'n'.repeat(MiB)
    const { stdout, messages } = await converse([
      request(1, 'tools/call', { name }),
      request(2, 'resources/read', { uri: `x:${name}` }),
      request(3, 'prompts/get', { name }),
      request(4, 'tools/call', { name: 'warrant_status', arguments: { [name]: 1 } }),
      request(5, name),
      request(6, 'prompts/get', { name: 'preflight', arguments: { task: name } }),
      request(7, 'prompts/get', { name: 'preflight', arguments: { [name]: 'x' } }),
    ])
    expect(messages).toHaveLength(7)
    expect(stdout.length).toBeLessThan(20_000)
  })
})

describe.concurrent('Framing', () => {
  test('1,000 requests in one chunk are all answered', async () => {
    const ids = Array.from({ length: 1_000 }, (_, id) => id)
    const methods = ['ping', 'tools/list', 'resources/list', 'no/such']
    const lines = ids.map((id) => request(id, methods[id % methods.length] ?? ''))
    const ending = await sendBytes(`${lines.join('\n')}\n`)
    expectGoodEnd(ending)
    expect(ending.messages.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(ids)
  })

  test('20,000 requests and then the end are all answered, however slowly they are read', async () => {
    const program = new Program(['mcp'])
    program.child.stdout.pause()
    const ids = Array.from({ length: 20_000 }, (_, id) => id)
    const written = program.write(Buffer.from(ids.map((id) => `${request(id, 'ping')}\n`).join('')))
    program.child.stdin.end()
    await sleep(500)
    program.child.stdout.resume()
    await written
    expectGoodEnd(await program.ended())
    expect(program.lines.map((line) => readMessage(line).id)).toEqual(ids)
  })

  test('one request in a hundred chunks is served, even when a character is cut in two', async () => {
    const text = 'ünïcödé 日本語 😀 '.repeat(10)
    const bytes = Buffer.from(`${request(`id ${text}`, 'tools/list', { pad: text })}\n`)
    const program = new Program(['mcp'])
    const size = Math.ceil(bytes.length / 100)
    for (let at = 0; at < bytes.length; at += size) {
      await program.write(bytes.subarray(at, at + size))
      await sleep(2)
    }
    expect(await program.answers(1)).toMatchObject([{ id: `id ${text}`, result: {} }])
    expectGoodEnd(await program.finish())
  })

  test('one request byte by byte is served', async () => {
    const bytes = Buffer.from(`${request('日本 😀', 'ping')}\r\n`)
    const program = new Program(['mcp'])
    for (const byte of bytes) await program.write(Buffer.from([byte]))
    expect(await program.answers(1)).toMatchObject([{ id: '日本 😀', result: {} }])
    expectGoodEnd(await program.finish())
  })

  test('CRLF, a byte order mark and blank lines are no obstacle', async () => {
    const ending = await sendBytes(
      `\ufeff${request(1, 'ping')}\r\n\r\n\n \t\r\n${request(2, 'ping')}\r\n\ufeff\n${request(3, 'ping')}\n`,
    )
    expectGoodEnd(ending)
    expect(ending.messages).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }])
  })

  test('a byte order mark inside a line is a parse error', async () => {
    const ending = await sendBytes(`\ufeff\ufeff${request(1, 'ping')}\n{"jsonrpc":"2.0",\ufeff"id":1}\n`)
    expectGoodEnd(ending)
    expect(ending.messages).toMatchObject([{ error: { code: -32700 } }, { error: { code: -32700 } }])
  })

  test('a last line without a newline is answered', async () => {
    for (const line of [request(1, 'ping'), request(1, 'resources/list'), `${request(1, 'ping')}\r`]) {
      const ending = await sendBytes(line)
      expectGoodEnd(ending)
      expect(ending.messages).toMatchObject([{ id: 1, result: {} }])
    }
  })

  test('half a message and then the end is a parse error', async () => {
    const ending = await sendBytes(request(1, 'ping').slice(0, -5))
    expectGoodEnd(ending)
    expect(ending.messages).toMatchObject([{ id: null, error: { code: -32700 } }])
  })

  test('nothing at all ends quietly', async () => {
    const ending = await sendBytes()
    expectGoodEnd(ending)
    expect(ending.stdout).toBe('')
  })

  test('a batch gets one error, whatever is in it', async () => {
    const many = JSON.stringify(
      Array.from({ length: 1_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })),
    )
    const ending = await sendBytes(`${many}\n[]\n[[]]\n${request(1, 'ping')}\n`)
    expectGoodEnd(ending)
    expect(ending.messages).toMatchObject([
      ...Array.from({ length: 3 }, () => ({ id: null, error: { code: -32600 } })),
      { id: 1, result: {} },
    ])
  })

  test('a duplicate member counts once, the last one', async () => {
    const ending = await sendBytes('{"jsonrpc":"2.0","id":1,"id":2,"method":"no/such","method":"ping"}\n')
    expect(ending.messages).toMatchObject([{ id: 2, result: {} }])
  })
})

describe.concurrent('Notifications', () => {
  test('10,000 of them produce no output', async () => {
    const methods = [
      'notifications/initialized',
      'notifications/progress',
      'no/such',
      'tools/call',
      'initialize',
    ]
    const lines = Array.from({ length: 10_000 }, (_, at) =>
      notification(methods[at % methods.length] ?? '', { name: 'warrant_status', at }),
    )
    const ending = await sendBytes(`${lines.join('\n')}\n`)
    expectGoodEnd(ending)
    expect(ending.stdout).toBe('')
  })

  test('10,000 of them produce no output once the SDK is in use', async () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => notification('notifications/progress', { at }))
    const ending = await sendBytes(`${request(1, 'resources/list')}\n${lines.join('\n')}\n`)
    expectGoodEnd(ending)
    expect(ending.messages).toMatchObject([{ id: 1 }])
  })

  test('of a call have no answer, and are no call', async () => {
    const { messages, ...ending } = await converse([
      notification('tools/call', { name: 'warrant_status' }),
      notification('tools/call', { name: 'no_such_tool' }),
      notification('tools/call'),
      request(1, 'ping'),
    ])
    expectGoodEnd(ending)
    expect(messages).toMatchObject([{ id: 1 }])
  })

  test('that cancel what is not there are harmless', async () => {
    const ids = ['null', '1', '"x"', '{}', '[]', '1.5', 'true', '"__proto__"', '"warrant:replay\\u0000"']
    const lines = ids.map(
      (id) => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`,
    )
    const { messages, ...ending } = await converse([
      ...lines,
      request(1, 'resources/list'),
      ...lines.slice(2),
      request(2, 'ping'),
    ])
    expectGoodEnd(ending)
    expect(messages.map(({ id }) => id).sort()).toEqual([1, 2])
  })

  test('that cancel a request in flight leave it unanswered and free its id', async () => {
    const { messages, ...ending } = await sendBytes(
      `${request(1, 'resources/list')}\n${notification('notifications/cancelled', { requestId: 1 })}\n${request(1, 'ping')}\n`,
    )
    expectGoodEnd(ending)
    // The answer may have been quicker than the cancellation; the ping is answered either way.
    expect(byId(messages, 1).at(-1)).toMatchObject({ result: {} })
    expect(messages.length).toBeLessThanOrEqual(2)
  })
})

describe('A client that asks without reading', () => {
  test('is not read from, so that memory stays bounded', { timeout: 2 * WAIT_MS }, async () => {
    const program = new Program(['mcp'])
    program.send(request('first', 'tools/list'))
    await program.answers(1)
    const before = await residentBytes(program.pid)
    program.child.stdout.pause()
    const lines = Buffer.from(`${request(1, 'tools/list')}\n`.repeat(2_000))
    let taken = 0
    const pump = async () => {
      for (; taken < 200; taken += 1) await program.write(lines)
    }
    const pumping = pump()
    await sleep(1_500)
    // What one chunk asks for is answered at once; the answers to all of it would be gigabytes.
    const growth = ((await residentBytes(program.pid)) - before) / MiB
    expect(taken).toBeLessThan(200)
    expect(growth).toBeLessThan(300)
    program.child.kill('SIGKILL')
    await pumping
  })
})
