import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/app/config/load-config.ts'
import { inspectLogs } from '../../src/cli/server/check-lineage.ts'
import { createSigner, writeCheckpoint } from '../../src/lineage/checkpoint.ts'
import { DecisionRecorder } from '../../src/lineage/decisions.ts'
import { DECISION_LOG } from '../../src/lineage/origin.ts'
import { keyFile } from '../../src/platform/files/key-file.ts'
import type { Database } from '../../src/platform/log-stores/sqlite/database.ts'
import { sqliteLogs } from '../../src/platform/log-stores/sqlite/log.ts'
import { deleteFrom, readPart, tamperWith, writePart } from '../history/tamper.ts'
import { BINARY, makeFolder, Program, startHttp, sweep } from '../support/binary.ts'
import { gate, gateEnvironment, gateJson } from '../support/gate.ts'
import { initialize, request } from '../support/messages.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

afterAll(sweep)

const ENTRIES = 300
const PLACE = 2 ** 32
const named = ['--graph', DECISION_LOG]

/** A folder with a log of 300 decisions, written one at a time. */
const makeLog = async (folder: string): Promise<void> => {
  mkdirSync(join(folder, '.warrant'))
  const recorder = new DecisionRecorder({
    open: async () => sqliteLogs(join(folder, '.warrant', 'lineage.db')),
    salt: (seq) => `salt-${seq}`.padEnd(32, '0'),
    version: '0',
    time: () => '2026-01-01T00:00:00.000Z',
  })
  const call = { tool: 'gate_run', effect: 'write', outcome: 'answer', ms: 1 } as const
  // The recorder has written the first entry itself.
  for (let n = 1; n < ENTRIES; n += 1) await recorder.record({ ...call, verdict: { status: 'BLOCKED', n } })
  await recorder.close()
}

describe('the log of decisions', () => {
  let whole: string
  let verifier: string
  beforeAll(async () => {
    whole = await makeFolder()
    await makeLog(whole)
    const { status, value } = runJson(whole, ['log', 'checkpoint', ...named])
    expect(status).toBe(0)
    verifier = value.verifier
    writeFileSync(join(whole, 'cp.txt'), value.note)
  })

  /** Runs a command of the lineage on a changed copy of the log. */
  const changedLog = async (change: (db: Database) => unknown) => {
    const folder = await makeFolder()
    cpSync(whole, folder, { recursive: true })
    await tamperWith({ store: join(folder, '.warrant', 'lineage.db'), folder }, change)
    return (...words: readonly string[]) => runJson(folder, ['log', ...words, ...named])
  }
  const since = () => ['--checkpoint', 'cp.txt', '--key', verifier]

  /** BLOCKED becomes ALLOWED in entry 5, and the entry gets the hash of the new payload. */
  const changeEntry5 = (db: Database) => {
    const payload = readPart(db, 'payload', 5).toString('utf8').replace('BLOCKED', 'ALLOWED')
    const entry = JSON.parse(readPart(db, 'entry', 5).toString('utf8'))
    entry.payload_hash = createHash('sha256').update(payload).digest('hex')
    writePart(db, 'payload', 5, Buffer.from(payload))
    writePart(db, 'entry', 5, Buffer.from(JSON.stringify(entry)))
  }

  it('is consistent with its checkpoint when nothing was changed', async () => {
    expect(runJson(whole, ['log', 'consistency', ...since(), ...named])).toMatchObject({
      status: 0,
      value: { outcome: 'consistent', older: ENTRIES, newer: ENTRIES },
    })
  })

  it('with entry 5 changed is not consistent, and no checkpoint of it is signed', async () => {
    const lineage = await changedLog(changeEntry5)
    expect(lineage('consistency', ...since())).toMatchObject({
      status: 1,
      value: { outcome: 'damaged', at: 5 },
    })
    const refused = lineage('checkpoint')
    expect(refused).toMatchObject({ status: 7, value: { error: { code: 'store.damaged' } } })
    expect(refused.value.error.message).toContain('nothing was signed')
    expect(lineage('export', 'b.json', '--bundle')).toMatchObject({ status: 7 })
  })

  it('without its first 256 entries is not consistent, and no checkpoint of it is signed', async () => {
    const lineage = await changedLog((db) => deleteFrom(db, 0, 255))
    expect(lineage('consistency', ...since())).toMatchObject({
      status: 1,
      value: { outcome: 'damaged', at: 0, why: 'entry 0 is missing' },
    })
    expect(lineage('checkpoint')).toMatchObject({ status: 7 })
  })

  it('without the payload of a decision is damaged, although its size says that it was erased', async () => {
    const lineage = await changedLog((db) => {
      const entry = readPart(db, 'entry', 7)
      const sizes = Buffer.alloc(8, 0xff)
      sizes.writeUInt32LE(entry.length, 0)
      db.prepare('UPDATE runs SET sizes = ?, bytes = ? WHERE id = ?').run(sizes, entry, PLACE + 7)
    })
    expect(lineage('verify')).toMatchObject({
      status: 1,
      value: { chain: { outcome: 'broken', at: 7 }, erasures: { recorded: [], unexplained: [7] } },
    })
    expect(lineage('consistency', ...since())).toMatchObject({ status: 1, value: { outcome: 'damaged' } })
    expect(lineage('checkpoint')).toMatchObject({ status: 7 })
  })

  it('cut to nothing is found by verify with the older checkpoint', async () => {
    const lineage = await changedLog((db) => deleteFrom(db, 0, ENTRIES))
    expect(lineage('verify', ...since())).toMatchObject({
      status: 1,
      value: { since: { outcome: 'truncated', from: ENTRIES } },
    })
    expect(lineage('verify', '--key', verifier)).toMatchObject({ status: 2 })
    expect(lineage('replay', '--checkpoint', 'cp.txt')).toMatchObject({ status: 2 })
  })
})

