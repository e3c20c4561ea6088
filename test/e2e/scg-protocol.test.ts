import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweep } from '../support/binary.ts'
import { initialize, type Message, MODERN, modern, notification, request } from '../support/messages.ts'
import { expectError, SCG_BINARY, ScgServer, stateOf, stopServers } from './scg-client.ts'

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

describe('opening', () => {
  test('answers the seed exactly', async () => {
    const server = start()
    const line = '{"jsonrpc":"2.0","method":"initialize","params":{},"id":1}'
    expect(await server.answerTo(1, line)).toEqual({
      jsonrpc: '2.0',
      result: {
        protocolVersion: '2024-11-05',
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: 'scg_mcp_server', version: '0.3.0' },
      },
      id: 1,
    })
  })

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'echoes %s',
    async (protocolVersion) => {
      const { result } = await start().ask('initialize', {
        protocolVersion,
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      })
      expect(result.protocolVersion).toBe(protocolVersion)
    },
  )

  test('offers the newest it has to a client from the future', async () => {
    const { result } = await start().ask('initialize', { protocolVersion: '2099-01-01' })
    expect(result.protocolVersion).toBe('2025-11-25')
  })

  test('is discovered and called in the newest revision', async () => {
    const server = start()
    const found = await server.answerTo('d', modern('d', 'server/discover'))
    expect(found.result).toMatchObject({
      supportedVersions: [MODERN],
      capabilities: { tools: {}, resources: {}, prompts: {} },
    })
    const listed = await server.answerTo('l', modern('l', 'tools/list'))
    expect(listed.result.tools).toHaveLength(10)
    const call = modern('c', 'tools/call', { name: 'node.create', arguments: NODE })
    const made = await server.answerTo('c', call)
    expect(made.result.structuredContent).toMatchObject({ node_id: 0, ...NODE })
    const refused = modern('r', 'tools/call', { name: 'node.query', arguments: { node_id: '7' } })
    expectError(await server.answerTo('r', refused), 4004)
  })

  test('is not needed: a first line may call a tool', async () => {
    expect(stateOf(await start().ask('node.create', NODE)).node_id).toBe(0)
  })

  test('may be repeated', async () => {
    const server = start()
    await server.ask('node.create', NODE)
    const [one, two] = [await server.ask('initialize'), await server.ask('initialize', {})]
    expect(two.result).toEqual(one.result)
    expect(await nodeCount(server)).toBe(1)
  })

  test.each([
    ['--version', /^0\.3\.0$/],
    ['--help', /scg-mcp-server.*--graph/s],
  ])('answers %s and ends', (flag, words) => {
    const said = execFileSync(process.execPath, [SCG_BINARY, flag], { encoding: 'utf8' })
    expect(said.trim()).toMatch(words)
  })
})

/** Name, side effects, dependencies and required arguments, in the order older clients know. */
const TOOLS: readonly (readonly [string, string[], string[], string[]])[] = [
  ['node.create', ['state_mutation', 'energy_allocation', 'lineage_append'], [], ['belief', 'energy']],
  ['node.mutate', ['state_mutation', 'energy_consumption'], ['node.query'], ['node_id', 'delta']],
  ['node.query', [], [], ['node_id']],
  [
    'edge.bind',
    ['state_mutation', 'topology_change', 'lineage_append'],
    ['node.query'],
    ['src', 'dst', 'weight'],
  ],
  ['edge.propagate', ['state_mutation', 'energy_transfer', 'lineage_append'], [], ['edge_id']],
  ['governor.status', [], [], []],
  ['esv.audit', ['esv_validation'], ['node.query'], ['node_id']],
  ['lineage.replay', [], [], []],
  ['lineage.export', ['filesystem_write'], [], ['path']],
  ['governance.status', [], [], []],
]

