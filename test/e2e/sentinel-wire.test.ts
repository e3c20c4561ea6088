import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, makeFolder, sweep } from '../support/binary.ts'
import { initialize, type Message, notification, request } from '../support/messages.ts'
import { Sentinel, textOf, verdict } from '../support/sentinel.ts'

let root: string
beforeAll(async () => {
  root = join(await makeFolder(), 'project')
  mkdirSync(join(root, 'src'), { recursive: true })
  writeFileSync(join(root, 'A.java'), 'class A {}\n')
})
afterAll(sweep)

/** Sends lines, ends stdin, and returns the answers. */
const say = async (...lines: readonly string[]): Promise<readonly Message[]> => {
  const server = new Sentinel(root)
  server.send(...lines)
  const { code, stdout } = await server.finish()
  expect(code).toBe(0)
  expect(stdout === '' || stdout.endsWith('\n')).toBe(true)
  return server.answers(server.lines.length)
}

const one = async (line: string): Promise<Message> => {
  const answers = await say(line, request('after', 'ping'))
  expect(answers).toHaveLength(2)
  expect(answers).toContainEqual(expect.objectContaining({ id: 'after', result: {} }))
  return answers.find(({ id }) => id !== 'after') as Message
}

const call = (id: number | string, params: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
const read = (id: number | string, args: unknown): string =>
  call(id, { name: 'readJavaFile', arguments: args })

describe('sentinel-mcp on the wire', () => {
  it.each([
    ['{bad', null, '-32700 parse_error', 'Parse error'],
    ['42', null, '-32600 invalid_request', 'Invalid Request'],
    ['null', null, '-32600 invalid_request', 'Invalid Request'],
    ['"x"', null, '-32600 invalid_request', 'Invalid Request'],
    ['[]', null, '-32600 invalid_request', 'Invalid Request'],
    [`[${request(1, 'ping')}]`, null, '-32600 invalid_request', 'Invalid Request'],
    ['{"id":5,"method":"ping"}', 5, '-32600 invalid_request', 'Invalid Request'],
    ['{"jsonrpc":"1.0","id":5,"method":"ping"}', 5, '-32600 invalid_request', 'Invalid Request'],
    ['{"jsonrpc":"2.0","id":5}', 5, '-32600 invalid_request', 'Invalid Request'],
    ['{"jsonrpc":"2.0","id":5,"method":7}', 5, '-32600 invalid_request', 'Invalid Request'],
    ['{"jsonrpc":"2.0","method":7}', null, '-32600 invalid_request', 'Invalid Request'],
    ['{"jsonrpc":"2.0","id":true,"method":"ping"}', null, '-32600 invalid_request', 'Invalid Request'],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, '-32600 invalid_request', 'Invalid Request'],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null, '-32600 invalid_request', 'Invalid Request'],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, '-32600 invalid_request', 'Invalid Request'],
    [request(1, 'no/such'), 1, '-32601 method_not_found', 'Method not found: no/such'],
    [call('x', undefined), 'x', '-32602 invalid_params', 'Invalid params'],
    [call(1, {}), 1, '-32602 invalid_params', 'Invalid params'],
    [call(1, { name: 3 }), 1, '-32602 invalid_params', 'Invalid params'],
    [call(1, { name: 'no_such_tool' }), 1, '-32601 tool_not_found', 'Tool not found: "no_such_tool"'],
    [read(1, []), 1, '-32602 invalid_params', 'Invalid params'],
    [read(1, undefined), 1, '-32602 missing_param', 'Invalid params: Missing parameter: path'],
    [read(1, {}), 1, '-32602 missing_param', 'Invalid params: Missing parameter: path'],
    [read(1, { path: 5 }), 1, '-32602 invalid_type', 'Invalid params'],
    [read(1, { path: null }), 1, '-32602 invalid_type', 'Invalid params'],
    [read(1, { path: true }), 1, '-32602 invalid_type', 'Invalid params'],
    [read(1, { path: {} }), 1, '-32602 invalid_type', 'Invalid params'],
  ])('answers %s', async (line, id, expected, message) => {
    const answer = await one(line)
    expect(answer.id).toBe(id)
    expect(verdict(answer)).toBe(expected)
    expect(answer.error?.message.startsWith(message)).toBe(true)
  })

  it('works without a handshake, with what it does not know, and with CRLF', async () => {
    const wanted = { path: 'A.java', extra: 1, constructor: 2 }
    const line = read('s', wanted).replace('"extra"', '"__proto__"')
    for (const answer of [await one(line), await one(`${line}\r`), await one(`\ufeff${line}`)]) {
      expect(answer.id).toBe('s')
      expect(textOf(answer)).toBe('class A {}\n')
    }
  })

  it('answers no notification, however wrong', async () => {
    const silent = [
      notification('notifications/initialized'),
      notification('no/such'),
      notification('tools/call', { name: 'x' }),
    ]
    const results = ['{"jsonrpc":"2.0","id":9,"result":{}}', '{"jsonrpc":"2.0","id":9,"error":{}}']
    expect(await say(...silent, '', '  ', ...results)).toEqual([])
  })

  it('agrees on every revision it knows, and offers the newest for one it does not', async () => {
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const [answer] = await say(initialize(1, { protocolVersion: version }))
      expect(answer?.result).toMatchObject({
        protocolVersion: version,
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: 'SentinelMcpServer' },
      })
    }
    const [answer] = await say(initialize(1, { protocolVersion: '1999-01-01' }))
    expect(answer?.result.protocolVersion).toBe('2025-11-25')
  })

  it('lists its tools in one order, each with a schema', async () => {
    const [first, second] = await say(request(1, 'tools/list'), request(2, 'tools/list'))
    expect(first?.result).toEqual(second?.result)
    expect(first?.result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'readProjectStructure',
      'readJavaFile',
      'write_architecture_report',
      'discover_service_interconnections',
      'get_project_structure',
      'extract_architectural_signatures',
      'analyze_project',
      'generate_master_arch_report',
    ])
    for (const { name, inputSchema, annotations } of first?.result.tools ?? []) {
      expect(name).toMatch(/^[A-Za-z0-9_.-]{1,128}$/)
      expect(inputSchema).toMatchObject({
        type: 'object',
        properties: expect.any(Object),
        required: expect.any(Array),
      })
      expect(annotations).toMatchObject({
        readOnlyHint: !/^(write|generate)/.test(name),
        openWorldHint: false,
      })
    }
    const [locked] = await (async () => {
      const server = new Sentinel(root, ['--read-only'])
      server.send(request(1, 'tools/list'))
      await server.finish()
      return server.answers(1)
    })()
    expect(JSON.stringify(locked)).not.toContain('write_architecture_report')
  })

  it('never asks a client for roots: nothing it could say would widen ours', async () => {
    const answers = await say(
      initialize(1, { protocolVersion: '2025-06-18', capabilities: { roots: { listChanged: true } } }),
      notification('notifications/initialized'),
      notification('notifications/roots/list_changed'),
      read(2, { path: '/etc/passwd' }),
    )
    expect(answers).toHaveLength(2)
    expect(verdict(answers[1] as Message)).toBe('-32000 outside_root')
  })

  it('survives a line of twenty mebibytes and one that is not UTF-8', async () => {
    const server = new Sentinel(root)
    await server.write(Buffer.concat([Buffer.alloc(20 * 1024 * 1024, 'x'), Buffer.from('\n')]))
    await server.write(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]))
    server.send(request(3, 'ping'))
    const [large, garbled, pong] = await server.answers(3)
    expect(verdict(large as Message)).toBe('-32600 invalid_request')
    expect(verdict(garbled as Message)).toBe('-32700 parse_error')
    expect(pong).toMatchObject({ id: 3, result: {} })
    await server.finish()
  })

  it('takes requests in any chunks', async () => {
    const server = new Sentinel(root)
    const bytes = Buffer.from(`${read(1, { path: 'A.java' })}\n${read(2, { path: 'A.java' })}\n`)
    for (let at = 0; at < bytes.length; at += 17) await server.write(bytes.subarray(at, at + 17))
    expect((await server.answers(2)).map(({ id }) => id).sort()).toEqual([1, 2])
    await server.finish()
  })

  it('answers a thousand calls sent in one breath, each once', async () => {
    const lines = Array.from({ length: 1_000 }, (_, id) =>
      read(id, { path: id % 2 === 0 ? 'A.java' : '../x' }),
    )
    const answers = await say(...lines)
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1_000)
    for (const answer of answers) {
      expect(verdict(answer)).toBe(Number(answer.id) % 2 === 0 ? 'success' : '-32000 traversal')
    }
  })

  it('does not answer a call that was cancelled', async () => {
    const answers = await say(
      read(1, { path: 'A.java' }),
      notification('notifications/cancelled', { requestId: 1 }),
      request(2, 'ping'),
    )
    expect(answers.map(({ id }) => id)).toEqual([2])
  })
})

