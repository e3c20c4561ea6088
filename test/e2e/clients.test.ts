import { execFile } from 'node:child_process'
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describePeers, importPeer, peerFile, peerNode } from '../peers/peers.ts'
import {
  AUTHORIZED,
  BINARY,
  cleanEnvironment,
  type HttpProgram,
  makeFolder,
  startHttp,
  sweep,
} from '../support/binary.ts'

/** The methods that all client libraries share. */
interface AnyClient {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<object>
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>
  readResource(params: { uri: string }): Promise<object>
  listPrompts(): Promise<{ readonly prompts: readonly { readonly name: string }[] }>
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<object>
  close(): Promise<void>
}

const SELF = { name: 'warrant-tests', version: '1' }
const LEGACY = '2025-11-25'
const MODERN = '2026-07-28'
const TRANSPORTS = ['stdio', 'http'] as const
type TransportKind = (typeof TRANSPORTS)[number]

let folder: string
let server: HttpProgram

beforeAll(async () => {
  folder = await makeFolder()
  server = await startHttp([], { cwd: folder })
})

afterAll(sweep)

const command = () => ({ command: process.execPath, args: [BINARY, 'mcp'], cwd: folder })
const endpoint = () => new URL(`${server.url}/mcp`)
const WITH_TOKEN = { requestInit: { headers: AUTHORIZED } }

/** What a person at the other end expects of Warrant, in the words of any client. */
const meetsExpectations = (connect: () => Promise<AnyClient>): void => {
  let client: AnyClient

  beforeAll(async () => {
    client = await connect()
  })

  afterAll(() => client?.close())

  test('lists the tools', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('warrant_status')
  })

  test('calls a tool and gets the answer as data and as text', async () => {
    const result = await client.callTool({ name: 'warrant_status' })
    expect(result).not.toHaveProperty('isError', true)
    expect(result).toMatchObject({
      structuredContent: { version: expect.any(String), protocol: expect.arrayContaining([LEGACY, MODERN]) },
      content: [{ type: 'text', text: expect.stringContaining('"version"') }],
    })
  })

  test('lists the resources and reads one', async () => {
    const uri = 'warrant://about'
    const { resources } = await client.listResources()
    expect(resources.map((resource) => resource.uri)).toContain(uri)
    expect(await client.readResource({ uri })).toMatchObject({
      contents: [{ uri, mimeType: 'text/markdown', text: expect.stringContaining('Warrant') }],
    })
  })

  test('lists the prompts and gets one with its argument filled in', async () => {
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toContain('preflight')
    const task = 'rename the parser'
    expect(await client.getPrompt({ name: 'preflight', arguments: { task } })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text', text: expect.stringContaining(task) } }],
    })
  })

  test('is refused a tool that does not exist', async () => {
    await expect(client.callTool({ name: 'warrant_nothing' })).rejects.toMatchObject({ code: -32602 })
  })

  test('is refused a resource that does not exist', async () => {
    await expect(client.readResource({ uri: 'warrant://nothing' })).rejects.toMatchObject({ code: -32602 })
  })

  test('reads in the result what is wrong with its arguments', async () => {
    const result = await client.callTool({ name: 'warrant_status', arguments: { surprise: true } })
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('surprise') }],
      _meta: { 'warrant/fault': { code: 'call.arguments', kind: 'invalid' } },
    })
  })
}

const openTransport = (kind: TransportKind): Transport =>
  kind === 'stdio'
    ? new StdioClientTransport(command())
    : new StreamableHTTPClientTransport(endpoint(), WITH_TOKEN)

const connectClient = async (kind: TransportKind, mode: VersionNegotiationMode): Promise<Client> => {
  const client = new Client(SELF, { versionNegotiation: { mode } })
  await client.connect(openTransport(kind))
  return client
}

const MODES: readonly [string, VersionNegotiationMode, string][] = [
  ['asking for the newest', 'auto', MODERN],
  ['of the old era', 'legacy', LEGACY],
  ['of the new era alone', { pin: MODERN }, MODERN],
]

