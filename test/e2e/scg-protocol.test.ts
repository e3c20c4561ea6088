import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweep } from '../support/binary.ts'
import { MODERN, modern } from '../support/messages.ts'
import { expectError, SCG_BINARY, ScgServer, stateOf, stopServers } from './scg-client.ts'

afterAll(async () => {
  stopServers()
  await sweep()
})

const start = (): ScgServer => new ScgServer()

const NODE = { belief: 0.5, energy: 1 }
const nodeCount = async (server: ScgServer): Promise<number> =>
  (await server.must('governance.status')).node_count

describe('opening', () => {
  test('answers exactly as scg-mcp-server does', async () => {
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