describe('the life of sentinel-mcp', () => {
  it('answers shutdown, then what is under way, and ends with 0', async () => {
    const server = new Sentinel(root)
    server.send(read(1, { path: 'A.java' }), request(2, 'shutdown'))
    const { code } = await server.ended()
    expect(code).toBe(0)
    const answers = await Promise.all([server.answer(1), server.answer(2)])
    expect(answers[1]?.result).toEqual({})
    expect(textOf(answers[0] as Message)).toBe('class A {}\n')
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 on %s', async (signal) => {
    const server = new Sentinel(root)
    await server.read('A.java')
    server.child.kill(signal)
    expect(await server.ended()).toMatchObject({ code: 0, signal: null })
  })

  it('ends with 0 when stdout is closed', async () => {
    const server = new Sentinel(root)
    await server.read('A.java')
    server.child.stdout.destroy()
    for (let at = 0; at < 50; at += 1) server.send(read(at + 10, { path: 'A.java' }))
    const { code, stderr } = await server.ended()
    expect(code).toBe(0)
    expect(stderr).not.toMatch(/EPIPE|at /)
  })

  it.each([
    [['--root', '/no/such/folder']],
    [['/no/such/folder']],
    [['--root', '/dev/null']],
    [['--no-such-flag']],
  ])('does not start with %j: 1, and nothing on stdout', async (args) => {
    const server = new Sentinel(undefined, args)
    expect(await server.ended()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/\S/) })
  })

  it('takes its root from the flag, the first word, the variable, or where it stands', async () => {
    const ways: readonly Sentinel[] = [
      new Sentinel(root, [], { env: { SENTINEL_ROOT: '/no/such' } }),
      new Sentinel(undefined, [root], { env: { SENTINEL_ROOT: '/no/such' } }),
      new Sentinel(undefined, [], { env: { SENTINEL_ROOT: root } }),
      new Sentinel(undefined, [], { cwd: root }),
    ]
    for (const server of ways) {
      expect(textOf(await server.list('.'))).toBe('A.java\nsrc/')
      await server.finish()
    }
  })

  it('says why it dies of a bug, and ends with 1', async () => {
    const bug = 'data:text/javascript,setTimeout(()=>Promise.reject(new Error("boom")),300)'
    const server = new Sentinel(root, [], { node: ['--import', bug] })
    const { code, stdout, stderr } = await server.ended()
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/ERROR SentinelMcpServer - fatal .*boom/)
  })
})

