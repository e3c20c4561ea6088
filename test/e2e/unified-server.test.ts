import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUTHORIZED, BINARY, eventually, startHttp, sweep } from '../support/binary.ts'
import { BACKEND, gate, gateEnvironment } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

/** What a client of `warrant mcp` and `warrant serve` sees of names, help, freshness and the state of the gate. */

const EVIL = 'export const run = (text: string) => eval(text)\n'
const WRITERS = [
  'project_report',
  'project_write_report',
  'belief_create',
  'belief_mutate',
  'belief_bind',
  'belief_propagate',
  'lineage_export',
]
const SELF = { name: 'warrant-tests', version: '1' }

interface Answer {
  readonly content: readonly { readonly text: string }[]
  readonly isError?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  readonly _meta?: any
}

afterAll(sweep)

const newRepo = () => Repo.init().commit({ 'package.json': BACKEND, 'notes.md': '# Notes\n' })

class Session {
  readonly client: Client
  changes = 0

  constructor(mode: VersionNegotiationMode) {
    this.client = new Client(SELF, { versionNegotiation: { mode } })
    this.client.setNotificationHandler('notifications/tools/list_changed', () => {
      this.changes += 1
    })
  }

  static async stdio(
    repo: Repo,
    mode: VersionNegotiationMode,
    flags: readonly string[] = [],
    environment = gateEnvironment(),
  ): Promise<Session> {
    const session = new Session(mode)
    // The usual list has no tool that writes but gate_run.
    const listing = flags.includes('--toolsets') ? [] : ['--toolsets', 'all']
    const args = [BINARY, 'mcp', ...listing, ...flags]
    const env = environment as Record<string, string>
    await session.client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: repo.folder, env, stderr: 'ignore' }),
    )
    return session
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
    return (await this.client.callTool({ name, arguments: args })) as unknown as Answer
  }

  async names(): Promise<readonly string[]> {
    const { tools } = await this.client.listTools()
    return tools.map(({ name }) => name)
  }

  close = () => this.client.close()
}

