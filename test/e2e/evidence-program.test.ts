import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Program, startHttp, sweep } from '../support/binary.ts'
import { evidenceOf, finding, makeRoot, putEvidence, sealedText, startEvidence } from '../support/evidence.ts'
import { initialize, notification, request } from '../support/messages.ts'
import { exchange, LOCAL, rawRequest } from '../support/raw-http.ts'

/** The program: how it starts, where it listens, how it ends, and the same evidence over MCP. */

const roots: string[] = []
const root = (): string => {
  const made = makeRoot()
  roots.push(made)
  return made
}
afterAll(async () => {
  await sweep()
  for (const made of roots) rmSync(made, { recursive: true, force: true })
})

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  new Program(args, { binary: 'pumuki-mcp-evidence', cwd: root(), env }).ended()

describe('starting', () => {
  test('says in one line where it listens, and only once it does', async () => {
    const { program, port } = await startEvidence([], {}, root())
    expect(program.lines).toHaveLength(1)
    expect(program.lines[0]).toContain(`http://127.0.0.1:${port}/ai-evidence`)
  })

  test.each([
    [{ PUMUKI_EVIDENCE_ROUTE: 'custom-route///' }, [], '/custom-route'],
    [{ PUMUKI_EVIDENCE_ROUTE: '/one' }, ['--route', 'two/three'], '/two/three'],
    [{ PUMUKI_EVIDENCE_ROUTE: ' ' }, [], '/ai-evidence'],
    [{ PUMUKI_EVIDENCE_ROUTE: '/' }, [], '/'],
  ])('with %j and %j serves under %s, and says so in the status', async (env, args, route) => {
    const { ask, root: folder } = await startEvidence(args, env, root())
    putEvidence(folder, evidenceOf([finding()]))
    const base = route === '/' ? '' : route
    expect((await ask(`${base}/summary`)).status).toBe(200)
    expect((await ask(route)).status).toBe(200)
    const { json } = await ask('/status')
    expect(json.context_api.endpoints).toContain(`${base}/findings`)
    expect(json.context_api.endpoints[2]).toBe(route)
  })

  test('takes host and port from its variables, and passes over a port that is none', async () => {
    const env = { PUMUKI_EVIDENCE_HOST: '::1', PUMUKI_EVIDENCE_PORT: '0' }
    const program = new Program([], { binary: 'pumuki-mcp-evidence', cwd: root(), env })
    expect((await program.heard(1))[0]).toMatch(/http:\/\/\[::1\]:\d+\/ai-evidence/)
    const { stdout } = await run(['--help'], { PUMUKI_EVIDENCE_PORT: 'many' })
    for (const flag of ['--host', '--port', '--route', '--root', '--stdio']) expect(stdout).toContain(flag)
  })

  test('started in a folder of a repository serves the evidence at its top, as the gate writes it', async () => {
    const top = root()
    mkdirSync(join(top, '.git'))
    mkdirSync(join(top, 'apps/web'), { recursive: true })
    putEvidence(top, evidenceOf([finding()]))
    const { ask } = await startEvidence([], {}, join(top, 'apps/web'))
    expect((await ask('/ai-evidence/summary')).json.snapshot.findings_count).toBe(1)
  })

  test('serves the root it is given, whatever the settings of `warrant serve` are', async () => {
    const [here, there] = [root(), root()]
    putEvidence(there, evidenceOf([finding()]))
    writeFileSync(join(here, 'warrant.json'), '{"port": 1, "host": "203.0.113.1"}')
    const { ask } = await startEvidence(['--root', there], {}, here)
    expect((await ask('/status')).json.evidence.valid).toBe(true)
  })

  test('a busy port is one clear message and exit code 1, with nothing on stdout', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const { port } = taken.address() as { port: number }
    const { code, stdout, stderr } = await run(['--port', String(port)])
    taken.close()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/cannot listen on 127\.0\.0\.1:\d+: the port is in use\. .*--port/)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test.each([
    [['--route', '/status'], 'cannot serve evidence under'],
    [['--route', '/a b'], 'cannot serve evidence under'],
    [['--route', '/a/../b'], 'cannot serve evidence under'],
    [['--port', '70000'], '--port: expected a whole number'],
    [['--colour'], 'Unknown option'],
  ])('%j is refused', async (args, words) => {
    const { code, stdout, stderr } = await run(args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(words)
  })

  test('off loopback it wants the token, and does not tell where it lives', async () => {
    const token = 'a-token-of-the-tests-0123456789'
    const { port } = await startEvidence(['--host', '0.0.0.0'], { WARRANT_TOKEN: token }, root())
    const ask = (headers: readonly (readonly [string, string])[]) =>
      exchange(
        port,
        rawRequest('GET', '/status', [['Host', 'localhost'], ['Connection', 'close'], ...headers]),
      )
    expect(await ask([])).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
    const { status, body } = await ask([['Authorization', `Bearer ${token}`]])
    expect([status, JSON.parse(body).evidence.path]).toEqual([200, '.ai_evidence.json'])
  })
})

describe('ending', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends the one process there is, and frees the port',
    async (signal) => {
      const { program, port, ask } = await startEvidence([], {}, root())
      expect((await ask('/health')).status).toBe(200)
      expect(readFileSync(`/proc/${program.pid}/task/${program.pid}/children`, 'utf8')).toBe('')
      program.child.kill(signal)
      expect((await program.ended()).code).toBe(0)
      await expect(exchange(port, rawRequest('GET', '/health', [['Host', 'localhost']]))).rejects.toThrow()
    },
  )
})

