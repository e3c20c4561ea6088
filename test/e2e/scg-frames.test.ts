import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweep } from '../support/binary.ts'
import { initialize, type Message, notification, request } from '../support/messages.ts'
import { expectError, ScgServer, stateOf, stopServers } from './scg-client.ts'

afterAll(async () => {
  stopServers()
  await sweep()
})

const start = (): ScgServer => new ScgServer()

const NODE = { belief: 0.5, energy: 1 }
const MiB = 1024 * 1024

/** Sends lines as they are, then a ping; what came before the pong is what they were answered with. */
const tell = async (server: ScgServer, ...lines: readonly string[]): Promise<readonly Message[]> => {
  const before = server.lines.length
  server.send(...lines)
  await server.ask('ping')
  return server.messages.slice(before, -1)
}

const nodeCount = async (server: ScgServer): Promise<number> =>
  (await server.must('governance.status')).node_count

describe('a line', () => {
  let server: ScgServer
  beforeAll(() => {
    server = start()
  })

  const PARSE_ERROR = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }

  test.each([
    'garbage',
    '{"jsonrpc":"2.0",',
    '{}{}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":-Infinity}',
    "{'a':1}",
  ])('that is no JSON gets a parse error: %s', async (line) => {
    expect(await tell(server, line)).toEqual([PARSE_ERROR])
  })

  test('that is blank is passed over', async () => {
    expect(await tell(server, '', '   ', '\t', '\r')).toEqual([])
  })

  test('may have white space around it', async () => {
    expect(await tell(server, `  ${request('w', 'ping')}\t\r`)).toEqual([
      { jsonrpc: '2.0', id: 'w', result: {} },
    ])
  })

  test.each([
    ['an older version', '{"jsonrpc":"1.0","id":7,"method":"ping"}', 7],
    ['no version', '{"id":7,"method":"ping"}', 7],
    ['a version that is a number', '{"jsonrpc":2.0,"id":7,"method":"ping"}', 7],
    ['no method', '{"jsonrpc":"2.0","id":7}', 7],
    ['a method that is null', '{"jsonrpc":"2.0","id":"x","method":null}', 'x'],
    ['a batch', `[${request(7, 'ping')}]`, null],
    ['an empty batch', '[]', null],
    [
      'an id that is null',
      '{"jsonrpc":"2.0","id":null,"method":"node.create","params":{"belief":0,"energy":0}}',
      null,
    ],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', null],
    ['a number', '7', null],
  ])('with %s is no request', async (_, line, id) => {
    const answers = await tell(server, line)
    expect(answers).toMatchObject([{ id, error: { code: -32600 } }])
    expect(JSON.stringify(answers)).not.toContain('1.0')
    expect(await nodeCount(server)).toBe(0)
  })

  test.each(['initialize', 'tools/list', 'ping', 'resources/list', 'governor.status', 'lineage.replay'])(
    'whose params are null has none: %s',
    async (method) => {
      const [answer] = await tell(server, `{"jsonrpc":"2.0","id":"n","method":"${method}","params":null}`)
      expect(answer).toMatchObject({ id: 'n', result: {} })
    },
  )

  test('whose arguments are null has none: a tool without any is called, another misses its own', async () => {
    const call = (name: string) =>
      tell(server, request('n', 'tools/call', { name, arguments: null } as never))
    expect(await call('governor.status')).toMatchObject([{ id: 'n', result: { content: [{}] } }])
    for (const [answer] of [
      await call('node.create'),
      await tell(server, '{"jsonrpc":"2.0","id":"n","method":"node.create","params":null}'),
      await tell(server, '{"jsonrpc":"2.0","id":"n","method":"tools/call","params":null}'),
    ]) {
      expectError(answer as Message, 2000)
    }
    expect(await nodeCount(server)).toBe(0)
  })

  test('of exactly 1 MiB is served', async () => {
    const empty = JSON.stringify({ jsonrpc: '2.0', id: 'big', method: 'ping', pad: '' })
    const line = JSON.stringify({
      jsonrpc: '2.0',
      id: 'big',
      method: 'ping',
      pad: 'x'.repeat(MiB - empty.length),
    })
    expect(line).toHaveLength(MiB)
    expect((await server.answerTo('big', line)).result).toEqual({})
  })

  test.each([
    ['one byte more', MiB + 1],
    ['five times that', 5 * MiB],
  ])('of %s is refused, and the next is served', async (_, bytes) => {
    const head = '{"jsonrpc":"2.0","id":"b","method":"node.create","params":{"belief":0.5,"energy":1,"pad":"'
    const line = `${head}${'x'.repeat(bytes - head.length - 3)}"}}`
    expect(line).toHaveLength(bytes)
    const answers = await tell(server, line)
    expect(answers).toHaveLength(1)
    expectError(answers[0] as Message, 2000)
    expect(answers[0]?.id).toBe(null)
    expect(await nodeCount(server)).toBe(0)
  })

  test('is measured in bytes and not in letters', async () => {
    const line = JSON.stringify({ jsonrpc: '2.0', id: 'b', method: 'ping', pad: '€'.repeat(MiB / 2) })
    const [answer] = await tell(server, line)
    expectError(answer as Message, 2000)
  })

  /** A create whose brackets nest `depth` deep, the envelope's two included. */
  const nested = (id: string, depth: number): string =>
    `{"jsonrpc":"2.0","id":"${id}","method":"node.query","params":{"node_id":"9","x":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`

  test('may nest 128 deep', async () => {
    expectError(await server.answerTo('deep', nested('deep', 128)), 4004)
    expectError(await server.answerTo('fifty', nested('fifty', 50)), 4004)
  })

  test.each([129, 1_000, 100_000])('may not nest %i deep', async (depth) => {
    const answers = await tell(server, nested('deeper', depth))
    expect(answers).toHaveLength(1)
    expectError(answers[0] as Message, 2000)
  })

  test('may hold brackets in its texts', async () => {
    const line = request('t', 'node.query', { node_id: '9', x: `"${'[{'.repeat(500)}\\` })
    expectError(await server.answerTo('t', line), 4004)
  })

  test('may carry a long id, a long list and unknown keys', async () => {
    const id = 'i'.repeat(10_240)
    const params = {
      ...NODE,
      list: Array.from({ length: 1_000 }, (_, index) => index),
      unheard: { of: true },
    }
    const made = stateOf(await server.answerTo(id, request(id, 'node.create', params)))
    expect(Object.keys(made)).toEqual(['node_id', 'belief', 'energy', 'timestamp'])
    const line = `{"jsonrpc":"2.0","extra":{"topology":1},"id":"k","method":"node.query","params":{"node_id":"${made.node_id}"}}`
    expect(stateOf(await server.answerTo('k', line))).toEqual(made)
  })

  test('need not end before its input does', async () => {
    const last = start()
    last.child.stdin.write(request(1, 'ping'))
    const { code, stdout } = await last.finish()
    expect([code, JSON.parse(stdout)]).toEqual([0, { jsonrpc: '2.0', id: 1, result: {} }])
  })

  test('in bytes that are no UTF-8 is no JSON', async () => {
    const before = server.lines.length
    server.child.stdin.write(Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]))
    expect((await server.heard(before + 1)).at(-1)).toEqual(PARSE_ERROR)
  })
})

