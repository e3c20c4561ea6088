import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { payloadHash } from '../../src/evidence/document.ts'
import { BINARY, sweep } from '../support/binary.ts'
import { gateEnvironment, readEvidence } from '../support/gate.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'

const { GIT_AUTHOR_DATE: _, GIT_COMMITTER_DATE: __, ...GIT } = GIT_ENVIRONMENT

/** A clone on a machine of its own: its user has another state folder, and so another key. */
class Machine extends Repo {
  readonly state = new Repo().folder

  static clone(hub: Repo): Machine {
    const machine = new Machine()
    machine.run('git', 'clone', '-q', hub.folder, '.')
    machine.run('git', 'checkout', '-q', '-b', 'feature/x')
    return machine
  }

  env(): NodeJS.ProcessEnv {
    return gateEnvironment({ ...GIT, XDG_STATE_HOME: this.state })
  }

  run(program: string, ...args: readonly string[]) {
    return this.start([program, ...args])
  }

  start([program = '', ...args]: readonly string[], extra: Readonly<Record<string, string>> = {}) {
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: this.folder,
      env: { ...this.env(), ...extra },
      encoding: 'utf8',
      input: '',
    })
    return { status, said: stdout + stderr, stdout }
  }

  warrant(...args: readonly string[]) {
    return this.run(process.execPath, BINARY, ...args)
  }

  json(...args: readonly string[]) {
    const { status, stdout } = this.warrant(...args, '--json')
    return { status, value: JSON.parse(stdout) }
  }

  /** Commits a file through the hooks. */
  commits(name: string, ...options: readonly string[]) {
    this.stage({ [name]: `export const ${name.replace(/\W/g, '_')} = 1\n` })
    return this.run('git', 'commit', '-q', '-m', name, ...options)
  }

  /** A fetch that names a branch would bring no notes. */
  pulls(): void {
    this.git('fetch', '-q', 'origin')
    this.git('rebase', '-q', 'origin/main')
  }

  pushes(extra: Readonly<Record<string, string>> = {}) {
    const pushed = this.start(['git', 'push', '-q', 'origin', 'HEAD:main'], extra)
    this.run('git', 'fetch', '-q', 'origin')
    return pushed
  }
}

let hub: Repo
let ann: Machine
let bob: Machine

beforeAll(() => {
  hub = new Repo()
  hub.git('init', '-q', '--bare', '-b', 'main')
  ann = new Machine()
  ann.git('init', '-q', '-b', 'main')
  ann.commit({ 'package.json': '{"name":"example"}\n' })
  ann.git('remote', 'add', 'origin', hub.folder)
  ann.git('push', '-q', 'origin', 'main')
  ann.git('checkout', '-q', '-b', 'feature/x')
  ann.git('fetch', '-q', 'origin')
  bob = Machine.clone(hub)
})

afterAll(sweep)