describe.each<[string, VersionNegotiationMode]>([
  ['2025-11-25', 'legacy'],
  ['2026-07-28', 'auto'],
])('Over stdio, %s: the tools', (_, mode) => {
  const repo = newRepo()
  let session: Session
  beforeAll(async () => {
    session = await Session.stdio(repo, mode)
    if (mode === 'auto') await session.client.listen({ toolsListChanged: true })
  })
  afterAll(() => session.close())

  let open: readonly string[] = []

  it('are all offered where no gate ever ran, and the help says what to call', async () => {
    open = await session.names()
    expect(open).toEqual(expect.arrayContaining(WRITERS))
    const { content } = await session.call('warrant_help')
    expect(content[0]?.text).toMatch(/^State: open, without evidence[\s\S]*\| gate_check \|/)
    const { messages } = await session.client.getPrompt({ name: 'warrant_help' })
    expect(messages[0]?.content).toEqual({ type: 'text', text: content[0]?.text })
  })

  it('take an id as another belief tool answered it, and as digits', async () => {
    const session = await Session.stdio(newRepo(), mode, ['--store', 'memory', '--toolsets', 'all'])
    const ids: unknown[] = []
    for (const belief of [0.2, 0.9]) {
      const { content } = await session.call('belief_create', { belief, energy: 10 })
      ids.push(JSON.parse(content[0]?.text ?? '').node_id)
    }
    const [src, dst] = ids
    const { content } = await session.call('belief_bind', { src, dst, weight: 0.5 })
    const { edge_id } = JSON.parse(content[0]?.text ?? '')
    const { tools } = await session.client.listTools()
    const asked = tools.filter(({ inputSchema: { properties = {} } }) =>
      ['node_id', 'edge_id'].some((name) => name in properties),
    )
    expect(asked.map(({ name }) => name).sort()).toEqual(
      expect.arrayContaining(['belief_audit', 'belief_explain', 'belief_mutate', 'belief_query']),
    )
    for (const { name } of [...asked, { name: 'belief_propagate' }])
      for (const id of [dst, String(dst)]) {
        const rest = name === 'belief_propagate' ? { edge_id } : { node_id: id }
        const answer = await session.call(name, { ...rest, ...(name === 'belief_mutate' && { delta: 0.01 }) })
        expect([name, id, answer.isError]).toEqual([name, id, undefined])
      }
    for (const id of [-1, 0.5, 1e300, true])
      expect((await session.call('belief_query', { node_id: id })).isError).toBe(true)
    await session.close()
  })

  it('are found under their former names, which are not listed', async () => {
    expect(open).not.toContain('node_create')
    for (const name of ['node_create', 'node.create', 'belief_create'])
      expect(await session.call(name, { belief: 0.5, energy: 1 })).not.toHaveProperty('isError')
    expect((await session.call('readJavaFile', { path: 'notes.md' })).content[0]?.text).toBe('# Notes\n')
    const { content } = await session.call('warrant_help', { tool: 'readJavaFile' })
    expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({ inputSchema: { required: ['path'] } })
  })

  it('carry freshness in every answer', async () => {
    const tree = repo.git('rev-parse', 'HEAD^{tree}').trim()
    const { _meta: meta } = await session.call('project_read', { path: 'notes.md' })
    expect(meta['warrant/freshness']).toEqual({ tree })
    const { _meta: faulty } = await session.call('project_read', { path: 'nothing.md' })
    expect(faulty).toMatchObject({
      'warrant/fault': { code: 'jail.not_found' },
      'warrant/freshness': { tree },
    })
  })

  it('name the known arguments when they refuse one', async () => {
    const { content } = await session.call('packet_query', { ref: 'x', q: 'y', surprise: 1 })
    expect(content[0]?.text).toContain('packet_query: unknown argument "surprise"; known: ref, q, k')
    const nested = await session.call('packet_plan', { intent: 'x', constraints: { surprise: 1 } })
    expect(nested.content[0]?.text).toContain(
      'constraints: unknown argument "surprise"; known: name, version',
    )
    // Former names of an argument are not listed.
    const former = await session.call('project_connections', { surprise: 1 })
    expect(former.content[0]?.text).toMatch(/unknown argument "surprise"; known: path$/m)
  })

  it('are only those that read, and gate_run, once a run blocks; the client is told', async () => {
    repo.stage({ 'src/bad.ts': EVIL })
    const run = await session.call('gate_run', { stage: 'PRE_COMMIT' })
    expect(run._meta['warrant/freshness']).toMatchObject({
      evidenceAgeSeconds: expect.any(Number),
      lineageSize: 2,
    })
    await eventually('a notification', () => session.changes === 1)
    expect(await session.names()).toEqual(open.filter((name) => !WRITERS.includes(name)))
    for (const name of [...WRITERS, 'write_architecture_report']) {
      const refused = await session.call(name, REQUIRED[name])
      expect([name, refused.isError, refused._meta['warrant/fault']]).toMatchObject([
        name,
        true,
        { code: 'call.gate_blocked', kind: 'refused', fix: expect.stringContaining('gate_run') },
      ])
    }
    const { content } = await session.call('warrant_help')
    expect(content[0]?.text).toMatch(/^State: closed\. .*BLOCKED \(PRE_COMMIT, 1 violation\).*gate_explain/)
    expect(content[0]?.text).not.toContain('belief_create')
  })

  it('stay closed on a new branch and after a commit that avoids the gate', async () => {
    repo.git('switch', '-q', '-c', 'feature/other')
    expect((await session.call('belief_create', { belief: 0.5, energy: 1 })).isError).toBe(true)
    repo.git('switch', '-q', 'feature/x')
    repo.commit({ 'notes.md': '# More\n' })
    expect((await session.call('belief_create', { belief: 0.5, energy: 1 })).isError).toBe(true)
    repo.git('reset', '-q', '--soft', 'HEAD~1')
  })

  it('are offered again, in the same order, when a run on the terminal allows', async () => {
    rmSync(repo.path('src/bad.ts'))
    repo.stage({ 'src/bad.ts': 'export const run = 1\n' })
    expect(gate(repo, ['--stage', 'PRE_COMMIT']).status).toBe(0)
    await eventually('a second notification', () => session.changes === 2)
    expect(await session.names()).toEqual(open)
    expect(await session.call('belief_create', { belief: 0.5, energy: 1 })).not.toHaveProperty('isError')
  })
})

/** Arguments that the tools that write accept. */
const REQUIRED: Readonly<Record<string, Record<string, unknown>>> = {
  belief_create: { belief: 0.5, energy: 1 },
  belief_mutate: { node_id: '0', delta: 0.1 },
  belief_bind: { src: '0', dst: '1', weight: 1 },
  belief_propagate: { edge_id: '0' },
  lineage_export: { path: 'lineage.json' },
  write_architecture_report: { content: '# Report' },
  project_write_report: { content: '# Report' },
}

