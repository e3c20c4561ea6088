import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { defineFaults, type FaultKind } from '../../src/kernel/fault.ts'
import { defineTool, NoInput } from '../../src/kernel/tool.ts'
import { Connection } from '../../src/mcp/connection.ts'
import { converse, Program, sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { converseHere } from '../support/converse-here.ts'
import {
  CAPABILITIES_KEY,
  envelope,
  initialize,
  type Message,
  modern,
  notification,
  readMessage,
  request,
  VERSION_KEY,
} from '../support/messages.ts'
import { makeService, type TestService, Wire } from '../support/service.ts'

afterAll(sweep)

type Dialect = 'standard' | 'sentinel' | 'scg'
const DIALECTS: readonly Dialect[] = ['standard', 'sentinel', 'scg']

/** What an answer must contain; more is allowed where the row says nothing. */
type Expected = Readonly<Record<string, unknown>>

interface Row {
  readonly name: string
  readonly lines: readonly string[]
  /** The answers in any order: requests may overtake each other, ids tell them apart. */
  readonly answers: readonly Expected[]
  readonly dialect?: Dialect
}

const refused = (id: string | number | null, code: number, data?: object): Expected => ({
  id,
  error: { code, ...(data && { data }) },
})
const answered = (id: string | number, result: object = {}): Expected => ({ id, result })
const opened = answered(0, { serverInfo: { name: 'warrant' } })
const BAD_ARGUMENT = 'call.arguments'
const WITH_STATUS = expect.arrayContaining([expect.objectContaining({ name: 'warrant_status' })])
const SUPPORTED = { supported: expect.arrayContaining(['2026-07-28']) }

/** Rows sent after `initialize`, as the older clients do. */
const afterOpening = (rows: readonly Row[]): readonly Row[] =>
  rows.map((row) => ({ ...row, lines: [initialize(), ...row.lines], answers: [opened, ...row.answers] }))

const frames = afterOpening([
  { name: 'malformed JSON', lines: ['{"jsonrpc":"2.0",'], answers: [refused(null, -32700)] },
  { name: 'plain text', lines: ['good morning'], answers: [refused(null, -32700)] },
  { name: 'two objects on one line', lines: ['{}{}'], answers: [refused(null, -32700)] },
  { name: 'single quotes', lines: ["{'jsonrpc':'2.0'}"], answers: [refused(null, -32700)] },
  { name: 'NaN', lines: ['NaN'], answers: [refused(null, -32700)] },
  { name: 'an empty line', lines: [''], answers: [] },
  { name: 'a line of white space', lines: [' \t  '], answers: [] },
  { name: 'a number', lines: ['42'], answers: [refused(null, -32600)] },
  { name: 'null', lines: ['null'], answers: [refused(null, -32600)] },
  { name: 'true', lines: ['true'], answers: [refused(null, -32600)] },
  { name: 'a string', lines: ['"ping"'], answers: [refused(null, -32600)] },
  { name: 'an empty object', lines: ['{}'], answers: [refused(null, -32600)] },
  { name: 'no jsonrpc', lines: ['{"id":1,"method":"ping"}'], answers: [refused(1, -32600)] },
  {
    name: 'jsonrpc "1.0"',
    lines: ['{"jsonrpc":"1.0","id":"a","method":"ping"}'],
    answers: [refused('a', -32600)],
  },
  {
    name: 'jsonrpc as a number',
    lines: ['{"jsonrpc":2.0,"id":1,"method":"ping"}'],
    answers: [refused(1, -32600)],
  },
  { name: 'no method', lines: ['{"jsonrpc":"2.0","id":1}'], answers: [refused(1, -32600)] },
  {
    name: 'a method that is a number',
    lines: ['{"jsonrpc":"2.0","id":1,"method":7}'],
    answers: [refused(1, -32600)],
  },
  {
    name: 'a method that is null',
    lines: ['{"jsonrpc":"2.0","id":1,"method":null}'],
    answers: [refused(1, -32600)],
  },
  {
    name: 'neither a method nor an id',
    lines: ['{"jsonrpc":"2.0"}'],
    answers: [refused(null, -32600)],
  },
  ...['[]', '"x"', '7', 'null', 'true'].map((params) => ({
    name: `params ${params}`,
    lines: [`{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`],
    answers: [refused(1, -32602)],
  })),
  {
    name: 'params that are an array, in a notification',
    lines: ['{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}'],
    answers: [],
  },
  ...['null', '1.5', '{}', '[]', 'true', '9007199254740992', '1e999'].map((id) => ({
    name: `id ${id}`,
    lines: [`{"jsonrpc":"2.0","id":${id},"method":"ping"}`],
    answers: [refused(null, -32600)],
  })),
  {
    name: 'an unknown top-level member',
    lines: ['{"jsonrpc":"2.0","id":1,"method":"ping","extra":{"a":1}}'],
    answers: [answered(1)],
  },
  {
    name: 'an unknown top-level member of a request the SDK answers',
    lines: ['{"jsonrpc":"2.0","id":1,"method":"resources/list","extra":true}'],
    answers: [answered(1, { resources: expect.any(Array) })],
  },
  {
    name: 'a batch',
    lines: [`[${request(1, 'ping')},${request(2, 'ping')}]`],
    answers: [refused(null, -32600)],
  },
  { name: 'an empty batch', lines: ['[]'], answers: [refused(null, -32600)] },
  { name: 'an unknown method', lines: [request(1, 'no/such')], answers: [refused(1, -32601)] },
  ...['__proto__', 'constructor', 'toString', ''].map((method) => ({
    name: `the method ${JSON.stringify(method)}`,
    lines: [request(1, method)],
    answers: [refused(1, -32601)],
  })),
  {
    name: 'a response to a question never asked',
    lines: [
      '{"jsonrpc":"2.0","id":7,"result":{}}',
      '{"jsonrpc":"2.0","id":8,"error":{"code":1,"message":""}}',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
      '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}',
      '{"jsonrpc":"2.0","id":null,"result":{}}',
      '{"id":1.5,"result":{}}',
    ],
    answers: [],
  },
])

const dialectRows = DIALECTS.flatMap((dialect) => {
  const unknown = {
    standard: refused(1, -32602),
    sentinel: refused(1, -32601, { reason: 'tool_not_found' }),
    scg: refused(1, 3000, { code_string: 'INVALID_TOOL' }),
  }[dialect]
  const invalid = (id: number) =>
    ({
      standard: refused(id, -32602),
      sentinel: refused(id, -32602, { reason: 'invalid_params' }),
      scg: refused(id, 2000, { code_string: 'BAD_REQUEST' }),
    })[dialect]
  const badArgument = {
    standard: answered(1, {
      isError: true,
      _meta: { 'warrant/fault': { kind: 'invalid', code: BAD_ARGUMENT, fix: expect.any(String) } },
    }),
    sentinel: refused(1, -32602, { reason: 'invalid_params', details: expect.any(String) }),
    scg: refused(1, 2000, { code_string: 'BAD_REQUEST' }),
  }[dialect]
  const version = { standard: '2025-11-25', sentinel: '2024-11-05', scg: '2024-11-05' }[dialect]
  const defaultOpening = answered(0, { protocolVersion: version })
  const call = (params?: object) => request(1, 'tools/call', params)
  return [
    { name: 'malformed JSON', lines: ['{'], answers: [refused(null, -32700)] },
    { name: 'a batch', lines: ['[1]'], answers: [refused(null, -32600)] },
    {
      name: 'an unknown method',
      lines: [request(1, 'no/such')],
      answers: [refused(1, -32601, dialect === 'sentinel' ? { reason: 'method_not_found' } : undefined)],
    },
    ...['no_such_tool', '__proto__', 'constructor', 'toString', 'hasOwnProperty', ''].map((name) => ({
      name: `the tool ${JSON.stringify(name)}`,
      lines: [call({ name })],
      answers: [unknown],
    })),
    { name: 'tools/call without params', lines: [call()], answers: [invalid(1)] },
    { name: 'tools/call without a name', lines: [call({})], answers: [invalid(1)] },
    { name: 'tools/call whose name is a number', lines: [call({ name: 7 })], answers: [invalid(1)] },
    ...[[], null, 'x', 7].map((args) => ({
      name: `arguments ${JSON.stringify(args)}`,
      lines: [call({ name: 'warrant_status', arguments: args })],
      answers: [invalid(1)],
    })),
    {
      name: 'params that are an array',
      lines: ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'],
      answers: [invalid(1)],
    },
    {
      name: 'an argument the tool does not take',
      lines: [call({ name: 'warrant_status', arguments: { depth: 3 } })],
      answers: [badArgument],
    },
    {
      name: 'a good call',
      lines: [call({ name: 'warrant_status', arguments: {} })],
      answers: [answered(1, { structuredContent: { readOnly: false } })],
    },
    {
      name: 'the dotted spelling of a tool',
      lines: [call({ name: 'warrant.status' })],
      answers: [answered(1, { structuredContent: { readOnly: false } })],
    },
    { name: 'initialize with {}', lines: [initialize()], answers: [defaultOpening] },
    { name: 'initialize without params', lines: [request(0, 'initialize')], answers: [defaultOpening] },
    {
      name: 'initialize whose members have wrong types',
      lines: [initialize(0, { protocolVersion: 7, capabilities: [], clientInfo: null })],
      answers: [defaultOpening],
    },
  ].map((row) => ({ ...row, dialect }))
})

const legacy: readonly Row[] = [
  { name: 'ping before initialize', lines: [request(1, 'ping')], answers: [answered(1)] },
  {
    name: 'tools/list before initialize',
    lines: [request(1, 'tools/list')],
    answers: [answered(1, { tools: WITH_STATUS })],
  },
  {
    name: 'tools/call before initialize',
    lines: [request(1, 'tools/call', { name: 'warrant_status' })],
    answers: [answered(1, { structuredContent: { readOnly: false } })],
  },
  {
    name: 'resources/list before initialize',
    lines: [request(1, 'resources/list')],
    answers: [answered(1, { resources: expect.any(Array) })],
  },
  ...['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'].map((protocolVersion) => ({
    name: `initialize ${protocolVersion}`,
    lines: [initialize(0, { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } })],
    answers: [answered(0, { protocolVersion })],
  })),
  ...['1999-01-01', '2026-07-28', 'bogus', ''].map((protocolVersion) => ({
    name: `initialize ${JSON.stringify(protocolVersion)}`,
    lines: [initialize(0, { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } })],
    answers: [answered(0, { protocolVersion: '2025-11-25' })],
  })),
  {
    name: 'a second initialize',
    lines: [initialize(0), initialize(1, { protocolVersion: '2025-03-26' })],
    answers: [opened, answered(1, { protocolVersion: '2025-03-26' })],
  },
  {
    name: 'a second initialize once the SDK is in use',
    lines: [initialize(0), request(2, 'resources/list'), initialize(1, { protocolVersion: '2025-03-26' })],
    answers: [opened, answered(1, { protocolVersion: '2025-03-26' }), answered(2)],
  },
  {
    name: 'initialize as the first message to the SDK',
    lines: [initialize(0, { _meta: { 'example.com/trace': 1 } })],
    answers: [opened],
  },
  {
    name: 'notifications of every kind',
    lines: [
      initialize(),
      notification('notifications/initialized'),
      notification('notifications/cancelled', { requestId: 99 }),
      notification('notifications/cancelled'),
      notification('notifications/no-such'),
      notification('tools/call', { name: 'warrant_status' }),
      notification('tools/call'),
      notification('initialize'),
      notification('resources/list'),
    ],
    answers: [opened],
  },
  ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].map((method) => ({
    name: `${method} with an unknown cursor`,
    lines: [initialize(), request(1, method, { cursor: 'x' })],
    answers: [opened, refused(1, -32602)],
  })),
  {
    name: 'a resource that does not exist',
    lines: [initialize(), request(1, 'resources/read', { uri: 'warrant://no-such' })],
    answers: [opened, refused(1, -32602, { uri: 'warrant://no-such' })],
  },
  {
    name: 'a prompt that does not exist',
    lines: [initialize(), request(1, 'prompts/get', { name: '__proto__' })],
    answers: [opened, refused(1, -32602)],
  },
  {
    name: 'two requests in flight with one id',
    lines: [request(1, 'resources/read', { uri: 'warrant://about' }), request(1, 'ping')],
    answers: [answered(1, { contents: expect.any(Array) }), refused(1, -32600)],
  },
  {
    name: 'an id used again once it was answered',
    lines: [request(1, 'ping'), request(1, 'tools/list')],
    answers: [answered(1), answered(1, { tools: expect.any(Array) })],
  },
  {
    name: 'the ids 1 and "1" at the same time',
    lines: [request(1, 'resources/list'), request('1', 'prompts/list')],
    answers: [answered(1, { resources: expect.any(Array) }), answered('1', { prompts: expect.any(Array) })],
  },
  { name: 'an empty string as id', lines: [request('', 'ping')], answers: [answered('')] },
  {
    name: 'a carriage return before the newline',
    lines: [`${request(1, 'ping')}\r`],
    answers: [answered(1)],
  },
  { name: 'a byte order mark', lines: [`\ufeff${request(1, 'ping')}`], answers: [answered(1)] },
  {
    name: 'white space around a message',
    lines: [` \t${request(1, 'ping')} \t`],
    answers: [answered(1)],
  },
  {
    name: 'initialize first, then a request with the modern envelope',
    lines: [initialize(), modern(1, 'ping'), modern(2, 'tools/list'), modern(3, 'resources/list')],
    answers: [
      opened,
      refused(1, -32601),
      answered(2, { resultType: 'complete', tools: WITH_STATUS }),
      answered(3, { resultType: 'complete', resources: expect.any(Array) }),
    ],
  },
]

