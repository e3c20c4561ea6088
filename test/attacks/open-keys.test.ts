import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually, Program, sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { makePem } from '../support/private-key.ts'
import { GIT_ENVIRONMENT } from '../support/repository.ts'
import { newMachine, SignedProject } from '../support/signed-project.ts'

/** A key or a state folder that others can use: what it signs or remembers may be theirs. */

const project = new SignedProject()
const { repo, machine } = project
const folder = join(machine.XDG_STATE_HOME, 'warrant')
const key = join(folder, 'signing.key')
const judge = (...args: readonly string[]) => {
  const { status, value, stderr } = project.warrant(['gate', '--stage', 'PRE_COMMIT', ...args])
  return { status, said: JSON.stringify(value) + stderr }
}

let count = 0
beforeEach(() => {
  chmodSync(folder, 0o700)
  chmodSync(key, 0o600)
  count += 1
  project.branch(`open-${count}`)
  repo.stage({ 'src/a.ts': `export const a = ${count}\n` })
})
afterAll(sweep)

const BITS = Array.from({ length: 63 }, (_, at) => at + 1)
const ROWS = BITS.flatMap((bits) => [
  [(0o600 | bits).toString(8), key, '600'] as const,
  [(0o700 | bits).toString(8), folder, '700'] as const,
])

const USERS = Array.from({ length: 13 }, (_, at) => 1 + at ** 4 * 7)
const OWNERS = USERS.flatMap((uid) =>
  [0, uid].flatMap((gid) => [[key, uid, gid] as const, [folder, uid, gid] as const]),
)

describe.runIf(process.platform !== 'win32')('no receipt is signed', () => {
  it.each(someRows(ROWS, 63, 5))(
    'with mode %s of %s, and the message names the repair',
    (mode, place, right) => {
      chmodSync(place, Number.parseInt(mode, 8))
      const { status, said } = judge()
      expect(status).not.toBe(0)
      expect(said).toContain(`chmod ${right} '${place}'`)
      project.git('commit', '-q', '--no-verify', '-m', 'x')
      expect(project.check()).toEqual(['missing'])
      chmodSync(place, Number.parseInt(right, 8))
      expect(project.check('--judge')).toEqual(['covered'])
    },
  )

  it.runIf(process.getuid?.() === 0).each(someRows(OWNERS, 25))('with %s of user %i', (place, uid, gid) => {
    chownSync(place, uid, gid)
    const { status, said } = judge()
    chownSync(place, 0, 0)
    expect(status).not.toBe(0)
    expect(said).toContain(`chown -R 0 '${place}'`)
    expect(judge().status).toBe(0)
  })

  it('with a named key that others can read', () => {
    const named = join(newMachine().XDG_STATE_HOME, 'ci.pem')
    writeFileSync(named, makePem(), { mode: 0o640 })
    expect(judge('--signing-key', named)).toMatchObject({
      status: 3,
      said: expect.stringContaining('chmod 600'),
    })
    chmodSync(named, 0o600)
    expect(judge('--signing-key', named).status).toBe(0)
  })

  it('while the key cannot be read: then the verdict is not recorded, and the hook does not pass', () => {
    renameSync(key, `${key}.away`)
    mkdirSync(key, { mode: 0o600 })
    const { status, said } = judge()
    const commit = project.tryGit(['commit', '-q', '-m', 'x'])
    const accepted = judge('--allow-unrecorded').status
    rmSync(key, { recursive: true })
    renameSync(`${key}.away`, key)
    expect([status, commit.status === 0, accepted]).toEqual([8, false, 0])
    expect(said).toContain('signing.key is not a regular file')
    project.git('commit', '-q', '-m', 'x')
    expect(project.check()).toEqual(['covered'])
  })
})

it('a server signs again once the key can be read again', async () => {
  const { GIT_CONFIG_GLOBAL } = GIT_ENVIRONMENT
  const agent = new Program(['mcp'], { cwd: repo.folder, env: { ...machine, GIT_CONFIG_GLOBAL, CI: '' } })
  const run = async (id: number) => {
    const params = { name: 'gate_run', arguments: { stage: 'PRE_COMMIT' } }
    agent.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }))
    const find = () => agent.lines.map((line) => JSON.parse(line)).find((one) => one.id === id)
    await eventually('an answer', () => find() !== undefined)
    return find().result
  }
  renameSync(key, `${key}.away`)
  mkdirSync(key, { mode: 0o600 })
  const without = await run(1)
  rmSync(key, { recursive: true })
  renameSync(`${key}.away`, key)
  expect(without).toMatchObject({ isError: true, _meta: { 'warrant/fault': { code: 'call.unrecorded' } } })
  expect((await run(2)).structuredContent.receipt.digest).toMatch(/^sha256:/)
})

it('keys and their folder are made for this user alone, whatever the umask is', () => {
  const modes = [folder, key].map((place) => (statSync(place).mode & 0o777).toString(8))
  expect(modes).toEqual(['700', '600'])
})
