import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/table.ts'
import { HOOK_CLIENTS } from '../../src/hooks/clients.ts'
import { makeFolder, Program, startHttp, sweep } from '../support/binary.ts'
import { EveryToolFixture } from '../support/every-tool.ts'
import { FaultRegistry } from '../support/fault-registry.ts'
import { BACKEND, gate } from '../support/gate.ts'
import { type Message, request } from '../support/messages.ts'
import { CHANGE } from '../support/openspec.ts'
import { makePacket } from '../support/packet-maker.ts'
import { buildTexts } from '../support/packet-setup.ts'
import { Repo } from '../support/repository.ts'

// SQLite makes these two beside a database to read it. On Node.js 20 the driver leaves them, empty.
const SQLITE_FILES = /\.db-(?:shm|wal)$/

/** Every file below a folder with its mode and content. */
const listing = (folder: string): Record<string, string> => {
  const found: Record<string, string> = {}
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (SQLITE_FILES.test(name)) continue
    const path = join(folder, name)
    const stats = lstatSync(path)
    const content = stats.isSymbolicLink() ? readlinkSync(path) : stats.isFile() ? readFileSync(path) : ''
    found[name] = `${stats.mode.toString(8)} ${createHash('sha256').update(content).digest('hex')}`
  }
  return found
}

type Kind = 'reads' | 'writes'

/** Each command and verb with arguments that would make it write if it could, and whether that is its purpose. */
const ROWS: Readonly<Record<string, readonly [Kind, ...string[]]>> = {
  init: ['writes', '--yes', '--clients', 'claude'],
  uninstall: ['writes', '--yes', '--purge-artifacts'],
  'sdd status': ['reads'],
  'sdd validate': ['reads'],
  'sdd install': ['writes'],
  'sdd session': ['writes', '--open', '--change', 'add-search'],
  config: ['reads'],
  'config tools': ['reads'],
  'config client': ['reads', 'claude-code'],
  'config completion': ['reads', 'bash'],
  'checks list': ['reads'],
  'checks run': ['reads'],
  accept: ['writes', '123456', '--reason', 'x'],
  'checks allow': ['writes'],
  'checks suggest': ['writes', '--write'],
  gate: ['reads', '--stage', 'PRE_WRITE'],
  'packet build': ['writes', 'src', '--name', 'a', '--version', '1.0.0'],
  'packet publish': ['writes', 'dist', '--registry', '127.0.0.1:1/x'],
  'packet pull': ['writes', 'oci://127.0.0.1:1/x/a:1'],
  'packet lookup': ['reads', 'a', '--registry', '127.0.0.1:1/x', '--version', '1'],
  'packet query': ['reads', 'oci://127.0.0.1:1/x/a:1', 'what'],
  'packet plan': ['reads', 'find a', '--name', 'a', '--registry', '127.0.0.1:1/x'],
  'packet digest': ['reads', 'oci://127.0.0.1:1/x/a:1', 'what'],
  'packet inspect': ['reads', 'src'],
  'packet verify': ['reads'],
  'packet cache': ['writes', 'prune'],
  'packet lock': ['writes', 'oci://127.0.0.1:1/x/a:1'],
  'packet sync': ['writes'],
  'packet outdated': ['reads'],
  'packet revoke': ['writes', `sha256:${'0'.repeat(64)}`, '--reason', 'wrong'],
  'receipts list': ['reads'],
  'receipts show': ['reads'],
  'receipts verify': ['reads'],
  'receipts check': ['reads', 'HEAD~1..HEAD'],
  'receipts export': ['reads'],
  'receipts fetch': ['writes'],
  'receipts push': ['writes'],
  'receipts keys': ['reads', 'show'],
  'receipts keys add': ['writes', '--yes', '--owner', 'a team'],
  'receipts keys revoke': ['writes', '--yes', 'name'],
  'receipts require': ['writes', '--yes'],
  log: ['reads'],
  'log entries': ['reads'],
  'log graph': ['reads', 'ls'],
  'log show': ['reads', '0'],
  'log diff': ['reads', '0', '1'],
  'log verify': ['reads'],
  'log replay': ['reads'],
  'log export': ['writes', 'log.json'],
  'log publish': ['writes', 'site'],
  'log prove': ['reads', '0'],
  'log consistency': ['reads', '--checkpoint', 'package.json'],
  'log checkpoint': ['writes'],
  'log repair': ['writes'],
  'log adopt': ['writes'],
  'log erase': ['writes', '0', '--reason', 'test'],
  ...Object.fromEntries(HOOK_CLIENTS.map((client) => [`hook ${client}`, ['reads'] as const])),
  why: ['reads'],
  replay: ['reads'],
  report: ['writes', '--out', 'report.md'],
}