const modernRows: readonly Row[] = [
  {
    name: 'server/discover',
    lines: [modern(1, 'server/discover')],
    answers: [
      answered(1, {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: expect.anything() },
        resultType: 'complete',
        ttlMs: expect.any(Number),
        cacheScope: expect.any(String),
      }),
    ],
  },
  {
    name: 'server/discover as a probe of an older client',
    lines: [modern(1, 'server/discover'), initialize(0, { protocolVersion: '2025-11-25' })],
    answers: [opened, answered(1)],
  },
  {
    name: 'tools/list',
    lines: [modern(1, 'tools/list')],
    answers: [answered(1, { resultType: 'complete', tools: WITH_STATUS })],
  },
  {
    name: 'tools/call',
    lines: [modern(1, 'tools/call', { name: 'warrant_status' })],
    answers: [
      answered(1, {
        resultType: 'complete',
        structuredContent: { readOnly: false },
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'warrant' } },
      }),
    ],
  },
  {
    name: 'an unknown tool',
    lines: [modern(1, 'tools/call', { name: '__proto__' })],
    answers: [refused(1, -32602)],
  },
  {
    name: 'an unknown tool in the sentinel dialect',
    dialect: 'sentinel',
    lines: [modern(1, 'tools/call', { name: 'no_such_tool' })],
    answers: [refused(1, -32601, { reason: 'tool_not_found' })],
  },
  {
    name: 'a bad argument',
    lines: [modern(1, 'tools/call', { name: 'warrant_status', arguments: { x: 1 } })],
    answers: [answered(1, { isError: true, _meta: { 'warrant/fault': { code: BAD_ARGUMENT } } })],
  },
  {
    name: 'a resource',
    lines: [modern(1, 'resources/read', { uri: 'warrant://about' })],
    answers: [
      answered(1, { resultType: 'complete', contents: expect.any(Array), ttlMs: expect.any(Number) }),
    ],
  },
  {
    name: 'a resource that does not exist',
    lines: [modern(1, 'resources/read', { uri: 'warrant://no-such' })],
    answers: [refused(1, -32602, { uri: 'warrant://no-such' })],
  },
  { name: 'an unknown method', lines: [modern(1, 'no/such')], answers: [refused(1, -32601)] },
  { name: 'ping, which is gone', lines: [modern(1, 'ping')], answers: [refused(1, -32601)] },
  {
    name: 'version 1900-01-01',
    lines: [modern(1, 'tools/list', {}, envelope({ [VERSION_KEY]: '1900-01-01' }))],
    answers: [refused(1, -32022, { ...SUPPORTED, requested: '1900-01-01' })],
  },
  {
    name: 'no client capabilities',
    lines: [modern(1, 'tools/list', {}, { [VERSION_KEY]: '2026-07-28' })],
    answers: [refused(1, -32602)],
  },
  {
    name: 'client capabilities that are a list',
    lines: [modern(1, 'tools/list', {}, envelope({ [CAPABILITIES_KEY]: [] }))],
    answers: [refused(1, -32602)],
  },
  {
    name: 'a version that is a number',
    lines: [modern(1, 'tools/list', {}, envelope({ [VERSION_KEY]: 20260728 }))],
    answers: [refused(1, -32602)],
  },
  {
    name: 'modern first, then initialize',
    lines: [modern(1, 'tools/list'), initialize(2)],
    answers: [answered(1, { resultType: 'complete' }), answered(2, { serverInfo: { name: 'warrant' } })],
  },
  {
    name: 'modern first, then initialize, once the SDK is in use',
    lines: [
      modern(1, 'resources/list'),
      initialize(2),
      request(3, 'resources/list'),
      modern(4, 'resources/list'),
      request(5, 'ping'),
      modern(6, 'tools/list', {}, envelope({ [VERSION_KEY]: '1900-01-01' })),
    ],
    answers: [
      answered(1, { resultType: 'complete' }),
      answered(2, { serverInfo: { name: 'warrant' } }),
      answered(3, { resources: expect.any(Array) }),
      answered(4, { resultType: 'complete' }),
      answered(5),
      refused(6, -32022, SUPPORTED),
    ],
  },
  {
    name: 'modern first, then a request without an envelope',
    lines: [modern(1, 'tools/list'), request(2, 'tools/list')],
    answers: [answered(1), refused(2, -32602)],
  },
  {
    name: 'modern first, then a call without an envelope',
    lines: [modern(1, 'tools/list'), request(2, 'tools/call', { name: 'warrant_status' })],
    answers: [answered(1), refused(2, -32602)],
  },
]

