import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Program, startHttp, sweep } from '../support/binary.ts'
import { gateEnvironment } from '../support/gate.ts'
import { initialize, request } from '../support/messages.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

afterAll(sweep)

/** In every argument that a log must not hold. */
const MARKER = 'marker7f3a91'

const report = (id: number, args: object = { content: `# ${MARKER}\n` }) =>
  request(id, 'tools/call', { name: 'write_architecture_report', arguments: args })

describe('effects and decisions of every surface', () => {
  const repo = Repo.init().commit({ 'src/a.ts': 'export const a = 1\n' })
  const warrant = (...words: readonly string[]) => runJson(repo.folder, words)
  const listed = (...words: readonly string[]) => warrant('log', 'entries', ...words).value
  const operations = (...words: readonly string[]): string[] =>
    listed(...words)
      .entries.map((one: { operation: string; result: string }) => `${one.operation} ${one.result}`)
      .toReversed()
  let size = 0
  /** What `work` added to the log. */
  const added = async (work: () => unknown) => {
    await work()
    const { size: now } = listed('--limit', '0')
    const entries = operations('--limit', String(now - size))
    size = now
    return entries
  }

  beforeAll(() => {
    warrant('gate', '--all')
    size = listed('--limit', '0').size
  })
  afterAll(() => rmSync(repo.folder, { recursive: true, force: true }))

  it('are one entry each over stdio; a call that only reads or does not begin is none', async () => {
    const entries = await added(async () => {
      const program = new Program(['mcp'], { cwd: repo.folder, env: GIT_ENVIRONMENT })
      program.send(initialize(0), report(1))
      await program.answers(2)
      for (const [at, call] of [
        report(2, { content: MARKER, fileName: `../${MARKER}.md` }),
        report(3, { content: 7, [MARKER]: 1 }),
        request(4, 'tools/call', { name: 'project_read', arguments: { path: 'src/a.ts' } }),
        request(5, 'tools/call', { name: 'node_create', arguments: { belief: 0.5, energy: 1, claim: 'x' } }),
        request(6, 'tools/call', { name: 'ai_gate_check', arguments: {} }),
      ].entries()) {
        program.send(call)
        await program.answers(at + 3)
      }
      await program.finish()
    })
    expect(entries).toEqual([
      'write_architecture_report done',
      expect.stringMatching(/^write_architecture_report [a-z_]+\.[a-z_]+$/),
      expect.stringMatching(/^ai_gate_check (ALLOWED|BLOCKED)$/),
    ])
  })

  it('are one entry each over MCP and plain HTTP', async () => {
    const server = await startHttp([], { cwd: repo.folder, env: GIT_ENVIRONMENT })
    const post = (path: string, body: string) =>
      server
        .fetch(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          body,
        })
        .then((answer) => answer.text())
    expect(await added(() => post('/mcp', report(1)))).toEqual(['write_architecture_report done'])
    const check = JSON.stringify({ name: 'ai_gate_check', args: {} })
    expect(await added(() => post('/tool', check))).toEqual([
      expect.stringMatching(/^ai_gate_check (ALLOWED|BLOCKED)$/),
    ])
    const { value } = warrant('log', 'show', String(size - 1))
    expect(value.payload).toMatchObject({
      args: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      receipt: { digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    })
    server.child.kill()
    await server.ended()
  })

  it('are recorded by the server of existing clients where there is a log, and change no answer of it', async () => {
    const binary = 'pumuki-mcp-enterprise'
    const server = await startHttp([], { cwd: repo.folder, env: GIT_ENVIRONMENT, binary })
    const body = JSON.stringify({ name: 'ai_gate_check', args: { stage: 'CI' } })
    const headers = { 'content-type': 'application/json' }
    const ask = async () => (await server.fetch('/tool', { method: 'POST', headers, body })).json()
    let answer: ReturnType<typeof JSON.parse>
    const entries = await added(async () => {
      answer = await ask()
    })
    expect(entries).toEqual([expect.stringMatching(/^ai_gate_check (ALLOWED|BLOCKED)$/)])
    expect(Object.keys(answer.result)).toEqual([
      'status',
      'stage',
      'policy',
      'violations',
      'evidence',
      'repo_state',
    ])
    const { receipt } = warrant('log', 'show', String(size - 1)).value.payload
    expect(warrant('receipts', 'show', receipt.digest).value.receipts).toMatchObject([{ stage: 'CI' }])
    server.child.kill()
    await server.ended()
  })

  it('of a server in a folder of the repository are in the log of the repository', async () => {
    const entries = await added(async () => {
      const started = ['.', 'src'].map((folder) => {
        const program = new Program(['mcp'], { cwd: repo.path(folder), env: GIT_ENVIRONMENT })
        program.send(initialize(0))
        return program
      })
      for (const round of [1, 2])
        for (const program of started) {
          program.send(request(round, 'tools/call', { name: 'gate_run', arguments: {} }))
          await program.answers(round + 1)
        }
      await Promise.all(started.map((program) => program.finish()))
    })
    expect(entries).toEqual(Array(4).fill('gate_run ALLOWED'))
    expect(existsSync(repo.path('src/.warrant'))).toBe(false)
    expect(
      warrant('receipts', 'list')
        .value.receipts.slice(0, 4)
        .map((one: { trust: string }) => one.trust),
    ).toEqual(Array(4).fill('own'))
  })

  it('are one entry each from the command line, with the exit code or the fault', async () => {
    const entries = await added(() => {
      warrant('init', '--yes', '--clients', 'none')
      warrant('report', '--save')
      warrant('packet', 'pull', `oci://127.0.0.1:1/${MARKER}:1`)
      warrant('report', '--save', '--no-such-option')
      warrant('report')
      warrant('gate', '--range', `${MARKER}..HEAD`)
      warrant('gate', '--range', `${MARKER}..HEAD`, '--no-evidence')
      warrant('gate', '--no-such-option')
      warrant('gate')
    })
    expect(entries).toEqual([
      'init done',
      'report done',
      expect.stringMatching(/^packet pull [a-z_]+\.[a-z_]+$/),
      expect.stringMatching(/^gate_run [a-z_]+\.[a-z_]+$/),
      'gate_run ALLOWED',
    ])
    const [judged, failed] = [1, 2].map((back) => warrant('log', 'show', String(size - back)).value.payload)
    expect(failed).toMatchObject({ outcome: 'fault', args: expect.stringMatching(/^sha256:/) })
    expect(judged).toMatchObject({ outcome: 'answer', args: expect.stringMatching(/^sha256:/) })
    expect(judged.args).not.toBe(failed.args)
  })

  it('name the hook that started a run', () => {
    repo.stage({ 'src/b.ts': 'export const b = 1\n' })
    spawnSync('git', ['commit', '-qm', 'x'], {
      cwd: repo.folder,
      env: { ...gateEnvironment(), ...GIT_ENVIRONMENT },
    })
    size = listed('--limit', '0').size
    const { verdict } = warrant('log', 'show', String(size - 1)).value.payload
    expect(verdict).toMatchObject({ stage: 'PRE_COMMIT', hook: 'pre-commit' })
  })

  it('hold digests of the arguments and never the arguments', () => {
    const folder = repo.path('.warrant')
    for (const name of readdirSync(folder).filter((one) => one.startsWith('lineage.db')))
      expect(readFileSync(join(folder, name)).includes(MARKER)).toBe(false)
    const [entry] = listed('--operation', 'write_architecture_report', '--limit', '1').entries
    const shown = warrant('log', 'show', String(entry.index))
    expect(shown).toMatchObject({
      status: 0,
      value: {
        entry: { seq: entry.index, operation: 'write_architecture_report' },
        payload: { outcome: 'answer', args: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
        proof: { size, holds: true },
      },
    })
    expect(warrant('log', 'verify', '--graph', 'gate-decisions')).toMatchObject({ status: 0 })
  })

  it('can be listed by operation and time', () => {
    expect(operations('--operation', 'init')).toEqual(['init done'])
    expect(operations('--since', '2999-01-01')).toEqual([])
    expect(listed().origin).toMatch(/^warrant\/gate-decisions\/[0-9a-f]{16}$/)
    expect(warrant('log', 'entries', '--since', 'yesterday').status).toBe(2)
    expect(warrant('log', 'show', '999').status).toBe(4)
  })

  it('are compared as sizes, checkpoints and bundles', () => {
    const named = ['--graph', 'gate-decisions']
    warrant('log', 'export', 'one.json', '--bundle', ...named)
    repo.write({ 'cp.txt': warrant('log', 'checkpoint', ...named).value.note })
    warrant('gate', '--all')
    expect(warrant('log', 'diff', 'one.json', 'cp.txt').value).toMatchObject({
      outcome: 'grown',
      // The runs before anchored the graph, which has not changed since.
      added: [{ operation: 'log export' }],
    })
    const now = listed('--limit', '0').size
    const { status, value } = warrant('log', 'diff', 'cp.txt', String(now))
    expect({ status, ...value }).toMatchObject({
      status: 0,
      outcome: 'grown',
      added: [{ operation: 'gate_run' }],
    })
    const [{ index }] = listed('--operation', 'gate_run').entries
    const { graphs } = warrant('log', 'show', String(index)).value.payload
    expect(graphs).toEqual([{ graph: 'default', size: 1, head: expect.stringMatching(/^[0-9a-f]{64}$/) }])
    const other = Repo.init().commit({ 'src/a.ts': 'export const a = 1\n' })
    runJson(other.folder, ['gate', '--all'])
    runJson(other.folder, ['log', 'export', 'other.json', '--bundle', ...named])
    const forked = warrant('log', 'diff', other.path('other.json'), 'one.json')
    expect(forked).toMatchObject({ status: 1, value: { outcome: 'contradicts', at: 0 } })
    expect(warrant('log', 'diff', 'cp.txt', 'cp.txt')).toMatchObject({
      status: 0,
      value: { outcome: 'same' },
    })
    rmSync(other.folder, { recursive: true, force: true })
  })
})

describe('a command whose record cannot be written', () => {
  it('says what it did and fails', () => {
    const repo = Repo.init().commit({ 'src/a.ts': 'export const a = 1\n' })
    repo.write({ '.warrant/lineage.db': 'this is no database\n'.repeat(10) })
    const { status, stderr } = runJson(
      repo.folder,
      ['report', '--save'],
      gateEnvironment() as Record<string, string>,
    )
    expect({ status, stderr }).toMatchObject({
      status: 8,
      stderr: expect.stringContaining('report is done, but was not recorded: the file is not a database'),
    })
    rmSync(repo.folder, { recursive: true, force: true })
  })
})
