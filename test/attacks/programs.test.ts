import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BINARY, type HttpProgram, Program, startHttp, sweep } from '../support/binary.ts'
import { BACKEND, gateEnvironment } from '../support/gate.ts'
import { CHANGE, writeScript } from '../support/openspec.ts'
import { Repo } from '../support/repository.ts'

const OWN = 'node_modules/.bin/openspec'

/** A repository whose own `openspec` leaves a file behind when it runs. */
const repo = Repo.init().commit({ 'package.json': BACKEND, ...CHANGE, '.gitignore': 'node_modules\n' })
const canary = repo.path('.git/ran')
writeScript(repo.path(OWN), `touch '${canary}'\necho 1.13.2`)
repo.git('config', 'warrant.sdd.session.active', 'true')
repo.git('config', 'warrant.sdd.session.change', 'add-search')
repo.git('config', 'warrant.sdd.session.expiresAt', '2099-01-01T00:00:00.000Z')

const hasRun = (): boolean => {
  const ran = existsSync(canary)
  rmSync(canary, { force: true })
  return ran
}

const warrant = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, [BINARY, ...args], {
    cwd: repo.folder,
    env: gateEnvironment(env),
    encoding: 'utf8',
  })

const NPX = { PATH: `${repo.path('node_modules/.bin')}:${process.env.PATH}` }

const TOOLS = ['check_sdd_status', 'validate_and_fix', 'sync_branches', 'cleanup_stale_branches']

afterAll(sweep)

describe('a program of the repository', () => {
  it.each([
    ['gate', ['gate', '--stage', 'PRE_COMMIT'], {}],
    ['gate in CI', ['gate', '--stage', 'CI'], { GITHUB_BASE_REF: 'main', CI: 'true' }],
    ['gate in CI, although it is named', ['gate', '--stage', 'CI', '--openspec', OWN], {}],
    ['gate on a build server, although it is named', ['gate', '--openspec', OWN], { CI: '1' }],
    ['gate --read-only, although it is named', ['gate', '--read-only', '--openspec', OWN], {}],
    ['gate, started by npx, which puts it on the path', ['gate', '--stage', 'PRE_WRITE'], NPX],
    ['sdd status', ['sdd', 'status'], {}],
    ['sdd validate, started by npx', ['sdd', 'validate'], NPX],
  ])('is not started by warrant %s', (_, args, env) => {
    warrant(args, env)
    expect(hasRun()).toBe(false)
  })

  it('is started when the operator names it, and the report says how', () => {
    expect(warrant(['sdd', 'validate', '--stage', 'PRE_COMMIT']).stdout).toContain(`--openspec ${OWN}`)
    warrant(['sdd', 'validate', '--stage', 'PRE_COMMIT', '--openspec', OWN])
    expect(hasRun()).toBe(true)
    warrant(['gate', '--stage', 'PRE_COMMIT'], { WARRANT_OPENSPEC: repo.path(OWN) })
    expect(hasRun()).toBe(true)
  })

  it('is not named by a warrant.json that came with the repository', () => {
    repo.write({ 'warrant.json': JSON.stringify({ openspec: OWN }) })
    warrant(['gate', '--stage', 'PRE_COMMIT'])
    rmSync(repo.path('warrant.json'))
    expect(hasRun()).toBe(false)
  })

  it('is not started by tools that say that they only read, not even when it is named', async () => {
    const talk = new Program(['mcp', '--openspec', repo.path(OWN)], { cwd: repo.folder, env: NPX })
    for (const [id, name] of TOOLS.entries())
      talk.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } }))
    const answers = await talk.answers(TOOLS.length)
    await talk.finish()
    expect(hasRun()).toBe(false)
    for (const answer of answers) expect(JSON.stringify(answer)).toContain('OPENSPEC_MISSING')
  })

  describe.each(['warrant', 'pumuki-mcp-enterprise'])('behind a GET of %s', (binary) => {
    const tools = new Repo()
    const onPath = tools.path('ran')
    let server: HttpProgram

    beforeAll(async () => {
      writeScript(tools.path('openspec'), `touch '${onPath}'\necho 1.13.2`)
      server = await startHttp(['--openspec', repo.path(OWN)], {
        cwd: repo.folder,
        env: { PATH: `${tools.folder}:${process.env.PATH}` },
        ...(binary !== 'warrant' && { binary }),
      })
    })

    it('is not started, nor is one on the path, and the answer says that it was not', async () => {
      const status = (await (await server.fetch('/status')).json()) as ReturnType<typeof JSON.parse>
      for (const uri of ['context://active', 'sdd://status', 'sdd://active-change'])
        await (await server.fetch(`/resource?uri=${uri}`)).json()
      expect([hasRun(), existsSync(onPath)]).toEqual([false, false])
      expect(status.sdd.openspec).toMatchObject({
        installed: true,
        note: expect.stringContaining('not started'),
      })
    })
  })
})