/** By id, and results before errors. */
const rank = ({ id, error }: Message | Expected): string =>
  `${id === null ? ' ' : typeof id}${id} ${error === undefined ? 0 : 1}`
const sorted = (messages: readonly (Message | Expected)[]) =>
  [...messages].sort((a, b) => (rank(a) < rank(b) ? -1 : Number(rank(a) > rank(b))))

const expectAnswers = (messages: readonly Message[], answers: Row['answers']): void => {
  expect(sorted(messages)).toMatchObject(sorted(answers))
  // An error's text is one sentence, not the dump of a schema.
  for (const { error } of messages) expect(error?.message ?? '').not.toMatch(/\n|"code":/)
}

const tryRow = async ({ lines, answers, dialect = 'standard' }: Row): Promise<void> => {
  const { log, messages } = await converseHere(lines, { dialect })
  expect(log).toBe('')
  expectAnswers(messages, answers)
}

const tryProgram = async ({ lines, answers, dialect = 'standard' }: Row): Promise<void> => {
  const { code, stderr, messages } = await converse(lines, ['--dialect', dialect])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expectAnswers(messages, answers)
}

/** Every row is sent to the server in this process, and every eighth to the program; the long run starts it for all. */
const describeRows = (title: string, rows: readonly Row[]) => {
  describe(title, () => {
    for (const row of rows) test(row.name, () => tryRow(row))
  })
  describe.concurrent(`${title}, of the program`, () => {
    for (const row of someRows(rows, 8)) test(row.name, () => tryProgram(row))
  })
}

