import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeFolder, Program, sweep } from '../support/binary.ts'
import { BACKEND, gate } from '../support/gate.ts'
import { request } from '../support/messages.ts'
import { Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

const isRoot = process.getuid?.() === 0
/** A user of this machine who owns nothing. */
const OTHER_UID = 65_534

afterAll(sweep)

/** The state folder of a user, in which no server was started yet. */
const newUser = async () => {
  const state = await makeFolder()
  const file = join(state, 'warrant', 'serve.token')
  return { env: { XDG_STATE_HOME: state }, file, token: () => readFileSync(file, 'utf8') }
}
type User = Awaited<ReturnType<typeof newUser>>

const start = async ({ env }: User, cwd: string, ...args: readonly string[]) => {
  const program = new Program(['serve', '--port', '0', '--json', ...args], { cwd, env })
  const [banner = ''] = await program.heard(1)
  return { program, url: String(JSON.parse(banner).url) }
}

const statusOf = async (url: string, token?: string): Promise<number> =>
  (await fetch(url, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })).status

/** Every route, from the reference page, which a test compares with the routes. */
const ROUTES = [
  ...readFileSync('docs/reference/http.md', 'utf8').matchAll(/^\| `(\/[^`]*)` \| (\w+)[^|]*\| ([^|]*) \|/gm),
].map(([, path = '', method = '', token]) => ({ path, method, token }))
const CLOSED = ROUTES.filter(({ path }) => path !== '/health' && !path.startsWith('/.well-known/'))

describe('The token of `warrant serve`', () => {
  it('is made at the first start, closed to others, and is the same at the next one', async () => {
    const [user, cwd] = [await newUser(), await makeFolder()]
    const servers = await Promise.all([start(user, cwd), start(user, cwd)])
    expect([statSync(dirname(user.file)).mode & 0o777, statSync(user.file).mode & 0o777]).toEqual([
      0o700, 0o600,
    ])
    servers.push(await start(user, cwd))
    for (const { url, program } of servers) {
      expect([await statusOf(`${url}/`), await statusOf(`${url}/`, user.token())]).toEqual([401, 200])
      expect(program.lines.join() + program.stderr).not.toContain(user.token())
    }
    expect(user.token()).toMatch(/^[\w-]{43}$/)
    expect((await newUser()).file).not.toBe(user.file)
  })

  it('is needed at every address and every path but /health', async () => {
    const [user, cwd] = [await newUser(), await makeFolder()]
    expect(CLOSED.length).toBeGreaterThan(15)
    for (const host of ['127.0.0.1', '0.0.0.0', 'localhost']) {
      const { url, program } = await start(user, cwd, '--host', host)
      const base = `http://localhost:${new URL(url).port}`
      for (const { path, method } of [...CLOSED, { path: '/no-such', method: 'GET' }])
        expect([path, (await fetch(base + path, { method })).status]).toEqual([path, 401])
      expect(await (await fetch(`${base}/health`)).text()).toBe('{"status":"ok"}')
      program.child.kill('SIGTERM')
    }
  })

  const BROKEN: Readonly<Record<string, readonly [(user: User) => void, RegExp]>> = {
    'a file that others may read': [
      ({ file }) => chmodSync(file, 0o640),
      /is open to other users\. .*chmod [67]00 /,
    ],
    'a folder that others may enter': [
      ({ file }) => chmodSync(dirname(file), 0o755),
      /is open to other users\. .*chmod [67]00 /,
    ],
    'an empty file': [({ file }) => writeFileSync(file, ''), /holds no token\. .*Remove the file/],
    'a short token': [({ file }) => writeFileSync(file, 'secret\n'), /holds no token/],
    'a link': [
      ({ file }) => {
        renameSync(file, `${file}.away`)
        symlinkSync(`${file}.away`, file)
      },
      /serve\.token cannot be read/,
    ],
    ...(isRoot && {
      'a file of another user': [
        ({ file }) => chownSync(file, OTHER_UID, OTHER_UID),
        /serve\.token belongs to other users\. .*chown -R 0 /,
      ],
      'a folder of another user': [
        ({ file }) => chownSync(dirname(file), OTHER_UID, OTHER_UID),
        /warrant belongs to other users/,
      ],
    }),
  }
  it.each(Object.entries(BROKEN))('refuses an unsafe token file: %s', async (_, [harm, says]) => {
    const [user, cwd] = [await newUser(), await makeFolder()]
    const { program } = await start(user, cwd)
    program.child.kill('SIGTERM')
    harm(user)
    const { code, stdout, stderr } = await new Program(['serve', '--port', '0'], {
      cwd,
      env: user.env,
    }).ended()
    expect(code).toBeGreaterThan(0)
    expect(stdout).toBe('')
    expect(stderr).toMatch(says)
  })

  it('is named where a client is connected, and in no file of the repository', async () => {
    const [user, repo] = [await newUser(), Repo.init().commit({ a: '1' })]
    const { url, program } = await start(user, repo.folder)
    const index = await (await fetch(url, { headers: { authorization: `Bearer ${user.token()}` } })).text()
    expect(index).toContain(`export WARRANT_TOKEN="$(cat ${user.file})"`)
    expect(index).toContain(`${url}/mcp --header 'Authorization: Bearer \${WARRANT_TOKEN}'`)
    const options = { cwd: repo.folder, env: user.env }
    const printed = await new Program(['config', 'client', 'vscode'], options).ended()
    expect(printed.stderr).toContain(
      `The token is in ${user.file}; keep it out of the files of the repository.`,
    )
    for (const text of [index, printed.stdout, printed.stderr]) expect(text).not.toContain(user.token())
    expect(repo.git('status', '--porcelain', '--ignored')).toBe('')
    program.child.kill('SIGTERM')
  })
})