describe('a decision that cannot be recorded', () => {
  let repo: Repo
  let database: string
  const report = () => [request(1, 'tools/call', { name: 'ai_gate_check', arguments: {} })]
  beforeAll(() => {
    repo = Repo.init().stage({ 'src/a.ts': 'export const a = 1\n' })
    database = repo.path('.warrant', 'lineage.db')
    mkdirSync(repo.path('.warrant'))
  })
  afterAll(() => rmSync(repo.folder, { recursive: true, force: true }))
  beforeEach(() => writeFileSync(database, 'this is no database\n'.repeat(10)))

  it('because the database is planted makes the gate fail, in JSON too, unless the operator allows it', () => {
    const { status, stdout, stderr } = gate(repo)
    expect(status).toBe(8)
    expect(stdout).toContain('ALLOWED')
    expect(stderr).toMatch(/not recorded: the file is not a database\. .*--allow-unrecorded/)
    expect(gateJson(repo)).toMatchObject({ code: 8, recorded: false })
    const allowed = gate(repo, ['--allow-unrecorded'])
    expect(allowed.status).toBe(0)
    expect(allowed.stderr).toContain('not recorded')
  })

  it('because the database is planted is reported by doctor', async () => {
    const { config } = loadConfig({ root: repo.folder }, { environment: {}, cwd: repo.folder })
    expect(await inspectLogs(config)).toMatchObject([{ ok: false, detail: 'the file is not a database' }])
  })

  it('because the disk takes no more makes the gate fail', () => {
    rmSync(database)
    const limited = `ulimit -f 16; exec "${process.execPath}" "${BINARY}" gate`
    const { status, stderr } = spawnSync('sh', ['-c', limited], {
      cwd: repo.folder,
      env: gateEnvironment(),
      encoding: 'utf8',
    })
    expect({ status, stderr }).toMatchObject({ status: 8, stderr: expect.stringContaining('not recorded') })
  })

  it('stops the commit, and the message names the reason and the way out', () => {
    // The hooks are installed, but that could not be recorded.
    expect(
      spawnSync(process.execPath, [BINARY, 'init', '--yes', '--clients', 'none'], {
        cwd: repo.folder,
        env: gateEnvironment(),
      }).status,
    ).toBe(8)
    const { status, stderr } = spawnSync('git', ['commit', '-qm', 'x'], {
      cwd: repo.folder,
      env: { ...gateEnvironment(), ...GIT_ENVIRONMENT },
      encoding: 'utf8',
    })
    expect(status).not.toBe(0)
    expect(stderr).toMatch(
      /the file is not a database\. .* Restore a backup, .* `warrant log adopt --graph gate-decisions`/,
    )
    expect(() => repo.git('rev-parse', 'HEAD')).toThrow()
  })

  it('is an error with a code and a fix over MCP, not a verdict', async () => {
    const program = new Program(['mcp'], { cwd: repo.folder, env: GIT_ENVIRONMENT })
    program.send(initialize(0), ...report())
    const [, answer] = await program.answers(2)
    await program.finish()
    expect(answer).toMatchObject({
      result: {
        isError: true,
        _meta: { 'warrant/fault': { code: 'store.damaged', kind: 'corrupt' } },
      },
    })
    expect(JSON.stringify(answer)).toContain('Restore a backup')
  })

  it('is no verdict over plain HTTP', async () => {
    const server = await startHttp([], { cwd: repo.folder })
    const response = await server.fetch('/tool', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'ai_gate_check', args: {} }),
    })
    expect(await response.json()).toMatchObject({ success: false, executed: false })
    server.child.kill()
    await server.ended()
  })

  it('by choice of the operator is said in the output', () => {
    const { status, stderr } = gate(repo, ['--store', 'memory'])
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'warrant: this decision is not recorded, because of --store memory.\n',
    })
  })
})