describeRows('A line after initialize', frames)
describeRows('A line of an older client', legacy)
describeRows('A line of revision 2026-07-28', modernRows)
for (const dialect of DIALECTS) {
  describeRows(
    `A line in the ${dialect} dialect`,
    dialectRows.filter((row) => row.dialect === dialect),
  )
}

describe.concurrent('An opening whose first envelope is broken', () => {
  const broken = modern(1, 'tools/list', {}, { [VERSION_KEY]: '2026-07-28' })

  test('leaves the choice to the next request: modern', async () => {
    const { messages } = await converse([broken, modern(2, 'tools/list'), request(3, 'resources/list')])
    expect(sorted(messages)).toMatchObject([refused(1, -32602), answered(2), refused(3, -32602)])
  })

  test('leaves the choice to the next request: older', async () => {
    const { messages } = await converse([broken, request(2, 'ping'), modern(3, 'resources/list')])
    expect(sorted(messages)).toMatchObject([refused(1, -32602), answered(2), answered(3)])
    expect(sorted(messages)[2]?.result).toMatchObject({ resultType: 'complete' })
  })
})

describe.concurrent('A batch', () => {
  const version = { protocolVersion: '2025-03-26' }
  const batch = (...lines: readonly string[]) => `[${lines.join()}]`
  /** The lines after the answer to `initialize`, each with its answers in order of their ids. */
  const exchange = async (lines: readonly string[], args: readonly string[] = []) => {
    const program = new Program(['mcp', ...args])
    program.send(initialize(0, version), ...lines)
    const { code, stderr } = await program.finish()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return program.lines.slice(1).map((line) => {
      const value: unknown = JSON.parse(line)
      return Array.isArray(value) ? sorted(value.map((one) => readMessage(JSON.stringify(one)))) : value
    })
  }

  test('is answered in one line where 2025-03-26 was negotiated, and holds no more than its requests', async () => {
    const lines = [
      batch(
        request(1, 'ping'),
        notification('notifications/initialized'),
        request(2, 'resources/list'),
        request(3, 'tools/call', { name: 'warrant_status' }),
        '{"jsonrpc":"2.0","id":9,"result":{}}',
      ),
    ]
    expect(await exchange(lines)).toMatchObject([
      [answered(1), answered(2, { resources: expect.any(Array) }), answered(3)],
    ])
  })

  test('without requests is not answered', async () => {
    const lines = [
      batch(notification('notifications/initialized'), '{"jsonrpc":"2.0","id":null,"result":{}}'),
      request(1, 'ping'),
    ]
    expect(await exchange(lines)).toMatchObject([answered(1)])
  })

  test('gives each message that is wrong an error of its own', async () => {
    const lines = [
      '[]',
      batch('1', '[]', initialize(1), modern(2, 'tools/list'), request(3, 'ping'), request(4, 'no/such')),
    ]
    const [empty, answers] = await exchange(lines)
    expect(answers).toMatchObject([
      refused(null, -32600),
      refused(null, -32600),
      refused(1, -32600),
      refused(2, -32600),
      answered(3),
      refused(4, -32601),
    ])
    expect(empty).toMatchObject(refused(null, -32600))
  })

  test('with too many messages is refused as a whole', async () => {
    expect(await exchange([`[${'1,'.repeat(2_000)}1]`])).toMatchObject([refused(null, -32600)])
  })

  test('is refused after another version was negotiated', async () => {
    const lines = [initialize(1, { protocolVersion: '2025-06-18' }), batch(request(2, 'ping'))]
    expect(await exchange(lines)).toMatchObject([answered(1), refused(null, -32600)])
  })

  test('keeps its place where answers keep the order of the requests', async () => {
    const program = new Program(['--store', 'memory'], { binary: 'scg-mcp-server' })
    const create = (id: number) => request(id, 'node.create', { belief: 0.5, energy: 1 })
    program.send(initialize(0, version), create(1), batch(create(2), request(3, 'ping')), request(4, 'ping'))
    await program.finish()
    const ids = program.lines.map((line) => [JSON.parse(line)].flat().map(({ id }) => id))
    expect(ids).toEqual([[0], [1], expect.arrayContaining([2, 3]), [4]])
  })
})

