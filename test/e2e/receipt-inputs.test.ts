import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RECEIPT_MEMBERS } from '../../src/receipts/statement.ts'
import { sweep } from '../support/binary.ts'
import { BACKEND, gate } from '../support/gate.ts'
import { CHANGE, fakeOpenSpec, openSpecPath, report } from '../support/openspec.ts'
import { Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

/** The newest receipt of what is staged. */
const newestReceipt = (repo: Repo) => {
  const tree = repo.git('write-tree').trim()
  const file = repo.path('.warrant/receipts', tree.slice(0, 2), `${tree}.jsonl`)
  const { payload } = JSON.parse(readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '')
  const { predicate } = JSON.parse(Buffer.from(payload, 'base64').toString('utf8'))
  return { ...predicate[RECEIPT_MEMBERS], inputs: predicate.inputAttestations }
}

const IGNORED = (rule: string) => `// warrant-ignore ${rule}: shown in the terminal\nexport const one = 1\n`

let repo: Repo

beforeAll(() => {
  repo = Repo.init()
  repo.commit({ 'package.json': BACKEND, 'a.js': IGNORED('js.no-debugger'), 'b.js': 'export const b = 1\n' })
})

afterAll(sweep)

describe('a receipt', () => {
  it('binds suppressions and platforms of both versions, and the profile', () => {
    repo.stage({
      'a.js': `${IGNORED('js.no-debugger')}// warrant-ignore js.no-eval: not used\n`,
      'ios/Package.swift': '// swift-tools-version:5.9\n',
      'ios/App.swift': 'let one = 1\n',
    })
    gate(repo)
    const { suppressions, platforms, profile } = newestReceipt(repo)
    expect(suppressions).toMatchObject({ base: { count: 1 }, head: { count: 2 } })
    expect(suppressions.base.digest).not.toBe(suppressions.head.digest)
    expect(platforms).toEqual({ base: ['backend'], head: ['backend', 'ios'] })
    expect(profile).toBe('default')
    expect(newestReceipt(repo).inputs).toEqual([expect.objectContaining({ uri: '.ai_evidence.json' })])
    repo.commit({})
  })

  it('names the same digest for both versions where a comment only moves, and another profile', () => {
    repo.stage({
      'a.js': `export const zero = 0\n${IGNORED('js.no-debugger')}// warrant-ignore js.no-eval: why\n`,
    })
    gate(repo, [], { env: { WARRANT_PROFILE: 'seed' } })
    const { suppressions, platforms, profile } = newestReceipt(repo)
    expect(suppressions.base).toEqual(suppressions.head)
    expect(platforms.base).toEqual(platforms.head)
    expect(profile).toBe('seed')
    repo.commit({})
  })

  it('names a platform that the change takes away at the base alone', () => {
    repo.git('rm', '-q', '-r', 'ios')
    gate(repo)
    expect(newestReceipt(repo).platforms).toEqual({ base: ['backend', 'ios'], head: ['backend'] })
    repo.git('commit', '-q', '-m', 'gone')
  })

  it('attests the OpenSpec change of the open session, by the digest of its files', () => {
    fakeOpenSpec(repo, '1.2.0', `echo '${report(1, 0)}'`)
    repo.commit(CHANGE)
    const env = openSpecPath(repo)
    const inputOf = () =>
      newestReceipt(repo).inputs.find(({ uri }: { uri: string }) => uri.startsWith('openspec/'))
    repo.stage({ 'b.js': 'export const b = 2\n' })
    runJson(repo.folder, ['sdd', 'session', '--open', '--change', 'add-search'], env)
    expect(gate(repo, [], { env }).status).toBe(0)
    const first = inputOf()
    expect(first).toMatchObject({ uri: 'openspec/changes/add-search' })
    repo.write({ 'openspec/changes/add-search/specs/search/spec.md': '## ADDED Requirements\n' })
    gate(repo, [], { env })
    expect(inputOf().digest.sha256).not.toBe(first.digest.sha256)
  })
})