describe.each(TRANSPORTS)('the SDK client of version 2 over %s', (kind) => {
  describe.each(MODES)('%s', (_, mode, version) => {
    meetsExpectations(async () => {
      const client = await connectClient(kind, mode)
      expect(client.getNegotiatedProtocolVersion()).toBe(version)
      expect(client.getServerVersion()).toMatchObject({ name: 'warrant', title: 'Warrant' })
      return client
    })
  })

  test('is granted the subscription it asks for and may end it', async () => {
    const client = await connectClient(kind, { pin: MODERN })
    const filter = { toolsListChanged: true, resourceSubscriptions: ['warrant://about'] }
    const subscription = await client.listen(filter)
    expect(subscription.honoredFilter).toEqual(filter)
    await subscription.close()
    expect(await subscription.closed).toBe('local')
    expect(await client.callTool({ name: 'warrant_status' })).toHaveProperty('structuredContent')
    await client.close()
  })
})

/** A server of its own, and the signal that stops it. */
const openStopping = async (kind: TransportKind): Promise<[Transport, () => void]> => {
  if (kind === 'stdio') {
    const transport = new StdioClientTransport(command())
    return [transport, () => process.kill(transport.pid ?? Number.NaN, 'SIGTERM')]
  }
  const { url, child } = await startHttp([], { cwd: folder })
  return [new StreamableHTTPClientTransport(new URL(`${url}/mcp`), WITH_TOKEN), () => child.kill('SIGTERM')]
}

test.each(TRANSPORTS)('a server that stops says a last word to its subscribers over %s', async (kind) => {
  const [transport, stop] = await openStopping(kind)
  const client = new Client(SELF, { versionNegotiation: { mode: { pin: MODERN } } })
  await client.connect(transport)
  const subscription = await client.listen({ promptsListChanged: true })
  stop()
  expect(await subscription.closed).toBe('graceful')
  await client.close()
})

interface FirstSdk {
  readonly Client: new (self: typeof SELF) => AnyClient & { connect(transport: object): Promise<void> }
}

type MakeTransport = new (...options: readonly object[]) => object

const firstSdk = <T>(file: string): Promise<T> =>
  importPeer<T>('@modelcontextprotocol', 'sdk', 'dist', 'esm', 'client', file)

const openFirst = async (kind: TransportKind): Promise<object> => {
  if (kind === 'stdio') {
    const module = await firstSdk<{ StdioClientTransport: MakeTransport }>('stdio.js')
    return new module.StdioClientTransport(command())
  }
  const module = await firstSdk<{ StreamableHTTPClientTransport: MakeTransport }>('streamableHttp.js')
  return new module.StreamableHTTPClientTransport(endpoint(), WITH_TOKEN)
}

await describePeers('the SDK client of version 1', () => {
  describe.each(TRANSPORTS)('over %s', (kind) => {
    meetsExpectations(async () => {
      const module = await firstSdk<FirstSdk>('index.js')
      const client = new module.Client(SELF)
      await client.connect(await openFirst(kind))
      return client
    })
  })
})

const inspect = (...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> => {
  const inspector = peerFile('@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js')
  const { command: node, args: program } = command()
  const words = [inspector, '--cli', node, ...program, '--format', 'json', ...args]
  // It keeps a catalog of servers in the home folder.
  const options = { cwd: folder, env: cleanEnvironment({ HOME: folder }) }
  return new Promise((resolve) => {
    execFile(peerNode(), words, options, (failure, stdout, stderr) =>
      resolve({ code: failure === null ? 0 : Number(failure.code), said: stdout || stderr }),
    )
  })
}

await describePeers('the Inspector', () => {
  describe.each(['legacy', 'modern'])('of the %s era', (era) => {
    const eraFlag = ['--protocol-era', era]

    test('lists the tools and finds their schemas portable', async () => {
      const { code, said } = await inspect(...eraFlag, '--method', 'tools/list', '--strict')
      expect(code, said).toBe(0)
      const { result } = JSON.parse(said)
      expect(result.tools.map(({ name }: { name: string }) => name)).toContain('warrant_status')
    })

    test('calls a tool', async () => {
      const call = ['--method', 'tools/call', '--tool-name', 'warrant_status']
      const { code, said } = await inspect(...eraFlag, ...call)
      expect(code, said).toBe(0)
      expect(JSON.parse(said)).toMatchObject({ result: { structuredContent: { readOnly: false } } })
    })
  })
})