const MiB = 1024 * 1024

describe.concurrent('A long line', () => {
  const padded = (id: number, bytes: number) => {
    const bare = request(id, 'ping', { pad: '' })
    return request(id, 'ping', { pad: 'x'.repeat(bytes - bare.length) })
  }

  test('is served up to 4 MiB, and refused once for one byte more', async () => {
    const { code, messages } = await converse([
      padded(1, 4 * MiB),
      padded(2, 4 * MiB + 1),
      request(3, 'ping'),
    ])
    expect(code).toBe(0)
    expect(sorted(messages)).toMatchObject([refused(null, -32600), answered(1), answered(3)])
  })

  test.each([9, 11])('of %i MiB is refused once, and the next line is served', async (size) => {
    const { code, messages } = await converse([padded(1, size * MiB), request(2, 'ping')])
    expect(code).toBe(0)
    expect(messages).toMatchObject([refused(null, -32600), answered(2)])
  })

  test('in the scg dialect is a bad request', async () => {
    const { messages } = await converse([padded(1, 5 * MiB)], ['--dialect', 'scg'])
    expect(messages).toMatchObject([refused(null, 2000, { code_string: 'BAD_REQUEST' })])
  })
})

const SECRET = 'secret detail'

const KINDS: readonly FaultKind[] = [
  'invalid',
  'refused',
  'missing',
  'conflict',
  'exhausted',
  'corrupt',
  'unavailable',
]
const testFaults = defineFaults('room', {
  ...Object.fromEntries(KINDS.map((kind) => [kind, { kind, fix: 'Do it right.' }])),
  node_unknown: { kind: 'missing', fix: 'Name a node that exists.' },
} as Record<FaultKind | 'node_unknown', { kind: FaultKind; fix: string }>)

