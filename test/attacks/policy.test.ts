import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import type { GateReport } from '../../src/gate/reports/report.ts'
import { makeFolder, Program, sweep } from '../support/binary.ts'
import { BACKEND, gate, gateJson, readEvidence, useSeedProfile } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

useSeedProfile()

/** A change must not choose the rules that it is judged by. */

afterAll(sweep)

const thresholds = (block: string) => ({ blockOnOrAbove: block, warnOnOrAbove: 'INFO' })
const policy = (block: string) =>
  JSON.stringify({
    stages: Object.fromEntries(['PRE_COMMIT', 'PRE_PUSH', 'CI'].map((stage) => [stage, thresholds(block)])),
  })

describe('a policy file that exists and cannot be used', () => {
  const strict = () =>
    Repo.init()
      .commit({ 'package.json': BACKEND, 'skills.policy.json': policy('WARN') })
      .stage({ 'src/a.ts': 'process.exit(1)\n' })

  it.each<[string, string, (repo: Repo, outside: string) => void]>([
    [
      'a policy as a link to itself',
      'skills.policy.json',
      (repo) => {
        renameSync(repo.path('skills.policy.json'), repo.path('kept.json'))
        symlinkSync('kept.json', repo.path('skills.policy.json'))
      },
    ],
    [
      'hard mode in a linked folder',
      '.pumuki is a symbolic link',
      (repo, outside) => symlinkSync(outside, repo.path('.pumuki')),
    ],
    [
      'the rules folder as a link out of the repository',
      '.warrant/rules is a symbolic link',
      (repo, outside) => {
        rmSync(repo.path('.warrant'), { recursive: true, force: true })
        mkdirSync(repo.path('.warrant'))
        symlinkSync(outside, repo.path('.warrant/rules'))
      },
    ],
    [
      'the rules folder as a file',
      '.warrant/rules is not a folder',
      (repo) => repo.write({ '.warrant/rules': '' }),
    ],
    [
      'the specification as a link',
      'openspec is a symbolic link',
      (repo, outside) => symlinkSync(outside, repo.path('openspec')),
    ],
  ])('stops the gate: %s', async (_, message, plant) => {
    const repo = strict()
    plant(repo, await makeFolder())
    expect(gateJson(repo)).toMatchObject({
      code: 2,
      error: {
        code: 'gate.file_unusable',
        message: expect.stringContaining(message),
        fix: expect.any(String),
      },
    })
  })

  it('stops the answer to an agent and is named by doctor: a policy as a folder', async () => {
    const repo = strict()
    rmSync(repo.path('skills.policy.json'))
    mkdirSync(repo.path('skills.policy.json'))
    const asked = new Program(['mcp', '--toolsets', 'gate'], { cwd: repo.folder })
    const params = { name: 'ai_gate_check', arguments: { stage: 'PRE_COMMIT' } }
    asked.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
    const doctor = new Program(['doctor', '--json'], { cwd: repo.folder }).finish()
    const [answer] = await asked.answers(1)
    expect(answer).toMatchObject({
      result: { isError: true, _meta: { 'warrant/fault': { code: 'gate.file_unusable' } } },
    })
    await asked.finish()
    expect(JSON.parse((await doctor).stdout).findings).toContainEqual({
      check: 'policy',
      ok: false,
      detail: 'skills.policy.json is not a regular file',
      fix: expect.any(String),
    })
  })
})

const RULE = 'backend.no-console-log'
const EVIL = "eval('1')\nconsole.log('x')\n"
const OWN_RULE = '.warrant/rules/no-todo.yml'
const ownRule = (severity: string, pattern = 'todo()') =>
  `id: own.no-todo\nlanguage: typescript\nseverity: ${severity}\nmessage: Not here.\nrule: { pattern: ${pattern} }\n`

/** Rule and severity of the findings that count, without those of the program text. */
const judged = ({ findings }: GateReport) =>
  findings
    .filter(({ state, ruleId }) => state === 'new' && ruleId.startsWith('gate.'))
    .map(({ ruleId, severity, file }) => `${severity} ${ruleId} ${file}`)
const found = ({ findings }: GateReport) =>
  findings.filter(({ state, ruleId }) => state === 'new' && ruleId === RULE).length