describe('receipts between two machines', () => {
  it('reach the remote with a push, and are trusted elsewhere with nothing but the repository', () => {
    expect(ann.json('init', '--yes', '--clients', 'none').value.written).toBe(true)
    expect(ann.warrant('receipts', 'keys', 'add', '--yes', '--owner', 'Web team').status).toBe(0)
    ann.git('add', '.warrant/keys.yml')
    expect(ann.run('git', 'commit', '-q', '-m', 'keys').status).toBe(0)
    expect(ann.commits('a.js').status).toBe(0)
    expect(ann.pushes()).toMatchObject({ status: 0 })
    expect(ann.json('doctor', '--port', '0').value.state.receipts).toMatchObject({
      key: 'listed',
      owner: 'Web team',
      fetched: ['origin'],
    })
    expect(bob.json('init', '--yes', '--clients', 'none').value.written).toBe(true)
    bob.pulls()
    const { status, value } = bob.json('receipts', 'verify', 'HEAD')
    expect([status, value.verified]).toEqual([0, true])
    expect(value.receipts.map(({ stage }: { stage: string }) => stage).sort()).toEqual([
      'PRE_COMMIT',
      'PRE_PUSH',
    ])
    expect(bob.json('receipts', 'check', 'HEAD~2..HEAD').value).toMatchObject({ covered: true })
    // Also its place in the log, which this machine does not have.
    for (const { place } of value.receipts)
      expect(place).toMatchObject({ origin: expect.stringMatching(/^warrant\/gate-decisions\//) })
    expect(bob.warrant('receipts', 'verify', 'HEAD').stdout).toMatch(
      /proven: entry \d+ of the log warrant\/gate-decisions\/\w+, by its checkpoint of \d+ entries/,
    )
  })

  it('of a key that is not listed are shown and not trusted, and the push says what to do', () => {
    expect(bob.commits('b.js').status).toBe(0)
    expect(bob.json('receipts', 'verify', 'HEAD')).toMatchObject({
      status: 1,
      value: { receipts: [{ trust: 'own' }] },
    })
    const { status, said } = bob.pushes()
    expect(status).toBe(1)
    expect(said).toContain('gate.receipt-foreign')
    expect(said).toContain('warrant receipts keys show')
    expect(bob.warrant('receipts', 'keys', 'show').stdout).toContain('warrant receipts keys add')
    expect(bob.json('doctor', '--port', '0').value.state.receipts).toMatchObject({ key: 'unlisted', keys: 1 })
  })

  it('count after a listed developer added the key in a commit of its own', () => {
    const { key } = bob.json('receipts', 'keys', 'show').value
    expect(ann.warrant('receipts', 'keys', 'add', '--yes', key, '--owner', 'Bob').status).toBe(0)
    ann.git('add', '.warrant/keys.yml')
    expect(ann.run('git', 'commit', '-q', '-m', 'Bob').status).toBe(0)
    expect(ann.pushes()).toMatchObject({
      status: 0,
      said: expect.stringContaining('1 finding (1 INFO)'),
    })
    bob.pulls()
    // The rebase made another tree, which no receipt leads to.
    expect(bob.json('receipts', 'check', '--judge')).toMatchObject({ status: 0, value: { covered: true } })
    expect(bob.pushes().status).toBe(0)
    ann.pulls()
    expect(ann.json('receipts', 'verify').value.receipts).toContainEqual(
      expect.objectContaining({ trust: 'trusted', owner: 'Bob' }),
    )
  })

  it('miss for a commit without hooks, which is found at the push and judged afterwards', () => {
    expect(ann.commits('c.js', '--no-verify').status).toBe(0)
    const { status, said } = ann.pushes()
    expect(status).toBe(1)
    expect(said).toContain('gate.receipt-missing')
    expect(said).toContain('warrant receipts check --judge')
    expect(ann.json('receipts', 'check').value).toMatchObject({ covered: false })
    expect(ann.json('receipts', 'check', '--judge')).toMatchObject({ status: 0, value: { covered: true } })
    expect(ann.pushes().status).toBe(0)
  })
})

describe('an acceptance where the target requires a review', () => {
  const ACCEPTANCES = '.warrant/acceptances.yml'
  const RANGE = 'origin/main..HEAD'
  const build = () =>
    ann.json('gate', '--stage', 'CI', '--range', RANGE, '--receipts', 'off', '--no-evidence')

  it('counts in a build with the receipts of two developers', () => {
    ann.pulls()
    ann.stage({ [ACCEPTANCES]: 'review: required\nfindings: []\n' })
    expect(ann.run('git', 'commit', '-q', '-m', 'review').status).toBe(0)
    expect(ann.pushes({ WARRANT_POLICY_FROM: 'worktree' }).status).toBe(0)
    ann.stage({ 'src/call.js': "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'\n" })
    expect(ann.run('git', 'commit', '-q', '-m', 'call').status).toBe(0)
    const [found] = build().value.findings
    expect(found).toMatchObject({ ruleId: 'javascript.tls-disabled', severity: 'ERROR', state: 'new' })
    const { fingerprint, ruleId, file } = found
    const entry = `  - finding: ${fingerprint}\n    rule: ${ruleId}\n    path: ${file}\n    reason: a test server\n`
    ann.stage({ [ACCEPTANCES]: `review: required\nfindings:\n${entry}` })
    expect(ann.run('git', 'commit', '-q', '-m', 'accept').status).toBe(0)
    const alone = build()
    expect([alone.status, alone.value.status]).toEqual([1, 'BLOCKED'])
    expect(alone.value.notes).toContainEqual(expect.stringContaining('receipts of two listed developers'))
    ann.git('push', '-q', '--no-verify', 'origin', 'HEAD:refs/heads/topic')
    bob.git('fetch', '-q', 'origin')
    bob.git('checkout', '-q', '-B', 'topic', 'origin/topic')
    expect(bob.json('receipts', 'check', '--judge', RANGE)).toMatchObject({ value: { covered: true } })
    const [commit = ''] = bob.git('rev-parse', 'HEAD').split('\n')
    expect(bob.warrant('gate', '--stage', 'PRE_PUSH', '--range', RANGE).status).toBe(0)
    expect(bob.warrant('receipts', 'push', 'origin', `${commit}~1..${commit}`).status).toBe(0)
    ann.git('fetch', '-q', 'origin')
    const reviewed = build()
    expect([reviewed.status, reviewed.value.status]).toEqual([0, 'ALLOWED'])
    expect(reviewed.value.findings).toContainEqual(
      expect.objectContaining({ ruleId, state: 'suppressed', reason: 'a test server' }),
    )
  })

  it('cannot be had by taking the requirement away', () => {
    ann.stage({ [ACCEPTANCES]: 'findings: []\n' })
    expect(ann.json('gate', '--stage', 'PRE_COMMIT').value.findings).toContainEqual(
      expect.objectContaining({ ruleId: 'gate.policy-changed', severity: 'ERROR', file: ACCEPTANCES }),
    )
    ann.git('reset', '-q', '--hard', 'origin/main')
    bob.git('checkout', '-q', '-B', 'feature/x', 'origin/main')
  })
})

describe('receipts for agents', () => {
  let client: Client

  const call = async (name: string, args: Readonly<Record<string, unknown>> = {}) =>
    (await client.callTool({ name, arguments: args })).structuredContent as ReturnType<typeof JSON.parse>

  beforeAll(async () => {
    client = new Client({ name: 'warrant-tests', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [BINARY, 'mcp'],
        cwd: ann.folder,
        env: ann.env() as Record<string, string>,
      }),
    )
  })

  afterAll(() => client.close())

  it('are named in the answers, and edited evidence does not allow', async () => {
    ann.write({ 'd.js': 'export const d = 1\n' })
    const run = await call('gate_run', { stage: 'PRE_WRITE' })
    expect(run.receipt).toMatchObject({ digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) })
    expect(ann.warrant('receipts', 'verify', run.receipt.digest).status).toBe(0)
    const allowed = await call('ai_gate_check', { stage: 'PRE_WRITE' })
    expect(allowed).toMatchObject({ allowed: true, receipt: { digest: expect.any(String) } })
    const { evidence_chain: chain, ...evidence } = readEvidence(ann)
    const edited = { ...evidence, timestamp: new Date().toISOString() }
    // With a chain that fits: only the receipt shows that the gate did not write it.
    const forged = { ...edited, evidence_chain: { ...chain, payload_hash: payloadHash(edited) } }
    writeFileSync(ann.path('.ai_evidence.json'), JSON.stringify(forged))
    const refused = await call('ai_gate_check', { stage: 'PRE_WRITE' })
    expect(refused.allowed).toBe(false)
    expect(refused.violations.map(({ code }: { code: string }) => code)).toContain('EVIDENCE_UNSIGNED')
    rmSync(ann.path('d.js'))
  })
})

describe('a log that was set back', () => {
  const isLog = (name: string) => name.startsWith('lineage.db')

  /** The log, and what the user's state folder remembers of it. */
  const save = (): (() => void) => {
    const copy = new Repo().folder
    const places = [ann.path('.warrant'), ann.state] as const
    for (const [at, place] of places.entries()) cpSync(place, join(copy, String(at)), { recursive: true })
    return () => {
      for (const [at, place] of places.entries()) {
        for (const name of readdirSync(place).filter((one) => at === 1 || isLog(one)))
          rmSync(join(place, name), { recursive: true })
        cpSync(join(copy, String(at)), place, { recursive: true })
      }
    }
  }

  it('is found at the next push, with both checkpoints', () => {
    const restore = save()
    expect(ann.commits('e.js').status).toBe(0)
    expect(ann.pushes().status).toBe(0)
    const { witnessed } = ann.json('doctor', '--port', '0').value.state.receipts
    expect(witnessed).toBeGreaterThan(5)
    restore()
    expect(ann.commits('f.js').status).toBe(0)
    const { status, said } = ann.pushes()
    expect(status).toBe(1)
    expect(said).toContain('gate.lineage-contradiction')
    expect(said).toMatch(
      new RegExp(
        `a witness saw ${witnessed} entries with root \\w+, and now there is \\d+ entries with root \\w+`,
      ),
    )
  })
})

describe('a revoked key', () => {
  it('counts for what another key witnessed before, and for nothing else', () => {
    bob.pulls()
    expect(bob.warrant('receipts', 'push', 'origin', 'HEAD~2..HEAD').status).toBe(0)
    ann.run('git', 'fetch', '-q', 'origin')
    const { value } = ann.json('receipts', 'keys', 'show')
    expect(ann.warrant('receipts', 'keys', 'revoke', '--yes', value.name).status).toBe(0)
    // Whoever stole it may have added keys with it.
    const { keys } = ann.json('receipts', 'keys', 'list').value
    expect(keys[1]).toMatchObject({ owner: 'Bob', revokedWith: value.name })
    ann.write({
      '.warrant/keys.yml': readFileSync(ann.path('.warrant/keys.yml'), 'utf8').replace(/\n.*by: .*/, ''),
    })
    ann.git('add', '.warrant/keys.yml')
    ann.git('commit', '-q', '--no-verify', '-m', 'revoke')
    expect(ann.json('receipts', 'verify', 'HEAD~2')).toMatchObject({ status: 0, value: { verified: true } })
    // This one was never pushed, so only its own key says how old it is.
    expect(ann.json('receipts', 'verify', 'HEAD~1')).toMatchObject({
      status: 1,
      value: {
        receipts: Array(2).fill(
          expect.objectContaining({ trust: 'revoked', why: expect.stringContaining('no witness shows') }),
        ),
      },
    })
    ann.commits('g.js')
    expect(ann.json('receipts', 'check', 'HEAD~1..HEAD').value).toMatchObject({
      covered: false,
      commits: [{ problem: 'foreign', why: expect.stringContaining('revoked') }],
    })
  })
})
