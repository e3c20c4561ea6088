import { existsSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { Program, sweep } from '../support/binary.ts'
import { initialize, request } from '../support/messages.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

/** The database of logs taken away from under a server that has it open. */

const LOGS = ['gate-decisions', 'default']
const NODE = { belief: 0.5, energy: 1 }

afterAll(sweep)
const repos: Repo[] = []
afterEach(() => {
  for (const { folder } of repos.splice(0)) rmSync(folder, { recursive: true, force: true })
})

class Server {
  readonly #program: Program
  #calls = 0

  constructor(repo: Repo) {
    this.#program = new Program(['mcp', '--tool-access', 'all'], { cwd: repo.folder, env: GIT_ENVIRONMENT })
    this.#program.send(initialize(0))
  }

  async call(name: string, args: object = {}): Promise<{ readonly isError: boolean; readonly said: string }> {
    this.#calls += 1
    this.#program.send(request(this.#calls, 'tools/call', { name, arguments: args }))
    const { result } = (await this.#program.answers(this.#calls + 1)).at(-1) ?? {}
    const said = result.content.map(({ text }: { readonly text: string }) => text).join('\n')
    return { isError: result.isError === true, said }
  }

  finish = () => this.#program.finish()
}

/** A server with a belief and a decision, and a copy of its database from before the last of both. */
const startServer = async () => {
  const repo = Repo.init()
    .commit({ 'a.ts': 'export const a = 1\n' })
    .stage({ 'b.ts': 'export const b = 1\n' })
  repos.push(repo)
  const former = new Server(repo)
  await former.call('belief_create', NODE)
  await former.call('gate_run')
  await former.finish()
  const database = repo.path('.warrant', 'lineage.db')
  await copyFile(database, `${database}.backup`)
  const server = new Server(repo)
  await server.call('belief_mutate', { node_id: 0, delta: 0.25 })
  await server.call('gate_run')
  expect((await server.call('belief_query', { node_id: 0 })).said).toContain('0.75')
  return { repo, database, server }
}

const moveAway = (database: string): void => {
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(`${database}${suffix}`)) renameSync(`${database}${suffix}`, `${database}.away${suffix}`)
}

describe('a database that is not that of the server any more', () => {
  it.each([
    ['moved away', async () => {}, 'Node not found'],
    ['replaced by a backup', (file: string) => copyFile(`${file}.backup`, file), '"belief": 0.5,'],
  ] as const)(
    'because it was %s, is neither answered from nor written, and adopted without a restart',
    async (_, replace, after) => {
      const { repo, database, server } = await startServer()
      moveAway(database)
      await replace(database)
      const { said } = await server.call('belief_query', { node_id: 0 })
      expect(said).toContain(after)
      expect(said).toMatch(/Quarantined: the log was cut/)
      expect((await server.call('belief_create', NODE)).isError).toBe(true)
      expect(runJson(repo.folder, ['doctor']).status).toBe(1)
      for (const log of LOGS)
        expect(runJson(repo.folder, ['log', 'adopt', '--graph', log])).toMatchObject({ status: 0 })
      expect((await server.call('belief_create', NODE)).isError).toBe(false)
      expect((await server.call('gate_run')).isError).toBe(false)
      expect((await server.call('belief_query', { node_id: 0 })).said).not.toContain('Quarantined')
      for (const log of LOGS) expect(runJson(repo.folder, ['log', 'verify', '--graph', log]).status).toBe(0)
      await server.finish()
      for (const log of LOGS) expect(runJson(repo.folder, ['log', 'verify', '--graph', log]).status).toBe(0)
    },
  )

  it('because it was emptied, takes no entry', async () => {
    const { database, server } = await startServer()
    truncateSync(database)
    truncateSync(`${database}-wal`)
    expect((await server.call('belief_create', NODE)).isError).toBe(true)
    await server.finish()
  })

  it('because it was removed, is forgotten before a new one is begun', async () => {
    const { repo, database, server } = await startServer()
    await server.finish()
    moveAway(database)
    for (const log of LOGS) {
      expect(runJson(repo.folder, ['log', 'verify', '--graph', log])).toMatchObject({
        status: 7,
        value: { error: { message: expect.stringMatching(/the log is gone: this machine saw \d entries/) } },
      })
      expect(runJson(repo.folder, ['log', 'adopt', '--graph', log])).toMatchObject({
        status: 0,
        value: { outcome: 'forgotten' },
      })
    }
    const next = new Server(repo)
    expect((await next.call('belief_create', NODE)).isError).toBe(false)
    expect((await next.call('gate_run')).isError).toBe(false)
    await next.finish()
    const { findings } = runJson(repo.folder, ['doctor']).value
    expect(findings.find(({ check }: { check: string }) => check === 'decision log')).not.toHaveProperty(
      'fix',
    )
  })
})