describe('a change that brings its own policy', () => {
  const repo = Repo.init('main').commit({
    'package.json': BACKEND,
    'src/ok.ts': 'export {}\n',
    'src/old.ts': `console.log('old') // warrant-ignore ${RULE}: accepted\n`,
  })
  const CI = ['--stage', 'CI', '--range', 'main..HEAD', '--no-evidence']
  /** A branch off main with these files, checked out. */
  const propose = (files: Readonly<Record<string, string>>) => {
    repo.git('switch', '-q', '-C', 'topic', 'main')
    return repo.commit(files)
  }

  it.each<[string, () => Readonly<Record<string, string>>, string]>([
    [
      'a policy that blocks later',
      () => ({ 'skills.policy.json': policy('CRITICAL') }),
      'skills.policy.json',
    ],
    [
      'severities that switch the rules off',
      () => ({ '.warrant/rules/severities.yml': `severities: { ${RULE}: OFF }` }),
      '.warrant/rules/severities.yml',
    ],
    ['a manifest without the platform', () => ({ 'package.json': '{}' }), 'package.json'],
  ])('is judged by the policy of the base: %s', (_, bring, file) => {
    propose({ 'src/evil.ts': EVIL, ...bring() })
    const report = gateJson(repo, CI)
    expect(report).toMatchObject({ code: 1, policy_base: repo.git('rev-parse', 'main').trim() })
    expect(judged(report)).toEqual([`ERROR gate.policy-changed ${file}`])
    expect(found(report)).toBe(1)
  })

  it('is blocked for the weakening alone', () => {
    propose({ 'skills.policy.json': policy('CRITICAL'), 'src/fine.ts': 'export {}\n' })
    expect(gateJson(repo, CI)).toMatchObject({ code: 1, counts: { judged: 1 } })
  })

  it('stops the gate where the clone does not have the policy of the base', async () => {
    repo.git('config', 'uploadpack.allowFilter', 'true')
    propose({ 'skills.policy.json': policy('ERROR') })
    repo.git('branch', '-f', 'strict')
    repo.commit({ 'skills.policy.json': policy('WARN') })
    const clone = new Repo()
    const from = `file://${repo.folder}`
    clone.git('clone', '-q', '--filter=blob:none', '--no-tags', '-b', 'topic', from, clone.path('partial'))
    const partial = new Repo(clone.path('partial'))
    expect(gateJson(partial, ['--stage', 'CI', '--range', 'origin/strict..HEAD'])).toMatchObject({
      code: 2,
      error: { code: 'git.revision', fix: expect.stringContaining('fetch-depth: 0') },
    })
  })

  it('stops the gate in CI: a policy that is committed as a link', () => {
    propose({ 'src/evil.ts': EVIL })
    symlinkSync('nowhere', repo.path('skills.policy.json'))
    repo.git('add', 'skills.policy.json')
    repo.git('commit', '-q', '-m', 'a link')
    expect(gateJson(repo, CI)).toMatchObject({ code: 2, error: { code: 'gate.file_unusable' } })
    rmSync(repo.path('skills.policy.json'))
  })

  it('is told to keep its specification', () => {
    propose({ 'openspec/project.md': '' }).git('branch', '-f', 'specified')
    repo.git('rm', '-q', '-r', 'openspec')
    repo.git('commit', '-q', '-m', 'no specification')
    const report = gateJson(repo, ['--stage', 'CI', '--range', 'specified..HEAD', '--no-evidence'])
    expect(judged(report)).toEqual(['ERROR gate.policy-changed openspec'])
  })

  it('keeps the platform of a manifest that is deleted, replaced by a link, or made unreadable', () => {
    propose({ 'src/evil.ts': EVIL }).git('rm', '-q', '--cached', 'package.json')
    // Staged and not committed: the commits of the range still have it.
    expect(found(gateJson(repo, CI))).toBe(1)
    repo.git('reset', '-q')
    propose({ 'src/evil.ts': EVIL }).git('rm', '-q', '--cached', 'package.json')
    repo.git('commit', '-q', '-m', 'no manifest')
    const deleted = gateJson(repo, CI)
    expect([judged(deleted), found(deleted)]).toEqual([['ERROR gate.policy-changed package.json'], 1])
    rmSync(repo.path('package.json'), { force: true })
    symlinkSync('src/ok.ts', repo.path('package.json'))
    repo.git('add', 'package.json')
    repo.git('commit', '-q', '-m', 'a link')
    const linked = gateJson(repo, CI)
    expect(linked.code).toBe(1)
    expect(judged(linked)).toContain('ERROR gate.policy-changed package.json')
    expect(found(linked)).toBe(1)
    rmSync(repo.path('package.json'))
    propose({ 'src/evil.ts': EVIL, 'package.json': '{ "dependencies": ' })
    const broken = gateJson(repo, CI)
    expect(judged(broken).sort()).toEqual([
      'ERROR gate.manifest-invalid package.json',
      'ERROR gate.policy-changed package.json',
    ])
    expect(found(broken)).toBe(1)
  })

  it('lists each suppression comment that it adds, and no old one, and lets it count', () => {
    const old = `console.log('old') // warrant-ignore ${RULE}: accepted\n`
    propose({
      'src/evil.ts': `// warrant-ignore ${RULE}: ok\nconsole.log('x')\n`,
      'src/old.ts': `export const a = 1\n${old}`,
    })
    const report = gateJson(repo, CI)
    expect([report.code, found(report)]).toEqual([0, 0])
    expect(judged(report)).toEqual(['INFO gate.suppression-added src/evil.ts'])
    propose({ 'src/old.ts': `${old}${old.replace('old', 'new')}` })
    expect(judged(gateJson(repo, CI))).toEqual(['INFO gate.suppression-added src/old.ts'])
    propose({ 'src/later.ts': `// warrant-ignore ${RULE}: nothing yet\nexport {}\n` })
    expect(judged(gateJson(repo, CI))).toEqual(['INFO gate.suppression-added src/later.ts'])
  })

  it('is not accepted by a comment for a whole file, nor by one about a secret', () => {
    propose({ 'src/evil.ts': `// warrant-ignore-file ${RULE}, heuristics.ts.eval.ast: ok\n${EVIL}` })
    expect(gateJson(repo, CI).code).toBe(1)
    const key = ['AKIA', 'Z7QXN4RTP2LKW6HD'].join('')
    propose({
      'src/key.ts': `export const key = '${key}' // warrant-ignore secrets.aws-access-key-id: test\n`,
    })
    const { code, findings } = gateJson(repo, CI)
    expect(code).toBe(1)
    expect(findings.map(({ ruleId, state }) => `${state} ${ruleId}`)).toContain(
      'new secrets.aws-access-key-id',
    )
  })

  it('may make the policy stricter, with a warning', () => {
    propose({ 'skills.policy.json': policy('WARN'), 'src/a.ts': 'let a = (1 +\n' })
    const report = gateJson(repo, CI)
    expect(report).toMatchObject({ code: 1, policy: { block_on_or_above: 'WARN' } })
    expect(judged(report)).toContain('INFO gate.policy-changed skills.policy.json')
    propose({ 'skills.policy.json': policy('ERROR') })
    const same = gateJson(repo, CI)
    expect([same.code, judged(same)]).toEqual([0, ['WARN gate.policy-changed skills.policy.json']])
    // Its own thresholds do not block it.
    propose({ '.pumuki/hard-mode.json': '{"enabled":true}' })
    expect(gateJson(repo, CI)).toMatchObject({ code: 0, policy: { block_on_or_above: 'WARN' } })
  })

  it('may be tried out by a person, and the report says so', () => {
    propose({ 'skills.policy.json': policy('CRITICAL'), 'src/a.ts': 'process.exit(1)\n' })
    const report = gateJson(repo, [...CI, '--policy-from', 'worktree'])
    expect(report).toMatchObject({ code: 0, policy_from: 'worktree', evidence: null })
    expect(judged(report)).toEqual(['INFO gate.policy-changed skills.policy.json'])
    expect(gate(repo, ['--policy-from', 'worktree']).stdout).toContain(
      'by the policy of the working tree alone',
    )
    expect(gate(repo, ['--policy-from', 'nowhere']).status).toBe(2)
  })
})

