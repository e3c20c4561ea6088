import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BINARY, cleanEnvironment, makeFolder, sweep } from '../support/binary.ts'

import { request } from '../support/messages.ts'
import { makePlainKey, makePlainReceipt, plainVerifier } from '../support/receipts.ts'
import { Repo } from '../support/repository.ts'

afterAll(sweep)

const bin = (name: string) => join(dirname(BINARY), `${name}.js`)
let operator: string
/** A folder with nothing but the exported bundle and the verifier. */
let colleague: string
let key: string

const warrant = (...args: readonly string[]) =>
  execFileSync(process.execPath, [BINARY, ...args], {
    cwd: operator,
    env: cleanEnvironment({ WARRANT_GRAPH: 'default' }),
    encoding: 'utf8',
  })

const believe = (...lines: readonly string[]) =>
  execFileSync(process.execPath, [bin('scg-mcp-server')], {
    cwd: operator,
    env: cleanEnvironment({ WARRANT_GRAPH: 'default' }),
    input: `${lines.join('\n')}\n`,
  })

const verify = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['lineage-verify.js', ...args], {
    cwd: colleague,
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  })

const handOver = (name: string, text: string) => writeFileSync(join(colleague, name), text)
const bundleText = () => readFileSync(join(colleague, 'log.json'), 'utf8')

beforeAll(async () => {
  operator = await makeFolder()
  colleague = await makeFolder()
  believe(
    request(1, 'node.create', { belief: 0.9, energy: 10 }),
    request(2, 'node.create', { belief: 0.1, energy: 10 }),
    request(3, 'edge.bind', { src: '0', dst: '1', weight: 0.5 }),
  )
  const { note, verifier } = JSON.parse(warrant('log', 'checkpoint', '--json'))
  key = verifier
  handOver('older.txt', note)
  believe(request(1, 'edge.propagate', { edge_id: '0' }), request(2, 'edge.propagate', { edge_id: '0' }))
  warrant('log', 'export', 'log.json', '--bundle')
  for (const file of [join(operator, 'log.json'), bin('lineage-verify')]) {
    cpSync(file, join(colleague, file.split('/').at(-1) ?? ''))
  }
})