describe('beside MCP', () => {
  test('`warrant serve` has the same routes, and its own compatibility options elsewhere', async () => {
    const folder = root()
    const { port } = await startHttp([], { cwd: folder })
    const ask = async (path: string, method = 'GET') => {
      const bytes = rawRequest(method, path, [...LOCAL, ['Connection', 'close']])
      const { status, body } = await exchange(port, bytes)
      return [status, JSON.parse(body)]
    }
    const absent = [404, { error: 'Evidence file not found or invalid' }]
    expect(await ask('/ai-evidence/summary')).toEqual(absent)
    putEvidence(folder, evidenceOf([finding()]))
    expect((await ask('/ai-evidence/summary/'))[1]).toMatchObject({ snapshot: { findings_count: 1 } })
    expect(await ask('/ai-evidence', 'POST')).toEqual([405, { error: 'Method not allowed' }])
    expect(await ask('/nothing')).toEqual([404, { error: { status: 404, message: expect.any(String) } }])
    expect((await ask('//'))[0]).toBe(404)
  })
})

describe('over MCP', () => {
  const open = async (folder: string) => {
    const program = new Program(['--stdio'], { binary: 'pumuki-mcp-evidence', cwd: folder })
    program.send(initialize(), notification('notifications/initialized'))
    await program.answers(1)
    return program
  }
  const call = (id: number, name: string, args: object = {}) =>
    request(id, 'tools/call', { name, arguments: args })

  test('the tools answer what HTTP answers, and take their arguments', async () => {
    const folder = root()
    putEvidence(folder, evidenceOf([finding(), finding({ ruleId: 'z', severity: 'WARN', file: 'ios/a.m' })]))
    const { ask } = await startEvidence([], {}, folder)
    const program = await open(folder)
    const pairs: [string, object, string][] = [
      ['evidence_summary', {}, '/summary'],
      ['evidence_snapshot', {}, '/snapshot'],
      ['evidence_findings', { severity: 'WARN', limit: 1 }, '/findings?severity=WARN&limit=1&offset=0'],
      ['evidence_findings', { platform: 'ios' }, '/findings?platform=ios&limit=50&offset=0'],
      ['evidence_rulesets', { platform: 'ios' }, '/rulesets?platform=ios&limit=50&offset=0'],
      ['evidence_platforms', { detectedOnly: false }, '/platforms?detectedOnly=false&limit=50&offset=0'],
      [
        'evidence_ledger',
        { lastSeenAfter: '2026-02-20' },
        '/ledger?lastSeenAfter=2026-02-20&limit=50&offset=0',
      ],
    ]
    for (const [at, [name, args]] of pairs.entries()) program.send(call(at + 1, name, args))
    const answers = (await program.answers(pairs.length + 1)).slice(1)
    for (const [at, [, , path]] of pairs.entries()) {
      const { result } = answers.find(({ id }) => id === at + 1) ?? {}
      expect(result?.structuredContent).toEqual((await ask(`/ai-evidence${path}`)).json)
    }
    await program.finish()
  })

  test('without evidence the status is degraded and the rest is a fault; a bad bound is refused', async () => {
    const folder = root()
    const program = await open(folder)
    program.send(call(1, 'evidence_status'), call(2, 'evidence_findings'))
    const first = await program.answers(3)
    const [status, findings] = [1, 2].map((id) => first.find((message) => message.id === id))
    expect(status?.result.structuredContent).toMatchObject({
      status: 'degraded',
      evidence: { exists: false },
    })
    expect(JSON.stringify(status)).not.toContain(folder)
    expect(findings?.result).toMatchObject({ isError: true })
    expect(JSON.stringify(findings)).toContain('evidence.unusable')
    putEvidence(folder, evidenceOf([]))
    program.send(
      call(3, 'evidence_ledger', { lastSeenAfter: 'soon' }),
      call(4, 'evidence_findings', { severity: 'LOUD' }),
    )
    const later = await program.answers(5)
    const [bound, word] = [3, 4].map((id) => later.find((message) => message.id === id))
    expect(JSON.stringify(bound)).toContain('lastSeenAfter: expected an ISO 8601')
    expect(word?.result).toMatchObject({ isError: true })
    await program.finish()
  })

  test('an answer that is too long is cut, and says that there is more', async () => {
    const folder = root()
    const many = Array.from({ length: 400 }, (_, at) =>
      finding({ ruleId: `r${at}`, message: 'x'.repeat(1_500) }),
    )
    putEvidence(folder, sealedText(evidenceOf(many)))
    const program = await open(folder)
    program.send(call(1, 'evidence_findings', { limit: 100 }), call(2, 'evidence_snapshot'))
    const answers = await program.answers(3)
    const [page, snapshot] = [1, 2].map(
      (id) => answers.find((one) => one.id === id)?.result.structuredContent,
    )
    expect(page.findings.length).toBeGreaterThan(20)
    expect(page.findings.length).toBeLessThan(100)
    expect([page.findings_count, page.pagination.has_more, page.total_count]).toEqual([
      page.findings.length,
      true,
      400,
    ])
    expect(snapshot.snapshot).toMatchObject({ findings_count: 400, truncated: true })
    await program.finish()
  })

  test('resources and a template are read, and a subscriber is notified when the file changes', async () => {
    const folder = root()
    putEvidence(folder, evidenceOf([finding()]))
    const program = await open(folder)
    const read = (id: number, uri: string) => request(id, 'resources/read', { uri })
    program.send(
      request(1, 'resources/list'),
      request(2, 'resources/templates/list'),
      read(3, 'evidence://summary'),
      read(4, 'evidence://findings/backend'),
      request(5, 'completion/complete', {
        ref: { type: 'ref/resource', uri: 'evidence://findings/{platform}' },
        argument: { name: 'platform', value: 'b' },
      }),
      request(6, 'resources/subscribe', { uri: 'evidence://status' }),
    )
    const answers = new Map((await program.answers(7)).map((message) => [message.id, message.result]))
    expect(answers.get(1).resources.map(({ uri }: { uri: string }) => uri)).toEqual([
      'evidence://status',
      'evidence://summary',
      'evidence://snapshot',
      'evidence://findings',
      'evidence://rulesets',
      'evidence://platforms',
      'evidence://ledger',
    ])
    expect(answers.get(2).resourceTemplates[0].uriTemplate).toBe('evidence://findings/{platform}')
    expect(JSON.parse(answers.get(3).contents[0].text).snapshot.findings_count).toBe(1)
    expect(JSON.parse(answers.get(4).contents[0].text).filters.platform).toBe('backend')
    expect(answers.get(5).completion.values).toEqual(['backend'])
    putEvidence(folder, evidenceOf([]))
    expect((await program.answers(8))[7]).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'evidence://status' },
    })
    await program.finish()
  })
})
