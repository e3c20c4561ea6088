import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readDocument } from '../../src/evidence/read.ts'
import { describePeers, peerNode } from '../peers/peers.ts'
import { BINARY } from '../support/binary.ts'
import {
  BACKEND,
  gate,
  gateAsync,
  gateEnvironment,
  LOG,
  readEvidence,
  useSeedProfile,
} from '../support/gate.ts'
import { expectAllJudged, expectPackageJudged } from '../support/many-files.ts'
import { Repo } from '../support/repository.ts'

useSeedProfile()

const NAMES = ['z', 'a', 'Ä', 'é', 'ß', 'B', 'i', 'İ', '10', '9', 'ñ/x', 'n/x']

/** The same repository at another place, its files made in another order. */
const build = (folder: string, names: readonly string[]): Repo => {
  mkdirSync(folder, { recursive: true })
  const repo = new Repo(realpathSync(folder))
  repo.git('init', '-q', '-b', 'feature/x')
  repo.write({ 'package.json': BACKEND })
  for (const name of names) repo.write({ [`src/${name}.ts`]: `${LOG}const b = (1 +\n` })
  repo.git('add', '-A')
  return repo
}

const judge = (
  repo: Repo,
  umask: string,
  env: Readonly<Record<string, string>>,
  node = process.execPath,
): Buffer => {
  const words = ['-c', `umask ${umask}; exec "$0" "$@"`, node, BINARY, 'gate', '--clock', 'deterministic']
  spawnSync('sh', words, { cwd: repo.folder, env: gateEnvironment(env) })
  return readFileSync(repo.path('.ai_evidence.json'))
}

describe('the evidence', () => {
  it('is the same bytes in any time zone, locale, mask, order of files and place', () => {
    const base = mkdtempSync(join(tmpdir(), 'warrant-same-'))
    const one = judge(build(join(base, 'one'), NAMES), '022', { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' })
    const two = judge(build(join(base, 'ano ther/place/ñ'), NAMES.toReversed()), '077', {
      TZ: 'Pacific/Chatham',
      LANG: 'tr_TR.UTF-8',
      LC_ALL: 'sv_SE.UTF-8',
    })
    expect(two.toString()).toBe(one.toString())
    expect(one.toString()).not.toContain(base)
    const { ledger } = JSON.parse(one.toString())
    expect(ledger.length).toBeGreaterThanOrEqual(2 * NAMES.length)
  })

  it('stays one valid file under ten gates at once, and no entry of the ledger is lost', async () => {
    const repo = build(mkdtempSync(join(tmpdir(), 'warrant-ten-')), NAMES)
    gate(repo)
    const before = readEvidence(repo)
    const codes = await Promise.all(Array.from({ length: 10 }, () => gateAsync(repo, ['--quiet'])))
    expect(codes).toEqual(Array(10).fill(1))
    const reading = readDocument(readFileSync(repo.path('.ai_evidence.json')))
    expect(reading.kind).toBe('valid')
    const after = readEvidence(repo)
    expect(after.evidence_chain?.sequence).toBe(11)
    const open = ({ ledger }: typeof before) =>
      ledger.map(({ ruleId, file, lines, firstSeen }) => ({ ruleId, file, lines, firstSeen }))
    expect(open(after)).toEqual(open(before))
    expect(
      readdirSync(repo.folder).filter((name) => name.includes('.tmp') || name.includes('.lock')),
    ).toEqual([])
  })
})

await describePeers('the evidence on another Node.js', () => {
  it('is the same bytes', () => {
    const base = mkdtempSync(join(tmpdir(), 'warrant-node-'))
    const here = judge(build(join(base, 'here'), NAMES), '022', {})
    const there = judge(build(join(base, 'there'), NAMES), '022', {}, peerNode())
    expect(there.toString()).toBe(here.toString())
  })
})

describe('size', () => {
  // More files, and all of the package: gate-size.long.ts.
  it('is no matter: five hundred files are all judged, and one staged among them alone', () => {
    expectAllJudged(500)
  }, 120_000)

  it('a public package is judged whole, without a file that was given up', () => {
    expectPackageJudged('v3', 'v4/locales')
  }, 120_000)
})
