import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { eventually, type HttpProgram, Program, startHttp, sweep } from '../support/binary.ts'
import { CHANGE, fakeOpenSpec, openSpecPath, report, writeScript } from '../support/openspec.ts'
import { writeProof } from '../support/proof.ts'
import { exchange, LEGACY_POST, LOCAL, RawClient, rawRequest } from '../support/raw-http.ts'
import { Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

const BINARY = 'pumuki-mcp-enterprise'
type Json = ReturnType<typeof JSON.parse>
type Env = Readonly<Record<string, string>>

afterAll(sweep)

const start = (folder: string, env: Env = {}): Promise<HttpProgram> =>
  startHttp([], { cwd: folder, env: { GIT_CONFIG_GLOBAL: '/dev/null', ...env }, binary: BINARY })

const get = async (server: HttpProgram, path: string) => {
  const response = await fetch(`${server.url}${path}`)
  return { status: response.status, body: (await response.json()) as Json }
}

const post = async (server: HttpProgram, body: string) => {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${server.url}/tool`, { method: 'POST', headers, body })
  return { status: response.status, body: (await response.json()) as Json }
}

const call = async (server: HttpProgram, name: string, args: object = {}, dryRun?: boolean) =>
  (await post(server, JSON.stringify({ name, args, dryRun }))).body

const resource = async (server: HttpProgram, uri: string) =>
  (await get(server, `/resource?uri=${encodeURIComponent(uri)}`)).body.payload

const URIS = [
  'evidence://status',
  'gitflow://state',
  'context://active',
  'sdd://status',
  'sdd://active-change',
]
const TOOLS = [
  'ai_gate_check',
  'check_sdd_status',
  'validate_and_fix',
  'sync_branches',
  'cleanup_stale_branches',
]
const ENVELOPE = ['tool', 'dryRun', 'executed', 'success', 'warnings', 'result']

describe('the enterprise server outside a repository', () => {
  const opened = (async () => {
    const folder = new Repo()
    return { folder, server: await start(folder.folder) }
  })()

  it('answers that it lives, where GET and HEAD do, and nothing else', async () => {
    const { server } = await opened
    expect(await get(server, '/health')).toEqual({ status: 200, body: { status: 'ok' } })
    for (const path of ['/health', '/status', '/resources', '/resource', '/tools']) {
      const response = await fetch(server.url + path, { method: 'POST' })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
      expect(await response.json()).toEqual({ error: 'Method not allowed' })
    }
    for (const path of ['/health', '/status', '/resources', '/tools']) {
      const [head, whole] = [
        await fetch(server.url + path, { method: 'HEAD' }),
        await fetch(server.url + path),
      ]
      expect(head.status).toBe(200)
      expect(await head.text()).toBe('')
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(await whole.text())))
      expect(whole.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(whole.headers.get('cache-control')).toBe('no-store')
    }
    const tool = await fetch(`${server.url}/tool`)
    expect([tool.status, tool.headers.get('allow')]).toEqual([405, 'POST'])
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await fetch(`${server.url}/nothing`, { method })
      expect([response.status, await response.json()]).toEqual([404, { error: 'Not found' }])
    }
  })

  it('lists resources and tools in their order', async () => {
    const { server } = await opened
    const { resources } = (await get(server, '/resources/')).body
    expect(resources.map(({ uri }: { uri: string }) => uri)).toEqual(URIS)
    const { tools } = (await get(server, '/tools')).body
    expect(
      tools.map((tool: object) => Object.values(tool).filter((value) => typeof value !== 'string')),
    ).toEqual([false, false, true, true, true].map((mutating) => [mutating, true]))
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(TOOLS)
    expect(Object.keys(tools[0])).toEqual(['name', 'description', 'mutating', 'safeByDefault'])
  })

  it('has no lifecycle and no specification to tell of, but a status', async () => {
    const { server, folder } = await opened
    const { body } = await get(server, '/status')
    expect(Object.keys(body)).toEqual(['status', 'repoRoot', 'capabilities', 'lifecycle', 'sdd', 'evidence'])
    expect(body).toMatchObject({
      status: 'ok',
      repoRoot: folder.folder,
      capabilities: { resources: URIS, tools: TOOLS, mode: 'baseline' },
      lifecycle: null,
      sdd: null,
      evidence: {
        exists: false,
        present: false,
        valid: false,
        status: 'degraded',
        evidence: { exists: false, valid: false, findings_count: 0 },
        context_api: { pagination_bounds: { findings: { max_limit: 100 } } },
      },
    })
  })

  it('returns what is known of each resource', async () => {
    const { server, folder } = await opened
    expect(await resource(server, 'context://active')).toEqual({
      repoRoot: folder.folder,
      gitflow: { available: false },
      lifecycle: null,
      sdd: null,
    })
    expect(await resource(server, 'sdd://status')).toEqual({ available: false })
    expect(await resource(server, 'gitflow://state')).toEqual({ available: false })
    expect(await resource(server, 'sdd://active-change')).toEqual({
      available: false,
      active: false,
      valid: false,
      changeId: null,
      remainingSeconds: null,
    })
    const unknown = { error: 'Unknown enterprise resource URI' }
    expect(await get(server, '/resource?uri=x://y')).toEqual({
      status: 404,
      body: { ...unknown, requestedUri: 'x://y' },
    })
    expect(await get(server, '/resource')).toEqual({ status: 404, body: { ...unknown, requestedUri: null } })
  })

  it('guards what would change something, and fails safely', async () => {
    const { server } = await opened
    const envelope = await call(server, 'sync_branches', {}, false)
    expect(Object.keys(envelope)).toEqual(ENVELOPE)
    expect(envelope).toMatchObject({
      dryRun: true,
      executed: false,
      success: false,
      warnings: ['Critical tool blocked by SDD policy/session guard.'],
      result: { guard: { stage: 'PRE_COMMIT', decision: { code: 'SDD_VALIDATION_ERROR' }, status: null } },
    })
    expect(await call(server, 'check_sdd_status')).toMatchObject({
      success: false,
      warnings: ['SDD policy evaluation failed safely.'],
      result: { decision: { code: 'SDD_VALIDATION_ERROR', details: { error: expect.any(String) } } },
    })
    expect(await call(server, 'ai_gate_check')).toMatchObject({
      executed: true,
      success: false,
      result: { repo_state: { git: { available: false } } },
    })
  })

  it.each([
    ['{bad-json', 400, { error: 'Invalid JSON body.' }],
    ['null', 400, { error: 'Invalid request body.' }],
    ['7', 400, { error: 'Invalid request body.' }],
    ['"x"', 400, { error: 'Invalid request body.' }],
    ['true', 400, { error: 'Invalid request body.' }],
    ['', 404, { error: 'Unknown enterprise tool.', requestedTool: null }],
    ['{}', 404, { error: 'Unknown enterprise tool.', requestedTool: null }],
    ['[]', 404, { error: 'Unknown enterprise tool.', requestedTool: null }],
    ['{"name":7}', 404, { error: 'Unknown enterprise tool.', requestedTool: null }],
    ['{"name":"unknown_tool"}', 404, { error: 'Unknown enterprise tool.', requestedTool: 'unknown_tool' }],
    ['{"name":"__proto__"}', 404, { error: 'Unknown enterprise tool.', requestedTool: '__proto__' }],
    ['{"name":"constructor"}', 404, { error: 'Unknown enterprise tool.', requestedTool: 'constructor' }],
  ])('answers the body %s with %i', async (body, status, answer) => {
    const { server } = await opened
    expect(await post(server, body)).toEqual({ status, body: answer })
  })

  it.each(['pre_commit', 'STAGED', '', 7, null, ['CI'], {}])(
    'refuses the stage %j instead of taking another',
    async (stage) => {
      const { server } = await opened
      // A stage that is null is a stage that was named.
      const answer = await post(server, JSON.stringify({ name: 'ai_gate_check', args: { stage } }))
      expect(answer).toEqual({
        status: 400,
        body: {
          error: 'Unknown stage.',
          parameter: 'stage',
          expected: ['PRE_WRITE', 'PRE_COMMIT', 'PRE_PUSH', 'CI'],
        },
      })
    },
  )

  it('takes arguments that are no object for none', async () => {
    const { server } = await opened
    for (const args of [null, 7, 'x', ['CI']]) {
      const { status, body } = await post(server, JSON.stringify({ name: 'check_sdd_status', args }))
      expect([status, body.result.stage]).toEqual([200, 'PRE_COMMIT'])
    }
  })

  it('survives odd paths, strange hosts, foreign pages and huge bodies', async () => {
    const { server } = await opened
    for (const path of ['//', '///', '/%', '/\\', '/status%2f', '*']) {
      const { status } = await exchange(server.port, rawRequest('GET', path, LOCAL))
      expect([404, 400], path).toContain(status)
    }
    const asked = rawRequest('POST', '/tool', [['Host', 'evil.example']], '{"name":"ai_gate_check"}')
    expect((await exchange(server.port, asked)).status).toBe(403)
    const page = rawRequest(
      'POST',
      '/tool',
      [...LOCAL, ['Origin', 'https://evil.example'], ['Content-Type', 'text/plain']],
      '{"name":"ai_gate_check"}',
    )
    expect((await exchange(server.port, page)).status).toBe(403)
    const huge = rawRequest('POST', '/tool', LOCAL, `{"name":"${'x'.repeat(1024 * 1024)}"}`)
    expect((await exchange(server.port, huge)).status).toBe(413)
    const deep = rawRequest('POST', '/tool', LEGACY_POST, '['.repeat(500_000))
    expect((await exchange(server.port, deep)).status).toBe(400)
    expect((await get(server, '/health')).status).toBe(200)
  })
})

describe('the enterprise server in a repository', () => {
  it('without OpenSpec blocks what would change something', async () => {
    const repo = Repo.init()
    const server = await start(repo.folder)
    expect(await call(server, 'ai_gate_check')).toMatchObject({
      success: false,
      dryRun: true,
      executed: true,
    })
    expect((await call(server, 'check_sdd_status')).result.decision.code).toBe('OPENSPEC_MISSING')
    expect(await call(server, 'cleanup_stale_branches', {}, false)).toMatchObject({
      success: false,
      dryRun: true,
      executed: false,
      result: { guard: { decision: { code: 'OPENSPEC_MISSING' } } },
    })
    const { body } = await get(server, '/status')
    expect(body.lifecycle).toMatchObject({
      repoRoot: repo.folder,
      lifecycleState: {},
      trackedNodeModulesCount: 0,
    })
    expect(body.sdd).toMatchObject({ openspec: { installed: false }, session: { active: false } })
  })

  it('judges evidence, branch and policy, with a fix for every violation', async () => {
    const repo = Repo.init('main').commit({ a: '1' })
    writeProof(repo)
    const server = await start(repo.folder)
    const check = async (stage: string) => call(server, 'ai_gate_check', { stage })
    const codes = ({ result }: { result: { violations: { code: string; fix: string }[] } }) => {
      for (const { fix } of result.violations) expect(fix).toMatch(/.{10,}/)
      return result.violations.map(({ code }) => code)
    }
    expect(codes(await check('PRE_WRITE'))).toEqual(['GITFLOW_PROTECTED_BRANCH'])
    repo.git('switch', '-q', '-c', 'feature/y')
    const passed = await check('PRE_WRITE')
    expect(passed).toMatchObject({ success: true, result: { status: 'ALLOWED', violations: [] } })
    expect(Object.keys(passed.result)).toEqual([
      'status',
      'stage',
      'policy',
      'violations',
      'evidence',
      'repo_state',
    ])
    writeProof(repo, { at: Date.now() - 280_000 })
    expect(codes(await check('PRE_WRITE'))).toEqual([])
    writeProof(repo, { at: Date.now() - 90 * 60_000, blocked: true })
    expect(codes(await check('PRE_WRITE'))).toEqual(['EVIDENCE_STALE', 'EVIDENCE_GATE_BLOCKED'])
    expect(codes(await check('CI'))).toEqual(['EVIDENCE_GATE_BLOCKED', 'EVIDENCE_STAGE_MISMATCH'])
    writeFileSync(repo.path('.ai_evidence.json'), '{"version":"2.1"}')
    expect(codes(await check('CI'))).toEqual(['EVIDENCE_INVALID'])
    // Such a file must not end the server, whichever way it is asked about.
    expect((await get(server, '/status')).body.evidence).toMatchObject({ exists: true, valid: false })
    expect(await resource(server, 'evidence://status')).toMatchObject({ status: 'degraded' })
  })

  it('lets hard mode decide', async () => {
    const repo = Repo.init().commit({ a: '1' })
    repo.write({ '.pumuki/hard-mode.json': '{"enabled":true,"profile":"critical-high"}' })
    writeProof(repo)
    const server = await start(repo.folder)
    expect(await call(server, 'ai_gate_check', { stage: 'PRE_WRITE' })).toMatchObject({
      success: true,
      result: {
        policy: { trace: { source: 'hard-mode', bundle: 'gate-policy.hard-mode.critical-high.PRE_COMMIT' } },
        repo_state: {
          lifecycle: {
            hard_mode: { enabled: true, profile: 'critical-high', config_path: '.pumuki/hard-mode.json' },
          },
        },
      },
    })
    repo.write({ '.pumuki/hard-mode.json': '{broken' })
    expect(await call(server, 'ai_gate_check', { stage: 'PRE_WRITE' })).toMatchObject({
      success: false,
      executed: false,
      warnings: ['Tool execution failed safely.'],
      result: { error: expect.any(String) },
    })
  })

  it('plans and never acts, also when the guard is switched off', async () => {
    const repo = Repo.init().commit({ a: '1' })
    for (const branch of ['old', 'main', "it's$(x)"]) repo.git('branch', branch)
    repo.git('switch', '-q', '-c', 'ahead')
    repo.commit({ b: '1' }).git('switch', '-q', 'feature/x')
    const before = repo.git('for-each-ref')
    const server = await start(repo.folder, { PUMUKI_SDD_BYPASS: '1' })
    const fix = await call(server, 'validate_and_fix', { stage: 'CI' }, false)
    expect(fix).toMatchObject({
      success: true,
      executed: false,
      dryRun: true,
      warnings: ['Mutating auto-fixes are disabled in enterprise baseline mode.'],
      result: { evaluation: { decision: { code: 'ALLOWED', details: { bypass: true } } } },
    })
    expect(fix.result.suggestedActions).toHaveLength(2)
    expect(await call(server, 'sync_branches', {}, false)).toMatchObject({
      success: true,
      dryRun: true,
      warnings: ['Dry-run mode active: no git command executed.'],
      result: { plan: ['No upstream configured for current branch.'] },
    })
    expect(await call(server, 'cleanup_stale_branches', {}, false)).toMatchObject({
      success: true,
      executed: false,
      warnings: ['Dry-run mode active: no branch deleted.'],
      result: {
        candidates: ["it's$(x)", 'old'],
        plan: ["git branch -d 'it'\\''s$(x)'", 'git branch -d old'],
      },
    })
    expect(repo.git('for-each-ref')).toBe(before)
  })

  it('plans a sync with the upstream', async () => {
    const far = Repo.init('feature/x').commit({ a: '1' })
    const repo = new Repo()
    repo.git('clone', '-q', far.folder, '.')
    far.commit({ b: '1' })
    repo.commit({ c: '1' }).git('fetch', '-q')
    const server = await start(repo.folder, { PUMUKI_SDD_BYPASS: '1' })
    const { gitflow, plan } = (await call(server, 'sync_branches')).result
    expect(gitflow).toMatchObject({ upstream: 'origin/feature/x', ahead: 1, behind: 1, dirty: false })
    expect(plan).toEqual(['git pull --rebase --autostash', 'git push'])
  })

  it('validates once a call, however the answer is used', async () => {
    const repo = Repo.init().write(CHANGE)
    fakeOpenSpec(repo, '1.13.2', `echo '${report(1, 0)}'`)
    runJson(repo.folder, ['sdd', 'session', '--open', '--change', 'add-search'])
    const server = await start(repo.folder, openSpecPath(repo))
    expect(await call(server, 'validate_and_fix', { stage: 'CI' })).toMatchObject({ success: true })
    expect(readFileSync(repo.path('.git/validated'), 'utf8')).toBe('validated\n')
    expect(await resource(server, 'sdd://active-change')).toMatchObject({
      available: true,
      active: true,
      valid: true,
      changeId: 'add-search',
    })
  })

  it('tells a change that is not staged from one that is, from a sub-directory and with odd names', async () => {
    const repo = Repo.init().commit({ 'a.ts': '1', 'ñandú.ts': '1' })
    repo.write({ 'a.ts': '2' })
    mkdirSync(repo.path('deep'))
    const server = await start(repo.path('deep'))
    expect(await resource(server, 'gitflow://state')).toEqual({
      available: true,
      branch: 'feature/x',
      ahead: 0,
      behind: 0,
      dirty: true,
      staged: 0,
      unstaged: 1,
    })
    expect(await resource(server, 'context://active')).toMatchObject({ repoRoot: repo.folder })
  })

  it('notices when its folder becomes a repository', async () => {
    const folder = new Repo()
    const server = await start(folder.folder)
    expect(await resource(server, 'gitflow://state')).toEqual({ available: false })
    folder.git('init', '-q', '-b', 'feature/x')
    expect(await resource(server, 'gitflow://state')).toMatchObject({ available: true })
  })

  it('stays up in a repository that is broken', async () => {
    const folder = new Repo()
    folder.write({ '.git/HEAD': 'garbage' })
    const server = await start(folder.folder)
    expect((await get(server, '/status')).body).toMatchObject({ status: 'ok', lifecycle: null, sdd: null })
    expect(await resource(server, 'gitflow://state')).toEqual({ available: false })
    expect(await call(server, 'sync_branches')).toMatchObject({ success: false, executed: false })
  })
})

describe('the enterprise server as a process', () => {
  /** A path whose git and openspec leave a line for each start. */
  const counting = (log: string): string => {
    const folder = new Repo().folder
    for (const name of ['git', 'openspec']) {
      const real = name === 'git' ? 'exec /usr/bin/env -i PATH=/usr/bin:/bin git "$@"' : 'echo 1.13.2'
      writeScript(join(folder, name), `echo "${name} $*" >> '${log}'\n${real}`)
    }
    return `${folder}:${process.env.PATH}`
  }

  it('starts at most four programs for a status, and none for another within a second', async () => {
    const repo = Repo.init().write(CHANGE)
    const log = join(new Repo().folder, 'log')
    const server = await start(repo.folder, { PATH: counting(log) })
    await Promise.all([1, 2, 3, 4, 5].map(() => get(server, '/status')))
    const asked = readFileSync(log, 'utf8').trim().split('\n')
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.length).toBeLessThanOrEqual(4)
  })

  it('runs eight tools at a time, however many are asked for at once', async () => {
    const repo = Repo.init()
    const log = repo.path('.git/log')
    const tools = new Repo()
    writeScript(tools.path('openspec'), `echo + >> '${log}'; sleep 0.1; echo - >> '${log}'; echo 1.13.2`)
    const server = await start(repo.folder, { PATH: `${tools.folder}:${process.env.PATH}` })
    const answers = await Promise.all(Array.from({ length: 40 }, () => call(server, 'check_sdd_status')))
    for (const { result } of answers) expect(result.decision.code).toBe('OPENSPEC_PROJECT_MISSING')
    let running = 0
    const crowd = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((sign) => (running += sign === '+' ? 1 : -1))
    expect(crowd).toHaveLength(80)
    expect(Math.max(...crowd)).toBeLessThanOrEqual(8)
  })

  it('answers others while a tool waits for a program that hangs', async () => {
    const [repo, tools] = [Repo.init(), new Repo()]
    const gate = repo.path('.git/go')
    writeScript(tools.path('openspec'), `while [ ! -e '${gate}' ]; do sleep 0.05; done; echo 1.13.2`)
    const server = await start(repo.folder, { PATH: `${tools.folder}:${process.env.PATH}` })
    let answered = false
    const status = call(server, 'check_sdd_status').then((answer) => {
      answered = true
      return answer
    })
    for (let turn = 0; turn < 20; turn += 1) expect((await get(server, '/health')).status).toBe(200)
    expect(await resource(server, 'evidence://status')).toMatchObject({ status: 'degraded' })
    expect(answered).toBe(false)
    writeFileSync(gate, '')
    expect((await status).result.status.openspec).toMatchObject({ installed: true, version: '1.13.2' })
  })

  it('is one process: its end frees the port, and answers under way are finished first', async () => {
    const [repo, tools] = [Repo.init(), new Repo()]
    const gate = repo.path('.git/go')
    writeScript(tools.path('openspec'), `while [ ! -e '${gate}' ]; do sleep 0.05; done; echo 1.13.2`)
    const server = await start(repo.folder, { PATH: `${tools.folder}:${process.env.PATH}` })
    const status = post(server, '{"name":"check_sdd_status"}')
    const client = new RawClient(server.port)
    await eventually('the question reaches the program', async () => {
      await get(server, '/health')
      return true
    })
    server.child.kill('SIGTERM')
    writeFileSync(gate, '')
    expect((await status).status).toBe(200)
    expect(await server.ended()).toMatchObject({ code: 0, signal: null })
    client.destroy()
    const again = await startHttp(['--port', String(server.port)], { cwd: repo.folder, binary: BINARY })
    expect(again.port).toBe(server.port)
  })

  it('says that the port is taken, and nothing else, and ends with 1', async () => {
    const { folder } = new Repo()
    const first = await start(folder)
    const second = new Program(['--port', String(first.port)], { cwd: folder, binary: BINARY })
    const { code, stdout, stderr } = await second.finish()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^pumuki-mcp-enterprise: cannot listen on 127\.0\.0\.1:\d+: the port is in use\..*\n$/,
    )
    expect((await get(first, '/health')).status).toBe(200)
  })

  it('takes host and port from its own variables, and a flag before them', async () => {
    const { folder } = new Repo()
    const free = await start(folder)
    const port = String(free.port)
    free.child.kill('SIGTERM')
    await free.ended()
    const env = { PUMUKI_ENTERPRISE_MCP_HOST: 'localhost', PUMUKI_ENTERPRISE_MCP_PORT: port }
    const named = new Program([], { cwd: folder, env, binary: BINARY })
    expect((await named.heard(1))[0]).toContain(`:${port}`)
    const flagged = new Program(['--port', '0'], { cwd: folder, env, binary: BINARY })
    expect((await flagged.heard(1))[0]).not.toContain(`:${port}`)
  })

  it('needs a token off loopback, and says on loopback that it needs none', async () => {
    const { folder } = Repo.init().commit({ a: '1' })
    const server = await startHttp(['--host', '0.0.0.0'], { cwd: folder, binary: BINARY })
    const ask = (path: string) => exchange(server.port, rawRequest('GET', path, [['Host', 'localhost']]))
    expect([(await ask('/health')).status, (await ask('/status')).status]).toEqual([200, 401])
    expect(server.stderr).toMatch(/^Requests need the bearer token in \/\S+\/serve\.token\.\n$/)
    const open = await start(folder)
    expect((await get(open, '/status')).status).toBe(200)
    expect(open.stderr).toBe(
      `Every user of this machine may ask ${open.url}. Set WARRANT_TOKEN to require a token.\n`,
    )
  })

  it('writes nothing into the repository', async () => {
    const repo = Repo.init().commit({ a: '1' })
    const server = await start(repo.folder, { PUMUKI_SDD_BYPASS: '1' })
    chmodSync(repo.folder, 0o555)
    await get(server, '/status')
    for (const uri of URIS) await resource(server, uri)
    for (const tool of TOOLS) await call(server, tool, { stage: 'CI' }, false)
    chmodSync(repo.folder, 0o755)
    expect(repo.git('status', '--porcelain')).toBe('')
    expect(existsSync(repo.path('.warrant'))).toBe(false)
    expect(repo.git('config', '--local', '--list')).not.toContain('pumuki')
  })
})