describe('A repository whose last run blocked', () => {
  const repo = newRepo().stage({ 'src/bad.ts': EVIL })
  beforeAll(() => {
    gate(repo, ['--stage', 'PRE_COMMIT'])
  })

  it('is closed over HTTP from the first list on, also for open subscriptions', async () => {
    const server = await startHttp(['--root', repo.folder], { cwd: repo.folder })
    const session = new Session('auto')
    const requestInit = { headers: AUTHORIZED }
    await session.client.connect(
      new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }),
    )
    await session.client.listen({ toolsListChanged: true })
    const names = await session.names()
    expect(names).toContain('gate_run')
    expect(names.filter((name) => WRITERS.includes(name))).toEqual([])
    expect((await session.call('belief_create', { belief: 0.5, energy: 1 })).isError).toBe(true)
    repo.git('switch', '-q', '--detach')
    expect((await session.call('belief_create', { belief: 0.5, energy: 1 })).isError).toBe(true)
    repo.git('switch', '-q', 'feature/x')
    await session.close()
    server.child.kill('SIGTERM')
  })

  it('offers nothing that writes, gate_run included, to a client whose token may only read', async () => {
    const [token, reading] = ['token-that-may-write', 'token-that-may-read']
    const env = {
      WARRANT_TOKEN: token,
      WARRANT_READ_TOKEN: reading,
      WARRANT_TOOL_ACCESS: 'all',
      WARRANT_TOOLSETS: 'all',
    }
    const server = await startHttp(['--root', repo.folder], { cwd: repo.folder, env })
    const connect = async (bearer: string) => {
      const session = new Session('auto')
      const requestInit = { headers: { authorization: `Bearer ${bearer}` } }
      const url = new URL(`${server.url}/mcp`)
      await session.client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
      return session
    }
    const [writer, reader] = await Promise.all([connect(token), connect(reading)])
    const all = await writer.names()
    expect(all).toEqual(expect.arrayContaining([...WRITERS, 'gate_run']))
    expect(await reader.names()).toEqual(all.filter((name) => ![...WRITERS, 'gate_run'].includes(name)))
    await expect(reader.call('gate_run')).rejects.toThrow('Unknown tool')
    expect(await reader.call('warrant_status')).not.toHaveProperty('isError')
    await expect(connect('token-of-nobody-here')).rejects.toThrow()
    await Promise.all([writer.close(), reader.close()])
    server.child.kill('SIGTERM')
  })

  it('is open on another branch at another commit, of which the verdict does not speak', async () => {
    repo.git('stash', '-q')
    repo.git('switch', '-q', '--orphan', 'feature/unrelated')
    repo.commit({ 'other.md': 'x\n' })
    const session = await Session.stdio(repo, 'legacy')
    expect(await session.names()).toEqual(expect.arrayContaining(WRITERS))
    await session.close()
    repo.git('switch', '-q', 'feature/x')
    repo.git('stash', 'pop', '-q', '--index')
  })

  it('offers every tool when the operator says so, and not when its own settings file does', async () => {
    const flagged = await Session.stdio(repo, 'legacy', ['--tool-access', 'all'])
    expect(await flagged.names()).toEqual(expect.arrayContaining(WRITERS))
    expect(await flagged.call('belief_create', { belief: 0.5, energy: 1 })).not.toHaveProperty('isError')
    await flagged.close()
    repo.write({ 'warrant.json': '{"toolAccess":"all"}' })
    const found = await Session.stdio(repo, 'legacy')
    expect((await found.names()).filter((name) => WRITERS.includes(name))).toEqual([])
    await found.close()
    rmSync(repo.path('warrant.json'))
  })

  it('lists every tool with --toolsets all, and output schemas on request', async () => {
    const session = await Session.stdio(repo, 'legacy', ['--toolsets', 'all', '--output-schemas'])
    const { tools } = await session.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['evidence_summary', 'belief_audit']),
    )
    expect(tools.find(({ name }) => name === 'gate_run')?.outputSchema).toBeDefined()
    await session.close()
  })

  it('is as it was for clients of the older servers', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BINARY.replace('warrant.js', 'sentinel-mcp.js'), repo.folder],
      cwd: repo.folder,
      stderr: 'ignore',
    })
    const client = new Client(SELF)
    await client.connect(transport)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('write_architecture_report')
    const written = await client.callTool({
      name: 'write_architecture_report',
      arguments: { content: '# R' },
    })
    expect(written).not.toHaveProperty('_meta')
    expect(written).not.toHaveProperty('isError')
    await client.close()
  })
})

describe('A repository that lists keys', () => {
  const repo = newRepo()
  const env = gateEnvironment({ XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'warrant-state-')) })

  it('is closed by evidence that was changed, and opened by a run that a listed key signs', async () => {
    const warrant = (...args: readonly string[]) =>
      execFileSync(process.execPath, [BINARY, ...args], { cwd: repo.folder, env, stdio: 'ignore' })
    warrant('receipts', 'keys', 'add', '--yes', '--owner', 'me')
    repo.commit({ 'a.md': 'x\n', '.warrant/keys.yml': readFileSync(repo.path('.warrant/keys.yml'), 'utf8') })
    repo.stage({ 'b.md': 'y\n' })
    warrant('gate', '--stage', 'PRE_COMMIT')
    const session = await Session.stdio(repo, 'legacy', [], env)
    const create = () => session.call('belief_create', { belief: 0.5, energy: 1 })
    expect(await create()).not.toHaveProperty('isError')
    const evidence = readFileSync(repo.path('.ai_evidence.json'), 'utf8')
    repo.write({ '.ai_evidence.json': evidence.replace('PRE_COMMIT', 'PRE_WRITE') })
    await eventually('the announcement', () => session.changes === 1)
    expect((await create())._meta['warrant/fault']).toMatchObject({ code: 'call.gate_blocked' })
    await session.call('gate_run', { stage: 'PRE_COMMIT' })
    expect(await create()).not.toHaveProperty('isError')
    await session.close()
  })
})