describe('the verifier in an empty folder', () => {
  it.each([
    ['with the key from the bundle', [], { key: 'from the bundle', matches: true }],
    ['with the key that was given', ['KEY'], { key: 'given', matches: true }],
    ['since an older checkpoint', ['KEY', 'older.txt'], { since: { outcome: 'grown', from: 3 } }],
  ] as const)('accepts what was exported, %s', (_, more, found) => {
    const { status, stdout, stderr } = verify(
      'log.json',
      ...more.map((word) => (word === 'KEY' ? key : word)),
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ chain: { outcome: 'intact', size: 5 }, ...found })
  })

  it.each([
    ['a byte flipped', (text: string) => text.replace('edge.bind', 'edge.bine'), 1],
    [
      'an entry short',
      (text: string) =>
        JSON.stringify({ ...JSON.parse(text), entries: JSON.parse(text).entries.slice(0, -1) }),
      1,
    ],
    ['half of it', (text: string) => text.slice(0, text.length / 2), 2],
    ['nothing', () => '', 2],
    ['null', () => 'null', 1],
    ['another document', () => '{"entries":{}}', 1],
  ])('refuses %s', (_, change, status) => {
    handOver('bad.json', change(bundleText()))
    const run = verify('bad.json', key)
    expect(run.status).toBe(status)
    expect(run.stderr).not.toContain('    at ')
  })

  it('sees that a log was cut and signed again', async () => {
    const cut = await makeFolder()
    const run = (...args: string[]) =>
      execFileSync(process.execPath, args, {
        cwd: cut,
        env: cleanEnvironment({ WARRANT_GRAPH: 'default' }),
        input: `${request(1, 'node.create', { belief: 0.9, energy: 10 })}\n`,
      })
    run(bin('scg-mcp-server'))
    run(BINARY, 'log', 'export', 'cut.json', '--bundle')
    cpSync(join(cut, 'cut.json'), join(colleague, 'cut.json'))
    expect(verify('cut.json', key).status).toBe(0)
    const { status, stdout } = verify('cut.json', key, 'older.txt')
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ matches: true, since: { outcome: 'truncated', from: 3 } })
  })

  it('verifies a bare list with its genesis, and says what it needs', () => {
    const { genesis, entries } = JSON.parse(bundleText())
    handOver('entries.json', JSON.stringify(entries))
    handOver('genesis.json', genesis)
    expect(verify('entries.json', 'genesis.json').status).toBe(0)
    expect(verify('entries.json')).toMatchObject({ status: 2, stderr: expect.stringContaining('genesis') })
    expect(verify('entries.json', 'absent.json')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^lineage-verify: cannot read absent\.json: .*\n$/),
    })
    expect(verify('absent.json').status).toBe(2)
  })

  it('verifies a receipt with its proof and its keys, and nothing else', () => {
    const [signer, log, witness] = ['laptop', 'log.example', 'witness.example'].map(makePlainKey) as [
      ReturnType<typeof makePlainKey>,
      ReturnType<typeof makePlainKey>,
      ReturnType<typeof makePlainKey>,
    ]
    const place = { index: 6, size: 300, origin: log.name }
    const { receipt, proof } = makePlainReceipt({ signer, log, witness }, place)
    handOver('receipt.json', `${receipt}\n`)
    handOver('proof.txt', proof)
    handOver('cut.txt', proof.slice(0, -10))
    const files = ['receipt.json', 'proof.txt', plainVerifier(signer)]
    const logKey = ['--log-key', plainVerifier(log)]
    const good = verify(...files, ...logKey, '--witness', plainVerifier(witness, 4))
    expect(good).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(good.stdout)).toMatchObject({
      outcome: 'valid',
      statement: { predicate: { verificationResult: 'PASSED' } },
      checkpoint: { origin: log.name, size: 300 },
      cosignatures: [{ name: witness.name }],
    })
    for (const [words, status, said] of [
      [files, 1, 'no valid signature of the key of the log'],
      [[...files, ...logKey, '--witness', plainVerifier(log)], 1, 'no valid cosignature'],
      [['receipt.json', 'cut.txt', plainVerifier(signer), ...logKey], 1, 'the checkpoint has no valid'],
      [['receipt.json', 'proof.txt'], 2, 'needs its proof and the key'],
      [[...files, 'more'], 2, 'too many arguments'],
      [[...files, '--log-key'], 2, '--log-key needs a key'],
      [[...files, '--any'], 2, 'there is no option --any'],
      [['log.json', key, ...logKey], 2, 'are for receipts'],
    ] as const) {
      const run = verify(...words)
      expect({ status: run.status, text: `${run.stdout}${run.stderr}` }).toEqual({
        status,
        text: expect.stringContaining(said),
      })
    }
  })

  it('verifies a receipt of the gate as `receipts export` writes it', async () => {
    const repo = Repo.init().stage({ 'src/a.ts': 'export const a = 1\n' })
    const env = cleanEnvironment({ XDG_STATE_HOME: await makeFolder() })
    const gate = (...args: readonly string[]) =>
      execFileSync(process.execPath, [BINARY, ...args], { cwd: repo.folder, env, encoding: 'utf8' })
    for (let run = 0; run < 2; run += 1) gate('gate', '--stage', 'PRE_COMMIT')
    const tree = repo.git('write-tree').trim()
    gate('receipts', 'export', tree, '--proof', '--output', 'r.json')
    const [own = ''] = gate('receipts', 'keys', 'show').split('\n')
    for (const name of ['r.json', 'r.json.tlog-proof']) cpSync(repo.path(name), join(colleague, name))
    const { status, stdout } = verify('r.json', 'r.json.tlog-proof', own)
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({
      status: 0,
      statement: { subject: [{ digest: { gitTree: tree } }] },
      entry: { operation: 'gate_run', seq: 2 },
    })
    const other = plainVerifier(makePlainKey('another'))
    expect(verify('r.json', 'r.json.tlog-proof', other).status).toBe(1)
    // The same proof printed by the log itself.
    handOver('again.txt', gate('log', 'prove', '2', '--tlog', '--graph', 'gate-decisions'))
    expect(verify('r.json', 'again.txt', own).status).toBe(0)
  })

  it('prints its help, and reports a missing file', () => {
    expect(verify('--version')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    })
    expect(verify('--help')).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringContaining('OLDER.txt'),
    })
    expect(verify()).toMatchObject({ status: 2, stdout: '' })
  })

  it('runs in a project of modules as well as in one of scripts', () => {
    for (const type of ['module', 'commonjs']) {
      handOver('package.json', JSON.stringify({ type }))
      expect(verify('log.json', key)).toMatchObject({ status: 0, stderr: '' })
    }
  })

  it('takes nothing but two parts of Node.js', () => {
    const source = readFileSync(bin('lineage-verify'), 'utf8')
    const taken = [...source.matchAll(/\(process\.getBuiltinModule \?\? require\)\("([^"]+)"\)/g)]
    expect(taken.map(([, name]) => name).sort()).toEqual(['node:crypto', 'node:fs'])
    const rest = taken.reduce((text, [words]) => text.replace(words, ''), source)
    expect(rest).not.toMatch(/\b(require|import|getBuiltinModule|eval|Function)\b/)
  })
})