it('a rule that the change deletes, weakens or rewrites still runs', () => {
  const repo = Repo.init('main').commit({ [OWN_RULE]: ownRule('error') })
  for (const rule of [undefined, ownRule('hint'), ownRule('error', 'never()')]) {
    repo.git('switch', '-q', '-C', 'topic', 'main')
    repo.git('rm', '-q', '--cached', OWN_RULE)
    repo.commit({ 'evil.ts': 'todo()\n', ...(rule !== undefined && { [OWN_RULE]: rule }) })
    const report = gateJson(repo, ['--stage', 'CI', '--range', 'main..HEAD', '--no-evidence'])
    expect(judged(report)).toEqual([`ERROR gate.policy-changed ${OWN_RULE}`])
    expect(report.findings).toContainEqual(
      expect.objectContaining({ ruleId: 'own.no-todo', severity: 'ERROR', state: 'new' }),
    )
    rmSync(repo.path(OWN_RULE))
  }
})

it('a committed policy works in a linked worktree, in a subfolder and in a shallow clone', () => {
  const repo = Repo.init().commit({ 'package.json': BACKEND, 'skills.policy.json': policy('ERROR') })
  const near = new Repo()
  repo.git('worktree', 'add', '-q', '-b', 'feature/y', near.path('linked'))
  const linked = new Repo(near.path('linked')).stage({ 'src/a.ts': 'export {}\n' })
  repo.commit({ 'src/b.ts': 'export {}\n' })
  near.git('clone', '-q', '--depth', '1', `file://${repo.folder}`, near.path('shallow'))
  const strict = { code: 0, counts: { judged: 0 }, policy: { block_on_or_above: 'ERROR' } }
  expect(gateJson(linked, [], { cwd: linked.path('src') })).toMatchObject(strict)
  expect(gateJson(new Repo(near.path('shallow')), ['--stage', 'CI'])).toMatchObject(strict)
})

