import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { beforeEach, describe, expect, it } from 'vitest'
import type { VerdictExplanation } from '../../src/gate/why/explanation.ts'
import { BINARY } from '../support/binary.ts'
import { gate, gateEnvironment } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

/** The explanation of verdicts through the program. Its repairs are followed, and have to turn the verdict. */

const policy = (block: string) => {
  const both = `{ "blockOnOrAbove": "${block}", "warnOnOrAbove": "INFO" }`
  return `{\n "stages": {\n  "PRE_COMMIT": ${both},\n  "PRE_PUSH": ${both},\n  "CI": ${both}\n }\n}\n`
}

const warrant = (repo: Repo, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, ...args], {
    cwd: repo.folder,
    env: gateEnvironment(),
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const why = (repo: Repo, ...args: readonly string[]) => {
  const { status, stdout, stderr } = warrant(repo, 'why', '--json', ...args)
  if (stdout === '') throw new Error(stderr)
  return { code: status, ...(JSON.parse(stdout) as VerdictExplanation) }
}

/** Runs the commands of the repairs, as a person would paste them. */
const follow = (repo: Repo, { repairs }: Pick<VerdictExplanation, 'repairs'>) => {
  for (const { command } of repairs) {
    if (command === undefined) continue
    const line = command.replace(/^warrant/, `'${process.execPath}' '${BINARY}'`)
    execFileSync('sh', ['-c', line], { cwd: repo.folder, env: gateEnvironment(), stdio: 'ignore' })
  }
}

/** Names, sizes and times of all files of a repository, its git folder and its log. */
const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .flatMap((name) => {
      const stats = statSync(join(folder, name))
      // Opening the log makes and removes files beside it, which changes the time of the folder.
      return stats.isFile() ? [`${name} ${stats.size} ${stats.mtimeMs}`] : []
    })
    .sort()

const EVAL = 'export const run = (text) => eval(text)\n'
/** The gate repairs it itself. */
const LEFT_OVER = "it.only('works', run)\n"
const SAFE = 'export const run = (text) => JSON.parse(text)\n'

describe('warrant why', () => {
  let repo: Repo
  beforeEach(() => {
    repo = Repo.init().commit({ 'skills.policy.json': policy('ERROR'), 'src/ok.js': 'export {}\n' })
  })

  it('explains what a finding blocks, and its repairs allow it; it runs and writes nothing itself', () => {
    repo
      .commit({ '.warrant/checks.yml': 'checks:\n  c: { run: touch ran, reads: exit, stages: [CI] }\n' })
      .stage({ 'src/a.js': `${EVAL}${LEFT_OVER}` })
    expect(gate(repo).status).toBe(1)
    const before = listFiles(repo.folder)
    const { status, stdout, stderr } = warrant(repo, 'why')
    const explained = why(repo)
    expect(listFiles(repo.folder)).toEqual(before)
    expect(existsSync(repo.path('ran'))).toBe(false)
    expect([status, stderr]).toEqual([1, ''])
    expect(stdout).toMatch(
      /^BLOCKED PRE_COMMIT: 2 reasons \(1 CRITICAL, 1 ERROR\)\n {2}CRITICAL {2}src\/a.js:1 {2}/,
    )
    expect(stdout).toMatch(
      /\nTo unblock:\n {2}1\. src\/a\.js:1: .+\n {2}2\. .+: warrant gate --stage PRE_COMMIT --fix\n/,
    )
    expect(stdout).toContain(
      '  skills.policy.json:3 stages.PRE_COMMIT.blockOnOrAbove: PRE_COMMIT blocks at ERROR',
    )
    expect(stdout).toMatch(
      /\nRests on:\n {2}evidence {2}\.ai_evidence\.json sha256:[0-9a-f]{12} · BLOCKED at PRE_COMMIT/,
    )
    expect(explained).toMatchObject({
      code: 1,
      agents: { allowed: false, reasons: [] },
      reasons: [
        { rule: 'javascript.eval', file: 'src/a.js', line: 1, blocks: true },
        { rule: 'javascript.focused-test', line: 2, safe_edit: true },
      ],
      repairs: [{ file: 'src/a.js', line: 1, removes: 1 }, { removes: 1 }],
      rests_on: [
        { kind: 'evidence' },
        { kind: 'tree' },
        { kind: 'policy' },
        { kind: 'lineage' },
        { kind: 'receipt' },
      ],
    })
    // The edit of the first repair; the command of the second.
    repo.stage({ 'src/a.js': `${SAFE}${LEFT_OVER}` })
    follow(repo, explained)
    expect(readFileSync(repo.path('src/a.js'), 'utf8')).not.toContain('only')
    const allowed = warrant(repo, 'why')
    expect(allowed.status).toBe(0)
    expect(allowed.stdout).toMatch(/^ALLOWED PRE_COMMIT: nothing blocks\n/)
    expect(allowed.stdout).not.toContain('To unblock')
  })

  it('judges the present files where no evidence speaks of them, and writes nothing', () => {
    expect(warrant(repo, 'why', '--stage', 'LATER').status).toBe(2)
    expect(why(repo)).toMatchObject({
      code: 0,
      stage: 'PRE_COMMIT',
      rests_on: [{ name: 'judged now' }, {}, {}],
    })
    repo.stage({ 'src/a.js': SAFE })
    gate(repo)
    repo.stage({ 'src/b.js': EVAL })
    const before = listFiles(repo.folder)
    expect(why(repo)).toMatchObject({ code: 1, reasons: [{ rule: 'javascript.eval', file: 'src/b.js' }] })
    expect(listFiles(repo.folder)).toEqual(before)
    repo.stage({ 'src/b.js': SAFE })
    expect(why(repo)).toMatchObject({ code: 0 })
  })

  it('tells beside it what stops an agent', () => {
    repo.stage({ 'src/a.js': SAFE }).git('switch', '-q', '-c', 'main')
    gate(repo, [], { env: { SOURCE_DATE_EPOCH: '1700000000' } })
    const { code, agents } = why(repo)
    expect([code, agents.reasons.map((one) => one.code)]).toEqual([
      0,
      ['EVIDENCE_STALE', 'GITFLOW_PROTECTED_BRANCH'],
    ])
    expect(warrant(repo, 'why').stdout).toMatch(/\nFor agents:\n {2}BLOCKED: The evidence is \d+ seconds old/)
  })

  it('names the base that a weakened policy is judged by, and how to take it out', () => {
    repo.stage({ 'skills.policy.json': policy('CRITICAL'), 'src/a.js': SAFE })
    expect(gate(repo).status).toBe(1)
    const head = repo.git('rev-parse', 'HEAD').trim().slice(0, 12)
    const explained = why(repo)
    expect(explained).toMatchObject({ code: 1, reasons: [{ rule: 'gate.policy-changed' }] })
    expect(explained.counted[0]?.where).toBe(
      `skills.policy.json:3 stages.PRE_COMMIT.blockOnOrAbove at ${head}`,
    )
    follow(repo, explained)
    expect(why(repo)).toMatchObject({ code: 0 })
    // Committed, it still counts against the base of the range, which the last commit no longer shows.
    repo.git('branch', 'base')
    repo.commit({ 'skills.policy.json': policy('CRITICAL') })
    expect(gate(repo, ['--stage', 'CI', '--range', 'base..HEAD']).status).toBe(1)
    expect(why(repo)).toMatchObject({
      stage: 'CI',
      reasons: expect.arrayContaining([
        expect.objectContaining({ rule: 'gate.policy-changed', blocks: true }),
      ]),
    })
  })
})

it('gate_explain tells a client the same, and rules as before', async () => {
  const repo = Repo.init().commit({ 'src/ok.js': 'export {}\n' }).stage({ 'src/a.js': EVAL })
  const client = new Client({ name: 'warrant-tests', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [BINARY, 'mcp'],
      cwd: repo.folder,
      env: gateEnvironment() as Record<string, string>,
    }),
  )
  const explain = async (args: Record<string, unknown>) =>
    (await client.callTool({ name: 'gate_explain', arguments: args })).structuredContent as {
      readonly rules: readonly unknown[]
      readonly verdict?: VerdictExplanation
    }
  try {
    await client.callTool({ name: 'gate_run', arguments: { stage: 'PRE_COMMIT' } })
    const { rules, verdict } = await explain({ verdict: true })
    const { code: _, ...told } = why(repo)
    expect(rules).toEqual([])
    expect({ ...verdict, rests_on: [] }).toEqual({ ...told, rests_on: [] })
    expect(verdict).toMatchObject({ status: 'BLOCKED', reasons: [{ rule: 'javascript.eval' }] })
    const pushed = await explain({ stage: 'PRE_PUSH', rule: 'javascript.eval' })
    expect(pushed.verdict).toMatchObject({ stage: 'PRE_PUSH', status: 'ALLOWED', about: 'javascript.eval' })
    const card = await explain({ rule: 'javascript.eval' })
    expect(Object.keys(card)).toEqual(['rules'])
    expect(card.rules).toMatchObject([{ id: 'javascript.eval' }])
    expect(Object.keys(await explain({ verdict: false }))).toEqual(['rules'])
  } finally {
    await client.close()
  }
})