/** Runs as another user: tries the secret, and each request with each set of headers; prints what came back. */
const INTRUDER = `
const { readFileSync } = require('node:fs')
const http = require('node:http')
const [port, file, requests] = JSON.parse(readFileSync(0, 'utf8'))
const own = () => { try { return readFileSync(file, 'utf8') } catch ({ code }) { return code } }
const ask = ({ method, path, headers, body }) => new Promise((settle) => {
  const request = http.request({ port, host: '127.0.0.1', method, path, headers }, (response) => {
    let text = ''
    response.on('data', (part) => { text += part })
    response.on('end', () => settle({ path, status: response.statusCode, text }))
  })
  request.on('error', ({ code }) => settle({ path, status: 0, text: code }))
  request.end(body)
})
const all = async () => {
  const answers = []
  for (const one of requests) answers.push(await ask(one))
  return { uid: process.getuid(), secret: own(), answers }
}
all().then((found) => console.log(JSON.stringify(found)))
`

const GUESSES: readonly Readonly<Record<string, string>>[] = [
  {},
  { authorization: 'Bearer ' },
  { authorization: 'Bearer undefined' },
  { authorization: `Bearer ${'A'.repeat(43)}` },
  { authorization: 'Basic cm9vdDo=' },
  { cookie: 'token=x; warrant=x' },
  { origin: 'http://localhost', 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' },
]

describe.runIf(isRoot)('Another user of the machine', () => {
  it('gets nothing but ok from /health: no byte, no run and no signature', async () => {
    const user = await newUser()
    const repo = Repo.init().commit({ 'package.json': BACKEND, 'src/a.ts': 'export const marmalade = 1\n' })
    gate(repo, ['--stage', 'PRE_COMMIT'], { env: user.env })
    const size = () => runJson(repo.folder, ['log', 'verify'], user.env).value.chain.size
    const before = [size(), repo.git('status', '--porcelain', '--ignored')]
    const { url, program } = await start(user, repo.folder)
    const call = request(1, 'tools/call', { name: 'gate_run', arguments: { stage: 'PRE_COMMIT' } })
    const tool = '{"name":"ai_gate_check","args":{"stage":"PRE_COMMIT"}}'
    const twisted = [
      '/health/../status',
      '//status',
      '/health?/../metrics',
      '/%2e/metrics',
      '/tiles/tile/0/000',
    ]
    const paths = [...CLOSED, ...twisted.map((path) => ({ path, method: 'GET' }))]
    const requests = GUESSES.flatMap((guess) =>
      paths.map(({ path, method }) => ({
        path,
        method,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...guess,
        },
        ...(method === 'POST' && { body: path === '/mcp' ? call : tool }),
      })),
    )
    const { status, stdout } = spawnSync(process.execPath, ['-e', INTRUDER], {
      uid: OTHER_UID,
      gid: OTHER_UID,
      cwd: '/',
      input: JSON.stringify([
        new URL(url).port,
        user.file,
        [{ path: '/health', method: 'GET' }, ...requests],
      ]),
      encoding: 'utf8',
    })
    expect(status).toBe(0)
    const { uid, secret, answers } = JSON.parse(stdout)
    expect([uid, secret]).toEqual([OTHER_UID, 'EACCES'])
    const [health, ...rest] = answers as readonly { path: string; status: number; text: string }[]
    expect(health).toEqual({ path: '/health', status: 200, text: '{"status":"ok"}' })
    expect(rest).toHaveLength(requests.length)
    for (const { path, status: answered, text } of rest) {
      const isHealth = path.startsWith('/health?')
      expect([path, answered]).toEqual([path, isHealth ? 200 : 401])
      if (!isHealth)
        expect(JSON.stringify(JSON.parse(text))).toMatch(/^[^/]*A bearer token is required[^/]*$/)
    }
    program.child.kill('SIGTERM')
    await program.ended()
    expect([size(), repo.git('status', '--porcelain', '--ignored')]).toEqual(before)
  })
})