describe('a key or a log that came with the repository', () => {
  const lineage = (repo: Repo, state: string, ...words: readonly string[]) =>
    runJson(repo.folder, ['log', ...words, ...named], { XDG_STATE_HOME: state })
  const decide = (repo: Repo, state: string) => gate(repo, [], { env: { XDG_STATE_HOME: state } })

  let origin: Repo
  beforeAll(async () => {
    origin = Repo.init().stage({ 'src/a.ts': 'export const a = 1\n' })
    expect(decide(origin, await makeFolder()).status).toBe(0)
    await keyFile(origin.path('.warrant', 'lineage.key'))
    origin.git('add', '-f', '.warrant/lineage.db', '.warrant/lineage.key')
    origin.git('commit', '-qm', 'planted')
  })
  const cloneOrigin = async (): Promise<Repo> => {
    const repo = new Repo(join(await makeFolder(), 'clone'))
    origin.git('clone', '-q', origin.folder, repo.folder)
    return repo
  }

  it('is not adopted: no decision goes into the log, and no checkpoint of it is signed', async () => {
    const repo = await cloneOrigin()
    const ours = await makeFolder()
    const before = readFileSync(repo.path('.warrant', 'lineage.db'))
    const { status, stderr } = decide(repo, ours)
    expect(status).toBe(8)
    expect(stderr).toMatch(
      /git tracks \.warrant\/lineage\.db, so it came with the repository\. .*git rm --cached/,
    )
    expect(lineage(repo, ours, 'checkpoint')).toMatchObject({
      status: 3,
      value: { error: { code: 'store.tracked' } },
    })
    const beliefs = new Program([], {
      binary: 'scg-mcp-server',
      cwd: repo.folder,
      env: { XDG_STATE_HOME: ours },
    })
    beliefs.send(request(1, 'node.create', { belief: 0.5, energy: 1 }))
    expect(await beliefs.answers(1)).toMatchObject([
      { error: { message: expect.stringContaining('git tracks') } },
    ])
    await beliefs.finish()
    expect(readFileSync(repo.path('.warrant', 'lineage.db'))).toEqual(before)
    const { stdout } = spawnSync(process.execPath, [BINARY, 'doctor', '--port', '0'], {
      cwd: repo.folder,
      env: gateEnvironment({ XDG_STATE_HOME: ours }),
      encoding: 'utf8',
    })
    expect(stdout).toMatch(/FAIL +decision log +git tracks/)
  })

  it('is left behind by a fresh log, which is signed with the key of this machine', async () => {
    const repo = await cloneOrigin()
    const ours = await makeFolder()
    repo.git('rm', '-q', '--cached', '.warrant/lineage.db')
    rmSync(repo.path('.warrant', 'lineage.db'))
    expect(decide(repo, ours).status).toBe(0)
    const { value } = lineage(repo, ours, 'checkpoint')
    const key = join(ours, 'warrant', 'signing.key')
    const [origin = ''] = value.note.split('\n')
    expect(origin).toMatch(new RegExp(`^warrant/${DECISION_LOG}/[0-9a-f]{16}$`))
    expect(createSigner(origin, readFileSync(key, 'utf8')).verifier).toBe(value.verifier)
    expect(statSync(key).mode & 0o777).toBe(0o600)
    const foreign = createSigner(
      `warrant/${DECISION_LOG}`,
      readFileSync(repo.path('.warrant', 'lineage.key'), 'utf8'),
    )
    writeFileSync(repo.path('forged.txt'), writeCheckpoint(foreign, value.size, value.root))
    expect(lineage(repo, ours, 'consistency', '--checkpoint', 'forged.txt')).toMatchObject({
      status: 1,
      value: { outcome: 'unsigned' },
    })
  })

  it('is not needed where the state folder of the user cannot be written: the gate works, checkpoint says why', () => {
    const repo = Repo.init().stage({ 'src/a.ts': 'export const a = 1\n' })
    const nowhere = repo.path('src', 'a.ts')
    for (let n = 0; n < 2; n += 1) expect(decide(repo, nowhere).status).toBe(0)
    expect(lineage(repo, nowhere, 'checkpoint')).toMatchObject({
      status: 8,
      value: { error: { code: 'place.unwritable', fix: expect.stringContaining('XDG_STATE_HOME') } },
    })
  })

  it('while a log that this machine has not seen, and git does not track, is continued with a note', async () => {
    const repo = Repo.init().stage({ 'src/a.ts': 'export const a = 1\n' })
    expect(decide(repo, await makeFolder()).status).toBe(0)
    const ours = await makeFolder()
    const { status, stderr } = decide(repo, ours)
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'warrant: the log of decisions is new to this machine; it is continued after its 2 entries.\n',
    })
    expect(decide(repo, ours)).toMatchObject({ status: 0, stderr: '' })
    expect(lineage(repo, ours, 'verify')).toMatchObject({ status: 0, value: { chain: { size: 4 } } })
  })
})

