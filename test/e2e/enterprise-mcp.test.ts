import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BINARY, cleanEnvironment, type HttpProgram, startHttp, sweep } from '../support/binary.ts'
import { writeProof } from '../support/proof.ts'
import { Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

const PROGRAM = join(dirname(BINARY), 'pumuki-mcp-enterprise.js')
const TOOLS = [
  'ai_gate_check',
  'check_sdd_status',
  'validate_and_fix',
  'sync_branches',
  'cleanup_stale_branches',
]
const URIS = [
  'evidence://status',
  'gitflow://state',
  'context://active',
  'sdd://status',
  'sdd://active-change',
]

afterAll(sweep)

describe.each(['legacy', 'auto'] as const)(
  'the enterprise server over stdio, to a client that is %s',
  (mode) => {
    const repo = Repo.init().commit({ a: '1' })
    let client: Client

    beforeAll(async () => {
      writeProof(repo)
      client = new Client({ name: 'warrant-tests', version: '1' }, { versionNegotiation: { mode } })
      const environment = Object.entries(cleanEnvironment()).map(([name, value]) => [name, value ?? ''])
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [PROGRAM, '--stdio'],
          cwd: repo.folder,
          env: Object.fromEntries(environment),
        }),
      )
    })

    afterAll(() => client?.close())

    const call = async (name: string, args: Record<string, unknown> = {}) =>
      (await client.callTool({ name, arguments: args })) as Record<string, ReturnType<typeof JSON.parse>>

    it('lists its five tools, which all only read, and its five resources', async () => {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(TOOLS)
      for (const { annotations } of tools) expect(annotations?.readOnlyHint).toBe(true)
      const { resources } = await client.listResources()
      expect(resources.map(({ uri }) => uri)).toEqual(expect.arrayContaining(URIS))
    })

    it('answers that something is blocked; that is no error', async () => {
      const result = await call('sync_branches', { stage: 'PRE_PUSH', dryRun: false })
      expect(result.isError ?? false).toBe(false)
      expect(result.structuredContent).toMatchObject({
        tool: 'sync_branches',
        dryRun: true,
        executed: false,
        success: false,
        result: { guard: { stage: 'PRE_PUSH', decision: { code: 'OPENSPEC_MISSING' } } },
      })
      expect((await call('check_sdd_status')).structuredContent).toMatchObject({
        result: { stage: 'PRE_COMMIT', decision: { code: 'OPENSPEC_MISSING' } },
      })
      const gate = await call('ai_gate_check', { stage: 'PRE_WRITE' })
      expect(gate.structuredContent).toMatchObject({ status: 'ALLOWED', violations: [] })
      expect(existsSync(repo.path('.warrant'))).toBe(false)
    })

    it('rejects an unknown stage with a message that a model can read', async () => {
      expect(await call('check_sdd_status', { stage: 'SOON' })).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining('stage') }],
      })
    })

    it('reads every resource, and refuses one that is not there', async () => {
      for (const uri of URIS) {
        const { contents } = await client.readResource({ uri })
        expect(contents).toMatchObject([{ uri, mimeType: 'application/json', text: expect.any(String) }])
      }
      await expect(client.readResource({ uri: 'sdd://nothing' })).rejects.toMatchObject({ code: -32602 })
      await expect(client.callTool({ name: 'unknown_tool' })).rejects.toMatchObject({ code: -32602 })
    })
  },
)

const JSON_CALL = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"name":"ai_gate_check"}',
}

describe('the union over HTTP', () => {
  let server: HttpProgram
  const repo = Repo.init().commit({ a: '1' })

  beforeAll(async () => {
    writeProof(repo)
    server = await startHttp([], { cwd: repo.folder })
  })

  const get = async (path: string): Promise<ReturnType<typeof JSON.parse>> =>
    (await server.fetch(path)).json()

  it('lets an agent that knows either server decide whether to act', async () => {
    expect(await get('/health')).toEqual({ status: 'ok' })
    const status = await get('/status')
    expect(status).toMatchObject({
      status: 'ok',
      repoRoot: repo.folder,
      capabilities: { mode: 'baseline', tools: TOOLS, resources: URIS },
      context_api: {
        filters: { findings: expect.arrayContaining(['severity', 'ruleId', 'platform']) },
        pagination_bounds: { ledger: { max_limit: 100 } },
      },
      evidence: { exists: true, present: true, valid: true, version: '2.1', status: 'ok' },
    })
    expect((await get('/ai-evidence/summary')).snapshot.stage).toBe('PRE_COMMIT')
    expect((await get('/resource?uri=gitflow://state')).payload).toMatchObject({ branch: 'feature/x' })
    const answer = await server.fetch('/tool', JSON_CALL)
    expect(await answer.json()).toMatchObject({ tool: 'ai_gate_check', success: true })
  })

  it('writes down what it decided, whichever way it was asked', async () => {
    const count = (): number =>
      runJson(repo.folder, ['log', 'verify', '--graph', 'gate-decisions']).value.chain?.size ?? 0
    const before = count()
    const params = { name: 'ai_gate_check', arguments: { stage: 'CI' } }
    await server
      .fetch('/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      })
      .then((answer) => answer.text())
    await server.fetch('/tool', JSON_CALL)
    expect(count()).toBe(before + 2)
    const metrics = await (await server.fetch('/metrics')).text()
    expect(metrics).toContain('tool="ai_gate_check"')
  })

  it('says that it is degraded when there is nothing to go by', async () => {
    const empty = await startHttp([], { cwd: new Repo().folder })
    const status = await (await empty.fetch('/status')).json()
    expect(status).toMatchObject({ status: 'degraded', lifecycle: null, evidence: { valid: false } })
  })

  it('asks for the token where one is set, and for none to say that it lives', async () => {
    const closed = await startHttp([], { cwd: repo.folder, env: { WARRANT_TOKEN: 'sixteen letters!!' } })
    const statuses = await Promise.all(
      ['/health', '/status', '/tools', '/resource?uri=sdd://status'].map(
        async (path) => (await fetch(closed.url + path)).status,
      ),
    )
    expect(statuses).toEqual([200, 401, 401, 401])
  })
})