/** The promise of each dialect, code by code. */
const CODES: Readonly<Record<'sentinel' | 'scg', Readonly<Record<FaultKind | 'node_unknown', number>>>> = {
  sentinel: {
    invalid: -32602,
    missing: -32602,
    node_unknown: -32602,
    refused: -32000,
    exhausted: -32000,
    conflict: -32000,
    corrupt: -32603,
    unavailable: -32603,
  },
  scg: {
    invalid: 2000,
    missing: 4000,
    node_unknown: 4004,
    refused: 5000,
    conflict: 5000,
    exhausted: 5000,
    corrupt: 5000,
    unavailable: 1000,
  },
}

const failing = (name: string, run: () => never | Promise<never>) =>
  defineTool({
    name,
    title: name,
    description: 'Fails on purpose.',
    effect: 'read',
    input: NoInput,
    output: z.strictObject({}),
    run,
  })

const rejectLater = async (thrown: unknown): Promise<never> => {
  await sleep(1)
  throw thrown
}
const fail = (thrown: unknown): never => {
  throw thrown
}

const faultNames = [...KINDS, 'node_unknown'] as const
const thrownThings: readonly (readonly [name: string, thrown: unknown])[] = [
  ['error', new Error(SECRET, { cause: new Error(SECRET) })],
  ['code', Object.assign(new Error(SECRET), { code: 4004, data: { secret: SECRET } })],
  ['string', SECRET],
  ['object', { code: -32000, message: SECRET, data: SECRET }],
  ['null', null],
  ['undefined', undefined],
]

