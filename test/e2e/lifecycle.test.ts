import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, openSync, writeSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BINARY,
  cleanEnvironment,
  eventually,
  makeFolder,
  Program,
  startHttp,
  sweep,
  WAIT_MS,
} from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { envelope, initialize, modern, readMessage, request } from '../support/messages.ts'
import { isRunning } from '../support/process.ts'
import { LOCAL, LOCAL_TEXT, RawClient, rawRequest } from '../support/raw-http.ts'

// The promise is one second; the rest is for a machine with every core busy.
const STOP_MS = 2_500
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
const onLinux = process.platform === 'linux'
const CALL = request(1, 'tools/call', { name: 'warrant_status' })

afterAll(sweep)

/** A `git` that takes its time, so that a call does, and that leaves its process id behind. */
const slowGit = async (seconds: number) => {
  // A program of the repository is not started.
  const [folder, programs] = [await makeFolder(), await makeFolder()]
  const pids = join(folder, 'pids')
  await writeFile(join(programs, 'git'), `#!/bin/sh\necho $$ >>${pids}\nexec sleep ${seconds}\n`)
  await chmod(join(programs, 'git'), 0o755)
  await mkdir(join(folder, '.git'))
  await writeFile(join(folder, '.git/config'), '')
  return {
    options: { cwd: folder, env: { PATH: `${programs}:${process.env.PATH}` } },
    /** The process that a call under way waits for. */
    async started(): Promise<number> {
      let pid = 0
      await eventually('the start of git', async () => {
        pid = Number((await readFile(pids, 'utf8').catch(() => '')).split('\n')[0])
        return pid > 0
      })
      return pid
    },
  }
}

const expectGone = (what: string, pid: number) =>
  eventually(`the end of ${what}`, () => !isRunning(pid), 3_000)

const stopsInTime = async (program: Program, signal: NodeJS.Signals) => {
  program.child.kill(signal)
  expect(await program.ended(STOP_MS)).toMatchObject({ code: 0, signal: null, stderr: '' })
}