describe('a policy that is not committed', () => {
  it('hides nothing of the staged change: thresholds, severities', () => {
    const repo = Repo.init()
      .commit({ 'package.json': BACKEND, 'skills.policy.json': policy('ERROR') })
      .stage({ 'src/a.ts': EVIL })
    repo.write({
      'skills.policy.json': policy('CRITICAL'),
      '.warrant/rules/severities.yml': `severities: { ${RULE}: OFF }`,
    })
    for (const args of [['--stage', 'PRE_COMMIT'], ['--stage', 'PRE_WRITE'], ['--all']]) {
      const report = gateJson(repo, args)
      expect(report).toMatchObject({ code: 1, counts: { known: 0 }, policy: { block_on_or_above: 'ERROR' } })
      expect(judged(report)).toEqual([
        'ERROR gate.policy-changed .warrant/rules/severities.yml',
        'ERROR gate.policy-changed skills.policy.json',
      ])
      expect(found(report)).toBe(1)
    }
  })

  it('counts without a finding when it is stricter', () => {
    const repo = Repo.init().commit({ 'package.json': BACKEND }).stage({ 'src/a.ts': 'export {}\n' })
    repo.write({ '.pumuki/hard-mode.json': '{"enabled":true}' })
    expect(gateJson(repo)).toMatchObject({
      code: 0,
      counts: { judged: 0 },
      policy: { block_on_or_above: 'WARN' },
    })
  })

  it('is shown when the environment relaxes hard mode', () => {
    const repo = Repo.init()
      .commit({ 'package.json': BACKEND, '.pumuki/hard-mode.json': '{"enabled":true}' })
      .stage({ 'src/a.ts': 'process.exit(1)\n' })
    expect(gateJson(repo)).toMatchObject({ code: 1, policy: { block_on_or_above: 'WARN' } })
    for (const env of [{ PUMUKI_HARD_MODE: '0' }, { PUMUKI_HARD_MODE_PROFILE: 'critical-high' }]) {
      const report = gateJson(repo, [], { env })
      expect(judged(report)).toEqual(['WARN gate.policy-changed .pumuki/hard-mode.json'])
      expect(readEvidence(repo).snapshot.findings.map(({ ruleId }) => ruleId)).toContain(
        'gate.policy-changed',
      )
    }
  })

  it('counts before the first commit, where there is nothing to compare it with', () => {
    const log = "console.log('x')\n"
    const severities = `severities: { ${RULE}: OFF }`
    const repo = Repo.init().stage({ 'package.json': BACKEND, 'src/a.ts': log })
    repo.write({ '.warrant/rules/severities.yml': severities })
    const report = gateJson(repo)
    expect([report.code, found(report)]).toEqual([0, 0])
    expect(report).not.toHaveProperty('policy_base')
  })
})