const toolset = {
  tools: [
    ...faultNames.flatMap((name) => {
      const make = () => testFaults[name](`${name} it is`, { cause: new Error(SECRET) })
      return [failing(`sync_${name}`, () => fail(make())), failing(`late_${name}`, () => rejectLater(make()))]
    }),
    ...thrownThings.flatMap(([name, thrown]) => [
      failing(`crash_sync_${name}`, () => fail(thrown)),
      failing(`crash_late_${name}`, () => rejectLater(thrown)),
    ]),
    failing('bad_output', () => ({ surprise: SECRET }) as never),
    defineTool({
      name: 'huge',
      title: 'Huge',
      description: 'Answers more than it may.',
      effect: 'read',
      input: NoInput,
      output: z.strictObject({ text: z.string() }),
      run: () => ({ text: 'x'.repeat(200_000) }),
    }),
    defineTool({
      name: 'slow',
      title: 'Slow',
      description: 'Takes its time, and reports how far it is.',
      effect: 'read',
      input: z.strictObject({ ms: z.int() }),
      output: z.strictObject({ waited: z.int(), cancelled: z.boolean() }),
      async run({ ms }, call) {
        call.progress(1, 2)
        await sleep(ms, undefined, { signal: call.signal })
        call.progress(2, 2)
        return { waited: ms, cancelled: false }
      },
    }),
  ],
  resources: [],
  prompts: [],
}

const ERAS = ['legacy', 'modern'] as const
const variants = DIALECTS.flatMap((dialect) =>
  ERAS.flatMap((era) => [true, false].map((direct) => ({ dialect, era, direct }))),
)
type Variant = (typeof variants)[number]

const openWire = (
  { dialect, era, direct }: Variant,
  limits = {},
): TestService & {
  readonly wire: Wire
  readonly call: (id: number, name: string, args?: object, meta?: object) => string
} => {
  const made = makeService({ toolset, dialect, limits })
  const wire = new Wire(made, { direct })
  const call = (id: number, name: string, args: object = {}, meta: object = {}) =>
    request(id, 'tools/call', {
      name,
      arguments: args,
      _meta: { ...(era === 'modern' && envelope()), ...meta },
    })
  return { ...made, wire, call }
}

/** What a failure must look like, written here a second time on purpose. */
const failure = (dialect: Dialect, name: (typeof faultNames)[number]): Expected => {
  const kind = name === 'node_unknown' ? 'missing' : name
  if (dialect === 'standard') {
    return {
      result: {
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining(`${name} it is`) }],
        _meta: { 'warrant/fault': { kind, code: `room.${name}`, message: `${name} it is` } },
      },
    }
  }
  const data =
    dialect === 'scg'
      ? { code_string: expect.stringMatching(/^[A-Z_]+$/) }
      : { reason: name, details: `${name} it is` }
  return { error: { code: CODES[dialect][name], data } }
}

/** An internal error has a code of its own and says what to do. */
const FIX = expect.stringMatching(/log/)
const crash = (dialect: Dialect): Expected => ({
  error: {
    code: dialect === 'scg' ? 1000 : -32603,
    message: 'Internal error',
    data: {
      standard: { 'warrant/fault': { kind: 'unavailable', code: 'server.internal', fix: FIX } },
      sentinel: { reason: 'internal', details: 'Internal error', fix: FIX },
      scg: { code_string: 'INTERNAL_ERROR', fix: FIX },
    }[dialect],
  },
})