/** Servers, which the tests below start, and commands that print something of the program itself. */
const SERVERS = ['mcp', 'serve', 'packet serve', 'doctor']

afterAll(sweep)

describe('--read-only', () => {
  const repo = Repo.init().commit({
    'package.json': BACKEND,
    'src/a.ts': 'export const answer = 42\n',
    ...CHANGE,
  })
  let before: Record<string, string>

  const run = (words: readonly string[]) =>
    new Program([...words, '--read-only'], { cwd: repo.folder, env: { CI: '' } }).finish()

  beforeAll(async () => {
    mkdirSync(repo.path('empty'))
    before = listing(repo.folder)
  })

  it('is known for every command and every verb', () => {
    const known = commands().flatMap(({ name, choices, usage }) =>
      choices.length === 0 || usage.startsWith('[') ? [name] : choices.map((verb) => `${name} ${verb}`),
    )
    const rows = [...Object.keys(ROWS), ...SERVERS]
    expect(known.filter((name) => !rows.includes(name))).toEqual([])
  })

  it('writes nothing in any command, and those that exist to write refuse it', async () => {
    const rows = Object.entries(ROWS)
    const endings = new Map<string, Awaited<ReturnType<typeof run>>>()
    const next = async (): Promise<void> => {
      const [row] = rows.splice(0, 1)
      if (row === undefined) return
      const [name, [, ...args]] = row
      endings.set(name, await run([...name.split(' '), ...args]))
      return next()
    }
    await Promise.all([next(), next(), next(), next()])
    expect(listing(repo.folder)).toEqual(before)
    for (const [name, [kind]] of Object.entries(ROWS)) {
      const { code, stderr } = endings.get(name) ?? {}
      if (kind === 'writes')
        expect([name, code, stderr]).toEqual([name, 2, expect.stringContaining('--read-only')])
      else expect([name, stderr]).toEqual([name, expect.not.stringContaining('internal error')])
    }
  }, 60_000)

  it('writes nothing in any tool of a server, also where there are a log and evidence already', async () => {
    const used = Repo.init().commit({ 'package.json': BACKEND, 'src/a.ts': 'export const answer = 42\n' })
    gate(used, ['--stage', 'PRE_COMMIT'])
    for (const { folder } of [repo, used]) {
      const start = listing(folder)
      const talk = new Program(['mcp', '--read-only', '--toolsets', 'all'], { cwd: folder })
      let sent = 0
      const ask = async (method: string, params: object) => {
        sent += 1
        talk.send(JSON.stringify({ jsonrpc: '2.0', id: sent, method, params }))
        return (await talk.answers(sent)).at(-1) as ReturnType<typeof JSON.parse>
      }
      const { tools } = (await ask('tools/list', {})).result
      const values: Readonly<Record<string, unknown>> = {
        path: 'src/a.ts',
        paths: ['src/a.ts'],
        filePath: 'src/a.ts',
        pattern: 'answer',
        name: 'answer',
        symbol: 'answer',
        id: 1,
        node: 1,
        ref: 'oci://127.0.0.1:1/x/a:1',
        q: 'what',
        question: 'what',
        intent: 'find a',
      }
      expect(tools.length).toBeGreaterThan(30)
      for (const { name, inputSchema } of tools) {
        const required: readonly string[] = inputSchema.required ?? []
        const args = Object.fromEntries(required.map((key) => [key, values[key] ?? 1]))
        await ask('tools/call', { name, arguments: args })
      }
      await talk.finish()
      expect(listing(folder)).toEqual(start)
    }
  }, 60_000)

  it('writes nothing for a packet that it has to download, nor for one that is stored', async () => {
    const registry = new FaultRegistry()
    await registry.start()
    registry.play(
      makePacket(Object.fromEntries(await buildTexts({ 'a.md': '# The answer is 42.' }))),
      () => false,
    )
    const cwd = new Repo().folder
    const packet = async (verb: string, ...args: readonly string[]) => {
      const place = [`oci://${registry.address}/demo:latest`, ...args, '--registry', registry.address]
      return new Program(['packet', verb, ...place], { cwd, env: { HOME: cwd } }).finish()
    }
    for (const verb of ['query', 'digest'])
      expect((await packet(verb, 'answer', '--read-only')).stdout).toContain('42')
    expect(listing(cwd)).toEqual({})
    await packet('pull')
    const stored = listing(cwd)
    expect((await packet('query', 'answer', '--read-only')).stdout).toContain('42')
    expect(listing(cwd)).toEqual(stored)
    await registry.stop()
  })

  it('writes nothing behind the routes of a server', async () => {
    const server = await startHttp(['--read-only'], { cwd: repo.folder })
    for (const path of ['/status', '/resource?uri=context://active', '/ai-evidence', '/metrics'])
      await server.fetch(path)
    await server.fetch('/tool', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"ai_gate_check"}',
    })
    server.child.kill('SIGTERM')
    await server.ended()
    expect(listing(repo.folder)).toEqual(before)
  })
})

