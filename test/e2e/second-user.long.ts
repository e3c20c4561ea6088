import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFolder, Program, sweep } from '../support/binary.ts'
import { BACKEND, gate } from '../support/gate.ts'
import { request } from '../support/messages.ts'
import { Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

/** A user of this machine with an account, beside the one who runs the server: the folders above are open to both. */

const NAME = `warrant${process.pid}`
const isRoot = process.getuid?.() === 0 && spawnSync('useradd', ['--help']).status === 0

/** Runs as the other user: walks the folders, tries each entry, and sends what it found as tokens. */
const INTRUDER = `
const { appendFileSync, readdirSync, readFileSync, writeFileSync } = require('node:fs')
const [port, pid, folders, requests] = JSON.parse(readFileSync(0, 'utf8'))
const attempt = (what) => { try { return what() } catch { return undefined } }
const [read, written] = [[], []]
const look = (path) => {
  const text = attempt(() => readFileSync(path, 'latin1'))
  if (text !== undefined) read.push([path, text])
  if (attempt(() => (appendFileSync(path, ''), true))) written.push(path)
}
const walk = (folder) => {
  if (attempt(() => (writeFileSync(folder + '/planted', ''), true))) written.push(folder)
  for (const entry of attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [])
    entry.isDirectory() ? walk(folder + '/' + entry.name) : look(folder + '/' + entry.name)
}
folders.forEach(walk)
for (const name of ['environ', 'mem', 'maps', 'fd/0', 'fd/1', 'root/etc/shadow']) look('/proc/' + pid + '/' + name)
const command = attempt(() => readFileSync('/proc/' + pid + '/cmdline', 'utf8')) ?? ''
const words = [...new Set((command + read.map(([, text]) => text).join()).match(/[\\w-]{16,}/g) ?? [])].slice(0, 200)
const ask = async ({ path, method, body }, token) => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  if (token !== undefined) headers.authorization = 'Bearer ' + token
  const response = await fetch('http://127.0.0.1:' + port + path, { method, headers, body })
  return [path, response.status, await response.text()]
}
const all = async () => {
  const answers = []
  for (const token of [undefined, ...words]) for (const one of requests) answers.push(await ask(one, token))
  console.log(JSON.stringify({ uid: process.getuid(), read: read.map(([path]) => path), written, words: words.length, answers }))
}
all()
`

describe.runIf(isRoot)('A second user with an account', () => {
  let uid = 0
  beforeAll(() => {
    expect(spawnSync('useradd', ['--no-create-home', '--shell', '/bin/sh', NAME]).status).toBe(0)
    uid = Number(spawnSync('id', ['-u', NAME], { encoding: 'utf8' }).stdout)
  })
  afterAll(async () => {
    spawnSync('userdel', [NAME])
    await sweep()
  })

  it.each(['serve', 'serve with a token to read'])('gets nothing of a server: %s', async (way) => {
    const [home, state] = [await makeFolder(), await makeFolder()]
    for (const folder of [home, state]) chmodSync(folder, 0o755)
    const folder = join(home, 'project')
    mkdirSync(folder, { mode: 0o700 })
    const repo = new Repo(folder)
    repo.git('init', '-q', '-b', 'feature/x')
    repo.commit({ 'package.json': BACKEND, 'src/a.ts': 'export const marmalade = 1\n' })
    const env = { XDG_STATE_HOME: state, HOME: home }
    expect(runJson(repo.folder, ['init', '--yes'], env).status).toBe(0)
    gate(repo, ['--stage', 'PRE_COMMIT'], { env })
    // The folders that hold the state are closed by themselves, also in a repository that others may read.
    for (const open of [folder, join(folder, '.git')]) chmodSync(open, 0o755)
    const reading = 'the-reading-token-of-the-tests'
    const more = way === 'serve' ? {} : { WARRANT_READ_TOKEN: reading }
    const server = new Program(['serve', '--port', '0', '--json'], { cwd: folder, env: { ...env, ...more } })
    const [banner = ''] = await server.heard(1)
    const { port } = new URL(JSON.parse(banner).url)
    const size = () => runJson(folder, ['log', 'verify'], env).value.chain.size
    const before = [size(), repo.git('status', '--porcelain', '--ignored')]
    const call = request(1, 'tools/call', { name: 'gate_run', arguments: { stage: 'PRE_COMMIT' } })
    const requests = [
      { path: '/health', method: 'GET' },
      ...['/', '/status', '/metrics', '/ai-evidence', '/tiles/checkpoint'].map((path) => ({
        path,
        method: 'GET',
      })),
      { path: '/mcp', method: 'POST', body: call },
      { path: '/tool', method: 'POST', body: '{"name":"ai_gate_check"}' },
    ]
    const input = JSON.stringify([
      port,
      server.child.pid,
      [join(folder, '.warrant'), state, join(folder, 'src')],
      requests,
    ])
    const { stdout } = spawnSync(process.execPath, ['-e', INTRUDER], {
      uid,
      gid: uid,
      cwd: '/',
      input,
      encoding: 'utf8',
    })
    const found = JSON.parse(stdout)
    // The sources of this repository are open to everyone.
    expect([found.uid, found.read, found.written]).toEqual([uid, [join(folder, 'src/a.ts')], []])
    expect(found.answers.length).toBe(requests.length * (1 + found.words))
    for (const [path, status, text] of found.answers) {
      if (path === '/health') expect([status, text]).toEqual([200, '{"status":"ok"}'])
      else expect([path, status, text]).toEqual([path, 401, expect.stringContaining('A bearer token')])
    }
    expect([size(), repo.git('status', '--porcelain', '--ignored')]).toEqual(before)
    // The same requests with the token of the owner are answered.
    const headers = {
      authorization: `Bearer ${readFileSync(join(state, 'warrant', 'serve.token'), 'utf8').trim()}`,
    }
    expect((await fetch(`http://127.0.0.1:${port}/status`, { headers })).status).toBe(200)
    server.child.kill('SIGTERM')
    await server.ended()
  })
})