describe('a log that this machine saw longer', () => {
  let repo: Repo
  let env: Record<string, string>
  /** Number of the third decision; entry 0 begins the log. */
  const LAST = 3
  const database = () => repo.path('.warrant', 'lineage.db')
  const lineage = (...words: readonly string[]) => runJson(repo.folder, ['log', ...words, ...named], env)
  const decide = () => gate(repo, [], { env })
  beforeAll(async () => {
    env = { XDG_STATE_HOME: await makeFolder() }
    repo = Repo.init().stage({ 'src/a.ts': 'export const a = 1\n' })
    for (let n = 0; n < 2; n += 1) expect(decide().status).toBe(0)
    cpSync(database(), repo.path('older.db'))
    expect(decide().status).toBe(0)
    cpSync(database(), repo.path('whole.db'))
  })
  beforeEach(() => {
    for (const suffix of ['-wal', '-shm']) rmSync(`${database()}${suffix}`, { force: true })
    cpSync(repo.path('whole.db'), database())
  })

  it('and that was rolled back is not continued, not signed, and found by verify', () => {
    cpSync(repo.path('older.db'), database())
    expect(decide()).toMatchObject({
      status: 8,
      stderr: expect.stringMatching(/the log was cut: this machine saw 4 entries.*warrant log adopt/),
    })
    expect(lineage('verify')).toMatchObject({
      status: 1,
      value: { chain: { outcome: 'intact' }, seen: { outcome: 'truncated', from: 4 } },
    })
    expect(lineage('checkpoint')).toMatchObject({ status: 7, value: { error: { code: 'store.changed' } } })
  })

  it('and whose last verdict was rewritten, chained anew, is found', async () => {
    await tamperWith({ store: database(), folder: repo.folder }, (db) => {
      const payload = readPart(db, 'payload', LAST).toString('utf8').replace('ALLOWED', 'BLOCKED')
      const entry = JSON.parse(readPart(db, 'entry', LAST).toString('utf8'))
      const { checksum } = JSON.parse(readPart(db, 'entry', LAST - 1).toString('utf8'))
      entry.payload_hash = createHash('sha256').update(payload).digest('hex')
      const { tick, operation, timestamp, payload_hash } = entry
      const linked = ['SCG-LINEAGE-1', LAST, tick, operation, timestamp, payload_hash, checksum]
      entry.checksum = createHash('sha256').update(linked.join('\n')).digest('hex')
      writePart(db, 'payload', LAST, Buffer.from(payload))
      writePart(db, 'entry', LAST, Buffer.from(JSON.stringify(entry)))
    })
    expect(lineage('verify')).toMatchObject({
      status: 1,
      value: { chain: { outcome: 'intact' }, seen: { outcome: 'forked', from: 4 } },
    })
    expect(decide()).toMatchObject({ status: 8, stderr: expect.stringContaining('the log was rewritten') })
  })

  it('and that was deleted is begun again with a warning, until the operator accepts it', () => {
    rmSync(repo.path('.warrant'), { recursive: true })
    const { status, stderr } = decide()
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('is gone') })
    expect(lineage('verify')).toMatchObject({
      status: 1,
      value: { seen: { outcome: 'replaced', from: 4 } },
    })
    expect(lineage('adopt')).toMatchObject({ status: 0, value: { outcome: 'adopted', size: 2 } })
    expect(lineage('verify').status).toBe(0)
    expect(decide()).toMatchObject({ status: 0, stderr: '' })
  })
})