describe.concurrent('When the client hangs up', () => {
  test('a request that needs the SDK is still answered', async () => {
    const program = new Program(['mcp'])
    program.send(initialize(), request(1, 'resources/read', { uri: 'warrant://about' }))
    expect(await program.finish()).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(program.lines.map(readMessage)).toMatchObject([{ id: 0 }, { id: 1, result: { contents: [{}] } }])
  })

  test('a slow call is still answered', async () => {
    const { options } = await slowGit(0.5)
    const program = new Program(['mcp'], options)
    program.send(initialize(), CALL)
    expect(await program.finish()).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(program.lines.map(readMessage)).toMatchObject([
      { id: 0 },
      { id: 1, result: { structuredContent: { readOnly: false } } },
    ])
  })

  test.runIf(onLinux)('a call that takes too long is waited for until the limit, and told so', async () => {
    const git = await slowGit(60)
    const program = new Program(['mcp', '--limits-drain-ms', '500'], git.options)
    program.send(CALL)
    const pid = await git.started()
    expect(await program.finish(STOP_MS)).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(program.lines.map(readMessage)).toMatchObject([{ id: 1, error: { code: -32000 } }])
    await expectGone('git', pid)
  })

  test('an open subscription ends with its final word', async () => {
    const program = new Program(['mcp'])
    program.send(
      modern('listen', 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
      modern(2, 'tools/list'),
    )
    await program.answers(2)
    expect(await program.finish()).toMatchObject({ code: 0, signal: null, stderr: '' })
    const messages = program.lines.map(readMessage)
    expect(messages.filter(({ id }) => id === 2)).toHaveLength(1)
    expect(messages.filter(({ id }) => id === 'listen')).toHaveLength(1)
  })

  test('before it said anything, nothing is said', async () => {
    expect(await new Program(['mcp']).finish()).toEqual({ code: 0, signal: null, stdout: '', stderr: '' })
  })

  test('a file in place of a pipe is served to its end', async () => {
    const folder = await makeFolder()
    await writeFile(join(folder, 'in'), `${initialize()}\n${CALL}\n${request(2, 'resources/list')}`)
    const [input, output] = [openSync(join(folder, 'in'), 'r'), openSync(join(folder, 'out'), 'w')]
    const child = spawn(process.execPath, [BINARY, 'mcp'], {
      stdio: [input, output, 'ignore'],
      env: cleanEnvironment(),
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    closeSync(input)
    closeSync(output)
    const lines = (await readFile(join(folder, 'out'), 'utf8')).trim().split('\n')
    expect(code).toBe(0)
    expect(lines.map((line) => readMessage(line).id).sort()).toEqual([0, 1, 2])
  })
})

const ORDERS = fileURLToPath(new URL('../fixtures/orders', import.meta.url))
const STDIO_SERVERS: Readonly<Record<string, readonly string[]>> = {
  warrant: ['mcp', '--toolsets', 'all'],
  'sentinel-mcp': [],
  'scg-mcp-server': ['--store', 'memory'],
  'cpm-mcp': [],
  'pumuki-mcp-evidence': ['--stdio'],
  'pumuki-mcp-enterprise': ['--stdio'],
}

describe.concurrent('A client that hangs up with calls under way', () => {
  test.each(Object.entries(STDIO_SERVERS))('has one answer to each request from %s', async (binary, args) => {
    const cwd = await makeFolder()
    await cp(ORDERS, cwd, { recursive: true })
    const asking = new Program(args, { binary, cwd })
    asking.send(request(0, 'tools/list'))
    const [list] = await asking.answers(1)
    await asking.finish()
    const tools: readonly { name: string }[] = list?.result.tools
    const values = { path: '.', projectPath: '.', rootPath: '.', node_id: '0', name: 'a', ref: 'a', q: 'a' }
    const calls = tools.map(({ name }, at) => request(at, 'tools/call', { name, arguments: values }))
    for (const drain of ['1', '60']) {
      const program = new Program([...args, '--limits-drain-ms', drain], { binary, cwd })
      program.send(...calls, request('list', 'resources/list'))
      // A thread that is still busy may have to be killed, so the exit code is not looked at.
      await program.finish()
      const messages = program.lines.map(readMessage).filter(({ id }) => id !== undefined)
      const asked = [...calls.keys(), 'list'].map(String).sort()
      expect(messages.map(({ id }) => String(id)).sort()).toEqual(asked)
      if (binary === 'sentinel-mcp' && drain === '1')
        expect(messages).toContainEqual(
          expect.objectContaining({
            error: {
              code: -32000,
              message: 'The server stopped before it had an answer',
              data: { details: 'The server stopped before it had an answer', reason: 'timeout' },
            },
          }),
        )
    }
  })
})

describe.concurrent.each(someRows(SIGNALS, 2))('%s', (signal) => {
  test('ends an idle stdio server', async () => {
    const program = new Program(['mcp'])
    program.send(initialize())
    await program.answers(1)
    await stopsInTime(program, signal)
  })

  test('ends a stdio server whose client does not read', async () => {
    const program = new Program(['mcp'])
    program.send(request('first', 'ping'))
    await program.answers(1)
    program.child.stdout.pause()
    program.child.stdin.write(`${request(1, 'tools/list')}\n`.repeat(500))
    // Enough to fill the pipe, so that the server has something it cannot write.
    await new Promise((resolve) => setTimeout(resolve, 500))
    program.child.kill(signal)
    const ended = new Promise((resolve) => program.child.on('exit', (code, by) => resolve({ code, by })))
    const late = new Promise((resolve) => setTimeout(resolve, STOP_MS, 'late'))
    expect(await Promise.race([ended, late])).toEqual({ code: 0, by: null })
    program.child.stdout.resume()
    expect((await program.ended()).stderr).toBe('')
  })

  test.runIf(onLinux)('ends a stdio server in the middle of a call, and what the call started', async () => {
    const git = await slowGit(60)
    const program = new Program(['mcp'], git.options)
    program.send(CALL)
    const pid = await git.started()
    await stopsInTime(program, signal)
    await expectGone('git', pid)
  })

  test('ends an HTTP server with idle, slow and listening clients', async () => {
    const program = await startHttp()
    const clients = Array.from({ length: 20 }, () => new RawClient(program.port))
    const [idle, listening, ...slow] = clients
    idle?.send(rawRequest('GET', '/health', LOCAL))
    await idle?.answer()
    const listen = modern(1, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
    listening?.send(
      rawRequest(
        'POST',
        '/mcp',
        [
          ...LOCAL,
          ['Content-Type', 'application/json'],
          ['Accept', 'application/json, text/event-stream'],
          ['MCP-Protocol-Version', '2026-07-28'],
          ['Mcp-Method', 'subscriptions/listen'],
        ],
        listen,
      ),
    )
    for (const client of slow) client.send(`POST /mcp HTTP/1.1\r\n${LOCAL_TEXT}Content-Length: 9\r\n\r\n{`)
    // Connections are accepted in order: after this answer all others are there.
    const last = new RawClient(program.port)
    last.send(rawRequest('GET', '/health', LOCAL))
    await last.answer()
    await stopsInTime(program, signal)
    const refused = await new Promise((resolve) => connect(program.port, '127.0.0.1').on('error', resolve))
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' })
    for (const client of [...clients, last]) client.destroy()
  })

  test.runIf(onLinux)('ends an HTTP server in the middle of a call, and what the call started', async () => {
    const git = await slowGit(60)
    const program = await startHttp([], git.options)
    const client = new RawClient(program.port)
    const body = modern(1, 'tools/call', { name: 'warrant_status' })
    client.send(
      rawRequest(
        'POST',
        '/mcp',
        [
          ...LOCAL,
          ['Content-Type', 'application/json'],
          ['MCP-Protocol-Version', '2026-07-28'],
          ['Mcp-Method', 'tools/call'],
          ['Mcp-Name', 'warrant_status'],
        ],
        body,
      ),
    )
    const pid = await git.started()
    await stopsInTime(program, signal)
    client.destroy()
    await expectGone('git', pid)
  })

  test('twice is not worse than once', async () => {
    const program = new Program(['mcp'])
    program.send(request(1, 'ping'))
    await program.answers(1)
    program.child.kill(signal)
    await stopsInTime(program, signal)
  })
})

describe.concurrent('When stdout is closed', () => {
  test.each([
    ['a ping', request(1, 'ping')],
    ['a list', request(1, 'tools/list')],
    ['a call', CALL],
    ['a request for the SDK', request(1, 'resources/list')],
    ['garbage', 'not JSON'],
  ])('the stdio server ends quietly at its next word: %s', async (_, line) => {
    const program = new Program(['mcp'])
    program.send(initialize())
    await program.answers(1)
    program.child.stdout.destroy()
    program.send(line)
    expect(await program.ended(5_000)).toMatchObject({ code: 0, signal: null, stderr: '' })
  })

  test.runIf(onLinux)('a call under way ends too, with what it started', async () => {
    const git = await slowGit(60)
    const program = new Program(['mcp'], git.options)
    program.send(CALL)
    const pid = await git.started()
    program.child.stdout.destroy()
    program.send(request(2, 'ping'))
    expect(await program.ended(5_000)).toMatchObject({ code: 0, signal: null, stderr: '' })
    await expectGone('git', pid)
  })

  test.each(['--help', '--version', 'config tools', 'config', 'serve --help'])(
    '`warrant %s` ends without a stack trace',
    async (words) => {
      const child = spawn(process.execPath, [BINARY, ...words.split(' ')], { env: cleanEnvironment() })
      child.stdout.destroy()
      let stderr = ''
      child.stderr.setEncoding('utf8').on('data', (text) => {
        stderr += text
      })
      await new Promise((resolve) => child.on('close', resolve))
      expect(stderr).toBe('')
    },
  )

  test('an HTTP server goes on serving', async () => {
    const free = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => free.once('listening', resolve))
    const { port } = free.address() as AddressInfo
    await new Promise((resolve) => free.close(resolve))
    const program = new Program(['serve', '--port', String(port)])
    program.child.stdout.destroy()
    await eventually('an answer', () =>
      fetch(`http://127.0.0.1:${port}/health`).then(
        ({ ok }) => ok,
        () => program.child.exitCode !== null,
      ),
    )
    expect({ code: program.child.exitCode, stderr: program.stderr }).toEqual({ code: null, stderr: '' })
    await stopsInTime(program, 'SIGTERM')
  })
})

describe('When stderr is closed', () => {
  test('the server works on', async () => {
    const program = new Program(['mcp', '--log-level', 'debug'])
    program.child.stderr.destroy()
    program.send(initialize(), request(1, 'resources/list'), 'not JSON', CALL.replace('"id":1', '"id":2'))
    await program.answers(4)
    expect(await program.finish()).toMatchObject({ code: 0, signal: null })
  })
})

const GUARDIAN = `
  const { spawn } = require('node:child_process')
  const { openSync } = require('node:fs')
  const [binary, fifo] = process.argv.slice(1)
  const input = openSync(fifo, 'r+')
  const child = spawn(process.execPath, [binary, 'mcp'], { stdio: [input, 'inherit', 'inherit'] })
  console.log(JSON.stringify({ pid: child.pid }))
  setInterval(() => {}, 1000)
`

describe.runIf(onLinux)('When the parent is killed', () => {
  const guardians: ChildProcess[] = []
  afterAll(() => {
    for (const guardian of guardians) guardian.kill('SIGKILL')
  })

  test.each(['idle', 'in the middle of a call'])(
    'the server ends although stdin stays open: %s',
    async (state) => {
      const git = await slowGit(60)
      const fifo = join(git.options.cwd, 'fifo')
      await promisify(execFile)('mkfifo', [fifo])
      const held = openSync(fifo, 'r+')
      const guardian = spawn(process.execPath, ['-e', GUARDIAN, BINARY, fifo], {
        cwd: git.options.cwd,
        env: cleanEnvironment(git.options.env),
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      guardians.push(guardian)
      let said = ''
      guardian.stdout.setEncoding('utf8').on('data', (text) => {
        said += text
      })
      writeSync(held, `${request('up', 'ping')}\n`)
      await eventually('the first answer', () => said.includes('"id":"up"'))
      const { pid } = JSON.parse(said.split('\n').find((line) => line.startsWith('{"pid"')) ?? '') as {
        pid: number
      }
      if (state !== 'idle') writeSync(held, `${CALL}\n`)
      const helper = state === 'idle' ? undefined : await git.started()
      expect(isRunning(pid)).toBe(true)
      guardian.kill('SIGKILL')
      await expectGone('the server', pid)
      if (helper !== undefined) await expectGone('git', helper)
      closeSync(held)
    },
  )
})

describe.runIf(onLinux).concurrent('A server behind npm', () => {
  const childrenOf = async (pid: number): Promise<readonly number[]> =>
    (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => ''))
      .split(' ')
      .filter(Boolean)
      .map(Number)
  /** The server below npm: the last of a chain of shells. */
  const serverBelow = async (pid: number): Promise<number> => {
    const [child] = await childrenOf(pid)
    return child === undefined ? pid : serverBelow(child)
  }

  const STARTS: Readonly<Record<string, readonly string[]>> = {
    'npm run serve': ['run', '-s', 'serve'],
    'npm run mcp': ['run', '-s', 'mcp'],
    'npm exec, stdio': ['exec', '--no', '--', 'warrant', 'mcp'],
    'npm exec, HTTP': ['exec', '--no', '--', 'warrant', 'serve', '--port', '0', '--json'],
  }
  const rows = Object.keys(STARTS).flatMap((name) =>
    (['SIGKILL', 'SIGTERM', 'SIGHUP'] as const).map((signal) => [name, signal] as const),
  )
  test.each(someRows(rows, 4))(
    'ends with it, although its input stays open: %s, %s',
    async (name, signal) => {
      const cwd = await makeFolder()
      const scripts = { serve: 'warrant serve --port 0 --json', mcp: 'warrant mcp' }
      await writeFile(
        join(cwd, 'package.json'),
        JSON.stringify({ name: 'behind', version: '1.0.0', scripts }),
      )
      await mkdir(join(cwd, 'node_modules/.bin'), { recursive: true })
      await writeFile(
        join(cwd, 'node_modules/.bin/warrant'),
        `#!/bin/sh\nexec ${process.execPath} ${BINARY} "$@"\n`,
        { mode: 0o755 },
      )
      const npm = spawn('npm', STARTS[name] ?? [], {
        cwd,
        env: cleanEnvironment(),
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      let said = ''
      npm.stdout.setEncoding('utf8').on('data', (text) => {
        said += text
      })
      npm.stdin.write(`${request('up', 'ping')}\n`)
      await eventually('the start of the server', () => /"id":"up"|"url":/.test(said))
      const pid = await serverBelow(npm.pid ?? 0)
      expect(pid).not.toBe(npm.pid)
      npm.kill(signal)
      await eventually('the end of the server', () => !isRunning(pid))
    },
  )
})

describe.runIf(onLinux)('Sockets', () => {
  /** Addresses a process listens on, as the kernel writes them. */
  const listening = async (pid: number): Promise<readonly string[]> => {
    const fds = await readdir(`/proc/${pid}/fd`)
    const links = await Promise.all(fds.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')))
    const own = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]))
    const tables = await Promise.all(
      ['tcp', 'tcp6', 'udp', 'udp6'].map((name) =>
        readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => ''),
      ),
    )
    const rows = tables
      .flatMap((table) => table.trim().split('\n').slice(1))
      .map((row) => row.trim().split(/\s+/))
    return rows.filter((row) => own.has(row[9]) && row[3] !== '01').map((row) => row[1] ?? '')
  }

  test('the stdio server opens none', async () => {
    const program = new Program(['mcp'])
    program.send(initialize(), CALL, request(2, 'resources/list'))
    await program.answers(3)
    expect(await listening(program.pid)).toEqual([])
    await program.finish()
  })

  test('the HTTP server listens on loopback only, and on one port', async () => {
    const program = await startHttp()
    const port = program.port.toString(16).toUpperCase().padStart(4, '0')
    expect(await listening(program.pid)).toEqual([`0100007F:${port}`])
    await stopsInTime(program, 'SIGTERM')
  })
})

describe('A port that is taken', () => {
  test('is reported in one line, with exit code 1', async () => {
    const first = await startHttp()
    const second = new Program(['serve', '--port', String(first.port)])
    const { code, stdout, stderr } = await second.ended()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^warrant: cannot listen on 127\.0\.0\.1:\d+: the port is in use\. .+\n$/)
    expect((await fetch(`${first.url}/health`)).status).toBe(200)
  })

  test('is reported the same way when the address is not ours', async () => {
    const program = new Program(['serve', '--port', '0', '--host', '192.0.2.1'], {
      env: { WARRANT_TOKEN: 'x'.repeat(16) },
    })
    const { code, stdout, stderr } = await program.ended()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^warrant: [^\n]+\n$/)
  })
})

interface BadSettings {
  readonly file?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly says: RegExp
}

const badSettings: Readonly<Record<string, BadSettings>> = {
  'an unknown key': { file: '{"colour":"red"}', says: /colour/ },
  'an unknown key among the limits': { file: '{"limits":{"colour":1}}', says: /colour/ },
  'a key of Object.prototype': { file: '{"constructor":1}', says: /constructor/ },
  'the key __proto__': { file: '{"__proto__":{"readOnly":true}}', says: /__proto__/ },
  'a key with a newline': { file: '{"a\\nb":1}', says: /a/ },
  'a number as text': { file: '{"port":"80"}', says: /port/ },
  'a fraction': { file: '{"port":1.5}', says: /port/ },
  'a switch as text': { file: '{"readOnly":"yes"}', says: /readOnly/ },
  'a list as text': { file: '{"toolsets":"core"}', says: /toolsets/ },
  'limits that are a list': { file: '{"limits":[]}', says: /limits/ },
  'a limit of nothing': { file: '{"limits":{"callMs":0}}', says: /callMs/ },
  'broken JSON': { file: '{"port":', says: /not JSON/ },
  'an empty file': { file: '', says: /not JSON/ },
  'a file that is a list': { file: '[]', says: /not a JSON object/ },
  'a file that is not there': { args: ['--config', 'no-such.json'], says: /no-such\.json/ },
  'an unknown variable': { env: { WARRANT_COLOUR: 'red' }, says: /WARRANT_COLOUR/ },
  'a misspelt variable': { env: { WARRANT_READONLY: '1' }, says: /WARRANT_READONLY/ },
  'a variable of the wrong type': { env: { WARRANT_PORT: 'abc' }, says: /WARRANT_PORT/ },
  'a switch that is neither on nor off': { env: { WARRANT_READ_ONLY: 'maybe' }, says: /WARRANT_READ_ONLY/ },
  'a port out of range': { args: ['--port', '65536'], says: /port/ },
  'an unknown option': { args: ['--colour'], says: /colour/ },
  'an option without its value': { args: ['--port'], says: /port/ },
  'an unknown dialect': { args: ['--dialect', 'klingon'], says: /dialect/ },
  'a token that is too short': { args: ['--token', 'short'], says: /token/ },
  'an issuer that is no address': { args: ['--issuer', 'nobody'], says: /issuer/ },
  'an unknown toolset': { args: ['--toolsets', 'nope'], says: /nope/ },
  'an unknown tool': { args: ['--exclude-tools', 'nope'], says: /nope/ },
  'a word too many': { args: ['extra'], says: /too many/ },
}

// The long run has all of them, and both commands for each.
const everyBad = Object.entries(badSettings).map((entry, row) => [...entry, row] as const)
describe.concurrent.each(someRows(everyBad, 3))(
  'A setting that is wrong: %s',
  (_, { file, args = [], env = {}, says }, row) => {
    test.each(someRows(['mcp', 'serve'], 2, row % 2))(
      'is one line on stderr and exit code 2 from %s',
      async (command) => {
        const cwd = await makeFolder()
        if (file !== undefined) await writeFile(join(cwd, 'warrant.json'), file)
        const { code, stdout, stderr } = await new Program([command, ...args], { cwd, env }).finish()
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
        expect(stderr).toMatch(says)
        expect(stderr).toMatch(/^warrant: [^\n]+\n$/)
        expect(stderr).not.toContain(args.includes('--token') ? 'short' : '\0')
      },
    )
  },
)

const NOISE = `
import * as loose from 'node:console'
import standard from 'node:console'
process.on('SIGUSR2', () => {
  for (const one of [console, standard, loose]) {
    for (const name of ['log', 'info', 'debug', 'warn', 'error', 'trace', 'dir', 'dirxml', 'group', 'timeLog']) {
      one[name]('noise of ' + name)
    }
    one.groupEnd()
    one.table([{ noise: 1 }])
    one.count('noise')
    one.assert(false, 'noise')
    one.time('noise')
    one.timeEnd('noise')
  }
  setTimeout(() => console.log('late noise'))
  queueMicrotask(() => console.info('noise'))
  process.emitWarning('noise')
})
`

describe('Words that any module prints', () => {
  let preload = ''
  beforeAll(async () => {
    preload = join(await makeFolder(), 'noise.mjs')
    await writeFile(preload, NOISE)
  })

  test('go to stderr, so that stdout has only protocol lines', async () => {
    const program = new Program(['mcp'], { node: ['--import', preload] })
    program.send(initialize())
    await program.answers(1)
    program.child.kill('SIGUSR2')
    await eventually('the noise', () => program.stderr.includes('late noise'))
    program.send(request(1, 'tools/list'), request(2, 'resources/list'))
    await program.answers(3, WAIT_MS)
    const { code, stdout, stderr } = await program.finish()
    expect(code).toBe(0)
    expect(stdout).not.toContain('noise')
    expect(program.lines.map((line) => readMessage(line).id)).toEqual([0, 1, 2])
    expect(stderr).toContain('noise of log')
  })
})

describe('A stream of news', () => {
  test('survives being opened and closed over and over', async () => {
    const program = new Program(['mcp'])
    const ids = Array.from({ length: 50 }, (_, at) => `s${at}`)
    for (const id of ids) {
      program.send(
        modern(id, 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
        JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: id, _meta: envelope() },
        }),
      )
    }
    program.send(modern('last', 'tools/list'))
    await eventually('the last answer', () => program.lines.some((line) => line.includes('"id":"last"')))
    expect(await program.finish()).toMatchObject({ code: 0, signal: null, stderr: '' })
    const answers = program.lines.map(readMessage).filter(({ id }) => id !== undefined)
    expect(new Set(answers.map(({ id }) => id)).size).toBe(answers.length)
  })
})
