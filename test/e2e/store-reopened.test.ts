import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type HttpProgram, makeFolder, Program, startHttp, sweep } from '../support/binary.ts'
import { request } from '../support/messages.ts'

afterAll(sweep)

/** The superuser opens every file: the servers run as a user whom a mode stops. */
const OTHER = process.getuid?.() === 0 ? { uid: 65_534 } : {}

const newFolder = async (): Promise<string> => {
  const folder = await makeFolder()
  mkdirSync(join(folder, 'state'))
  if (OTHER.uid !== undefined)
    for (const path of [folder, join(folder, 'state')]) chownSync(path, OTHER.uid, 0)
  return folder
}

const call = async (server: HttpProgram, name: string, args: object) => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const body = request(1, 'tools/call', { name, arguments: args })
  const text = await (await server.fetch('/mcp', { method: 'POST', headers, body })).text()
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).result
}

describe.runIf(process.platform !== 'win32')('A write-ahead log that could not be opened for writing', () => {
  it('is opened again by the next write, and /ready says so until then', async () => {
    const cwd = await newFolder()
    const store = join(cwd, 'state', 'lineage.db')
    const args = ['--store', store, '--tool-access', 'all']
    const node = { belief: 0.5, energy: 1 }
    const options = { cwd, ...OTHER, env: { HOME: cwd, XDG_STATE_HOME: join(cwd, 'state') } }
    // It keeps the file, which the last connection removes.
    const keeper = new Program(['mcp', ...args], options)
    keeper.send(request(1, 'tools/call', { name: 'belief_create', arguments: node }))
    expect((await keeper.answers(1))[0]?.result).not.toHaveProperty('isError')
    expect(existsSync(`${store}-wal`)).toBe(true)

    chmodSync(`${store}-wal`, 0o400)
    const server = await startHttp(args, options)
    expect((await call(server, 'belief_query', { node_id: 0 })).isError).toBeUndefined()
    expect((await server.fetch('/ready')).status).toBe(503)
    expect((await call(server, 'belief_create', node)).isError).toBe(true)
    expect((await server.fetch('/ready')).status).toBe(503)
    chmodSync(`${store}-wal`, 0o600)
    expect((await call(server, 'belief_create', node)).isError).toBeUndefined()
    expect((await server.fetch('/ready')).status).toBe(200)
    server.child.kill('SIGTERM')
    await keeper.finish()
  })
})