describe('the log of sentinel-mcp', () => {
  const LINE = /^\d\d:\d\d:\d\d\.\d{3} \[[^\]]+\] (DEBUG|INFO |WARN |ERROR) SentinelMcpServer - \S/

  it('has one line an event on stderr, in the form of a Java logger, and says what was blocked', async () => {
    const server = new Sentinel(root, ['--log-level', 'debug'])
    await server.read('A.java')
    await server.read('../x\u001b[2J\nforged')
    await eventually('the log', () => server.stderr.includes('blocked'))
    const { stdout, stderr } = await server.finish()
    for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('jsonrpc')
    const lines = stderr.trim().split('\n')
    for (const line of lines) expect(line).toMatch(LINE)
    expect(stderr).toMatch(/INFO {2}SentinelMcpServer - starting/)
    expect(stderr).toMatch(/INFO {2}SentinelMcpServer - registered tool readJavaFile/)
    expect(stderr).toMatch(
      /WARN {2}SentinelMcpServer - blocked: source \{"request":2,"tool":"readJavaFile","reason":"jail\.bad_path"/,
    )
    expect(stderr).toMatch(/INFO {2}SentinelMcpServer - stopped/)
    expect(stderr).not.toContain('class A')
    expect(stderr).not.toContain('\u001b')
  })

  it('warns of bad arguments and blocked paths, and calls breaches of security and broken disks errors', async () => {
    execFileSync('mkfifo', [join(root, 'pipe.java')])
    const server = new Sentinel(root, ['--log-level', 'debug'])
    const expected: readonly (readonly [level: string, words: RegExp, ask: () => Promise<unknown>])[] = [
      ['WARN ', /bad arguments .*"tool":"readJavaFile"/, () => server.ask('readJavaFile', {})],
      ['WARN ', /not a call .*-32601/, () => server.ask('no_such_tool', {})],
      ['DEBUG', /argument ignored .*"odd"/, () => server.ask('readJavaFile', { path: 'A.java', odd: 1 })],
      ['WARN ', /failed: source .*jail\.extension/, () => server.read('a.exe')],
      ['WARN ', /blocked: source .*jail\.traversal/, () => server.read('../x.java')],
      ['WARN ', /blocked: source .*jail\.home/, () => server.read('~/x.java')],
      ['WARN ', /blocked: source .*jail\.outside_root/, () => server.read('/etc/passwd')],
      ['ERROR', /blocked: source .*jail\.special_file/, () => server.read('pipe.java')],
      [
        'ERROR',
        /blocked: report .*jail\.read_only/,
        () => server.ask('write_architecture_report', { fileName: 'x.md', content: 'x' }),
      ],
    ]
    for (const [, , ask] of expected) await ask()
    const { stderr } = await server.finish()
    const lines = stderr.split('\n')
    for (const [at, [level, words]] of expected.entries()) {
      const line = lines.find((one) => words.test(one)) ?? ''
      expect(line).toContain(`${level} SentinelMcpServer - `)
      expect(line).toContain(`"request":${at + 1}`)
    }
    expect(stderr).toContain(`starting {"root":"${root}"}`)
  })

  it('tells the time of day where the machine stands', async () => {
    const hours = await Promise.all(
      ['UTC', 'Asia/Tokyo'].map(async (TZ) => {
        const { stderr } = await new Sentinel(root, [], { env: { TZ } }).finish()
        return Number(stderr.slice(0, 2))
      }),
    )
    const [here = 0, there = 0] = hours
    // The hour may change between the two.
    expect([9, 8, 10]).toContain((there - here + 24) % 24)
  })

  it('is JSON when asked', async () => {
    const server = new Sentinel(root, ['--log-format', 'json'])
    await server.read('../x')
    const { stderr } = await server.finish()
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'warn', request: 1, reason: 'jail.traversal' }),
    )
  })
})