describe('A token that may only read', () => {
  it('appends, signs and runs nothing, by no tool and by no route', async () => {
    const fixture = new EveryToolFixture()
    await fixture.start()
    const reading = { authorization: 'Bearer the-reading-token-of-the-tests' }
    const state = await makeFolder()
    const server = await startHttp([...fixture.flags, '--toolsets', 'all', '--tool-access', 'all'], {
      cwd: fixture.repo.folder,
      env: { WARRANT_READ_TOKEN: 'the-reading-token-of-the-tests', XDG_STATE_HOME: state },
    })
    const ask = async (method: string, params: object, headers = {}): Promise<Message['result']> => {
      const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const body = request(1, method, params)
      const response = await server.fetch('/mcp', { method: 'POST', headers: { ...types, ...headers }, body })
      const text = await response.text()
      return JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? ''))
    }
    const toolsFor = async (headers = {}) => (await ask('tools/list', {}, headers)).result.tools
    const tools: readonly { name: string; annotations: { readOnlyHint: boolean } }[] = await toolsFor()
    const writers = tools.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name)
    expect(writers.length).toBeGreaterThan(6)
    const offered = tools.map(({ name }) => name).filter((name) => !writers.includes(name))
    expect((await toolsFor(reading)).map(({ name }: { name: string }) => name)).toEqual(offered)

    const before = [listing(fixture.repo.folder), listing(state)]
    const refused: string[] = []
    for (const { name, args } of fixture.examples) {
      const { error } = await ask('tools/call', { name, arguments: args }, reading)
      if (error !== undefined) refused.push(name)
    }
    expect(new Set(refused)).toEqual(new Set(writers))
    const statuses: unknown[] = []
    for (const [path, method, body] of [
      ['/tiles/checkpoint', 'GET'],
      ['/tiles/tile/0/000.p/1', 'GET'],
      ['/tool', 'POST', '{"name":"ai_gate_check","args":{"stage":"CI"}}'],
      ['/status', 'GET'],
      ['/resource?uri=context://active', 'GET'],
      ['/ai-evidence', 'GET'],
      ['/metrics', 'GET'],
    ] as const) {
      const headers = { ...reading, 'content-type': 'application/json' }
      statuses.push((await server.fetch(path, { method, headers, ...(body && { body }) })).status)
    }
    expect(statuses).toEqual([403, 403, 403, 200, 200, 200, 200])
    expect([listing(fixture.repo.folder), listing(state)]).toEqual(before)
    // A liar: with the other token the same call does append.
    await ask('tools/call', { name: 'gate_check', arguments: { stage: 'PRE_COMMIT' } })
    expect([listing(fixture.repo.folder), listing(state)]).not.toEqual(before)
    server.child.kill('SIGTERM')
    await fixture.stop()
  }, 60_000)
})