describe.each(variants)('A tool in the $dialect dialect, $era era, direct: $direct', (variant) => {
  const { dialect } = variant

  test('that fails with a fault answers with its code, at once or later', async () => {
    const { wire, call } = openWire(variant)
    const names = faultNames.flatMap((name) => [`sync_${name}`, `late_${name}`])
    const messages = sorted(await wire.ask(...names.map((name, at) => call(at + 1, name))))
    const expected = names.map((name, at) => ({
      id: at + 1,
      ...failure(dialect, name.slice(5) as (typeof faultNames)[number]),
    }))
    expect(messages).toMatchObject(sorted(expected))
    expect(wire.lines.join('\n')).not.toContain(SECRET)
  })

  test.each(thrownThings.map(([name]) => name))(
    'that throws a bug (%s) answers an internal error and keeps the details in the log',
    async (name) => {
      const { wire, call, logged } = openWire(variant)
      const messages = await wire.ask(call(1, `crash_sync_${name}`), call(2, `crash_late_${name}`))
      expect(sorted(messages)).toMatchObject([
        { id: 1, ...crash(dialect) },
        { id: 2, ...crash(dialect) },
      ])
      expect(wire.lines.join('\n')).not.toContain(SECRET)
      expect(logged.filter(({ level }) => level === 'error')).toHaveLength(2)
    },
  )

  test('that breaks its own output schema answers an internal error', async () => {
    const { wire, call, logged } = openWire(variant)
    expect(await wire.ask(call(1, 'bad_output'))).toMatchObject([{ id: 1, ...crash(dialect) }])
    expect(wire.lines.join('\n')).not.toContain(SECRET)
    expect(logged.some(({ level }) => level === 'error')).toBe(true)
  })

  test('that answers too much says so, and does not send it', async () => {
    const { wire, call } = openWire(variant)
    const [message] = await wire.ask(call(1, 'huge'))
    expect(JSON.stringify(message)).toMatch(/limit is 100000/)
    expect(wire.lines.join('').length).toBeLessThan(2_000)
  })

  test('that runs too long is ended by the deadline', async () => {
    const { wire, call, logged } = openWire(variant, { callMs: 30 })
    const [message] = await wire.ask(call(1, 'slow', { ms: 60_000 }))
    expect(logged.filter(({ level }) => level === 'error')).toEqual([])
    expect(message).toMatchObject(
      {
        standard: { result: { _meta: { 'warrant/fault': { kind: 'exhausted', code: 'call.deadline' } } } },
        sentinel: { error: { code: -32000, data: { reason: 'timeout' } } },
        scg: { error: { code: 5000 } },
      }[dialect],
    )
  })

  test('that is cancelled is not answered, and its id is free again', async () => {
    const { wire, call, records, logged } = openWire(variant)
    wire.send(call(1, 'slow', { ms: 60_000 }))
    await wire.ask(notification('notifications/cancelled', { requestId: 1, reason: 'enough' }))
    const messages = await wire.ask(call(1, 'slow', { ms: 1 }))
    expect(messages).toMatchObject([{ id: 1, result: { structuredContent: { waited: 1 } } }])
    expect(records.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['cancelled', 'answer']))
    expect(logged.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('that is still running keeps its id to itself', async () => {
    const { wire, call } = openWire(variant)
    const messages = await wire.ask(
      call(1, 'slow', { ms: 20 }),
      call(1, 'slow', { ms: 20 }),
      call(2, 'slow', { ms: 1 }),
    )
    const [refusal] = messages.filter(({ error }) => error !== undefined)
    expect(refusal).toMatchObject({ id: 1, error: { code: -32600 } })
    expect(
      messages
        .filter(({ result }) => result !== undefined)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([1, 2])
  })

  test('reports its progress to who asked for it, before the answer', async () => {
    const { wire, call } = openWire(variant)
    const messages = await wire.ask(
      call(1, 'slow', { ms: 1 }, { progressToken: 'p' }),
      call(2, 'slow', { ms: 1 }),
    )
    const progress = messages.filter(({ method }) => method === 'notifications/progress')
    expect(progress).toMatchObject([
      { params: { progressToken: 'p', progress: 1, total: 2 } },
      { params: { progressToken: 'p', progress: 2, total: 2 } },
    ])
    const last = messages.findLastIndex(({ method }) => method !== undefined)
    expect(messages.findIndex(({ id }) => id === 1)).toBeGreaterThan(last)
  })
})

describe.each(variants.filter(({ direct }) => direct))(
  'A failure in the $dialect dialect, $era era',
  (variant) => {
    test('has the same bytes whichever way it is answered', async () => {
      const names = toolset.tools.map(({ name }) => name).filter((name) => !/null|undefined/.test(name))
      const linesOf = async (direct: boolean) => {
        const { wire, call } = openWire({ ...variant, direct })
        await wire.ask(...names.map((name, at) => call(at + 1, name)))
        return wire.lines.toSorted()
      }
      expect(await linesOf(true)).toEqual(await linesOf(false))
    })
  },
)

describe('When the tools cannot be loaded', () => {
  test('every line is answered all the same, and the reason stays in the log', async () => {
    const { service, logged } = makeService({ toolset })
    const lines: string[] = []
    const host = { handshake: service.handshake, service: () => Promise.reject(new Error(SECRET)) }
    const connection = new Connection(host, (line) => lines.push(line))
    for (const line of [request(1, 'tools/list'), '{', '42', request(2, 'ping')]) connection.receive(line)
    await connection.settled()
    expect(sorted(lines.map(readMessage))).toMatchObject([
      refused(null, -32700),
      refused(null, -32600),
      refused(1, -32603, { 'warrant/fault': { code: 'server.internal', fix: FIX } }),
      { id: 2 },
    ])
    expect(lines.join('\n')).not.toContain(SECRET)
    expect(JSON.stringify(logged)).toContain(SECRET)
  })
})