describe('the list of tools', () => {
  test.each(['tools/list', 'tools.list'])('has the ten, in their order, under %s', async (method) => {
    const { result } = await start().ask(method, {})
    expect(Object.keys(result)).toEqual(['tools'])
    const seen = result.tools.map((tool: Record<string, unknown>) => {
      const { type, required = [] } = tool.inputSchema as { type: string; required?: string[] }
      expect(type).toBe('object')
      expect(tool.version).toBe('0.3.0')
      expect(tool.description).toMatch(/\S/)
      return [tool.name, tool.sideEffects, tool.dependencies, required]
    })
    expect(seen).toEqual(TOOLS)
  })

  test('says which texts and numbers a tool takes', async () => {
    const { result } = await start().ask('tools/list')
    const [create, mutate, , bind] = result.tools
    expect(create.inputSchema.properties.belief).toMatchObject({ type: 'number', minimum: 0, maximum: 1 })
    expect(create.inputSchema.properties.energy).toMatchObject({ type: 'number', minimum: 0, maximum: 1e12 })
    expect(mutate.inputSchema.properties.node_id).toMatchObject({ type: 'string', pattern: '^[0-9]+$' })
    expect(bind.inputSchema.properties.weight).toMatchObject({ minimum: -1e6, maximum: 1e6 })
  })
})

describe('the other methods', () => {
  let server: ScgServer
  beforeAll(() => {
    server = start()
  })

  test.each([
    ['resources/list', { resources: [] }],
    ['prompts/list', { prompts: [] }],
    ['resources/templates/list', { resourceTemplates: [] }],
    ['ping', {}],
  ])('%s is there and empty', async (method, result) => {
    expect((await server.ask(method)).result).toEqual(result)
    expect((await server.ask(method, {})).result).toEqual(result)
  })

  test.each([
    ['resources/read', { uri: 'scg://nothing' }],
    ['prompts/get', { name: 'nothing' }],
  ])('%s finds nothing', async (method, params) => {
    expectError(await server.ask(method, params), 4000)
  })

  test.each([
    'nonsense',
    '',
    'tools/',
    'node.delete',
    'NODE.CREATE',
    '__proto__',
    'constructor',
    'a'.repeat(10_000),
  ])('the method %j is unknown', async (method) => {
    const { error } = await server.ask(method, {})
    expect(error?.code).toBe(-32601)
  })

  test.each([
    'tools/list',
    'tools/call',
    'initialize',
    'ping',
    '',
    'node/create',
    'nope',
    '__proto__',
    'toString',
  ])('tools/call does not reach %j', async (name) => {
    expectError(await server.call(name, {}), 3000)
  })

  test.each([
    ['no parameters', undefined],
    ['no name', {}],
    ['a name that is a number', { name: 7, arguments: {} }],
    ['a name that is null', { name: null }],
    ['arguments that are a list', { name: 'governor.status', arguments: [] }],
    ['arguments that are a text', { name: 'governor.status', arguments: '{}' }],
    ['arguments that are a number', { name: 'governor.status', arguments: 5 }],
  ])('tools/call with %s is a bad request', async (_, params) => {
    expectError(await server.ask('tools/call', params), 2000)
  })

  test('tools/call without arguments means none', async () => {
    expect(stateOf(await server.ask('tools/call', { name: 'governor.status' })).coherent).toBe(true)
    expectError(await server.ask('tools/call', { name: 'node.create' }), 2000)
  })

  test.each(['node.create', 'tools/call', 'tools/list', 'initialize', 'ping', 'nonsense'])(
    '%s does not take its parameters by position',
    async (method) => {
      expectError(
        await server.answerTo(
          `p-${method}`,
          `{"jsonrpc":"2.0","id":"p-${method}","method":"${method}","params":[0.5,7]}`,
        ),
        2000,
      )
      expect(await nodeCount(server)).toBe(0)
    },
  )
})

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
  ])('that is no JSON is told so: %s', async (line) => {
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

  test('may carry a long id, a long list and keys nobody knows', async () => {
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