describe('what asks for no answer', () => {
  const silent = [
    notification('notifications/initialized'),
    notification('notifications/initialized', {}),
    notification('notifications/cancelled', { requestId: 99 }),
    notification('notifications/anything', { at: 'all' }),
    notification('node.create', NODE),
    notification('node_create', NODE),
    notification('tools/call', { name: 'node.create', arguments: NODE }),
    notification('edge.propagate', { edge_id: '0' }),
    notification('lineage.export', { path: 'never.json' }),
    notification('tools/list'),
    notification('nonsense'),
    '{"jsonrpc":"2.0","method":"node.create","params":[0.5,7]}',
  ]

  test('gets none and does nothing', async () => {
    const server = start()
    expect(await tell(server, initialize('i'), ...silent)).toHaveLength(1)
    const { node_count, lineage_length, tick } = await server.must('governance.status')
    expect([node_count, lineage_length, tick]).toEqual([0, 0, 0])
  })

  test('does nothing once the SDK is loaded either', async () => {
    const server = start()
    await server.ask('resources/list')
    expect(await tell(server, ...silent)).toEqual([])
    expect(await nodeCount(server)).toBe(0)
  })

  test('leaves a word in the log when it was a call', async () => {
    const server = start()
    await tell(server, notification('node.create', NODE))
    const { stderr } = await server.finish()
    expect(stderr).toMatch(/node\.create/)
  })
})

describe('answers', () => {
  test('come in the order of the requests, whatever they take', async () => {
    const server = start()
    const lines = [
      request('a', 'lineage.replay'),
      request('b', 'tools/call', { name: 'node.create', arguments: NODE }),
      request('c', 'ping'),
      request('d', 'node.query', { node_id: '0' }),
      request('e', 'nonsense'),
      request('f', 'resources/list'),
      request('g', 'node.create', { belief: 7, energy: 1 }),
      request('h', 'governance.status'),
      request('i', 'initialize'),
      'garbage',
      request('j', 'node.mutate', { node_id: '0', delta: 0.1 }),
    ]
    server.send(...lines)
    const answers = await server.heard(lines.length)
    expect(answers.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', null, 'j'])
  })

  test('keep their places when a refused line has the id of one under way', async () => {
    const server = start()
    await server.must('governor.status')
    const bad = '{"jsonrpc":"1.0","id":"a","method":"ping"}'
    const before = server.lines.length
    server.send(request('a', 'node.create', NODE), bad, request('a', 'ping'), request('b', 'ping'))
    const answers = (await server.heard(before + 4)).slice(before)
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      ['a', undefined],
      ['a', -32600],
      ['a', -32600],
      ['b', undefined],
    ])
  })

  test('all come before the server ends with its input', async () => {
    const server = start()
    server.send(...Array.from({ length: 500 }, (_, id) => request(id, 'node.create', NODE)))
    const { code, stderr } = await server.finish()
    expect(code).toBe(0)
    expect(stderr).not.toMatch(/bug|error/i)
    expect(server.messages.map((message) => stateOf(message).node_id)).toEqual([...Array(500).keys()])
  })

  test('of a pipe full of everything are one for each request', async () => {
    const server = start()
    const ids = Array.from({ length: 300 }, (_, id) => id)
    const methods = ['ping', 'tools/list', 'node.create', 'nonsense', 'governor.status', 'prompts/list']
    server.send(...ids.map((id) => request(id, methods[id % methods.length] as string, NODE)))
    expect((await server.heard(300)).map(({ id }) => id)).toEqual(ids)
  })
})
