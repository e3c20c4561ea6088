import { readFileSync, statSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { EMPTY_TREE } from '../../src/gate/ports.ts'
import { Program, sweep } from '../support/binary.ts'
import {
  BACKEND,
  gate,
  gateEnvironment,
  gateJson,
  LOG,
  places,
  readEvidence,
  useSeedProfile,
} from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

useSeedProfile()

afterAll(sweep)

const RULE = 'backend.no-console-log'
const backend = () => Repo.init().commit({ 'package.json': BACKEND, 'src/ok.ts': 'export {}\n' })
const warrant = async (repo: Repo, ...args: string[]) => {
  const ending = await new Program(args, { cwd: repo.folder }).ended()
  return { ...ending, json: JSON.parse(ending.stdout || '{}') }
}

describe('warrant gate', () => {
  it('says where, what, why and how, and exits with 1', () => {
    const { status, stdout, stderr } = gate(backend().stage({ 'src/a.ts': `export {}\n${LOG}` }))
    expect(status).toBe(1)
    expect(stderr).toBe('')
    expect(stdout).toContain('src/a.ts\n  2:1  CRITICAL  backend.no-console-log  ')
    expect(stdout).toContain("    2 | console.log('x')\n")
    expect(stdout).toMatch(/why: .+\n {4}fix: .+\n/)
    expect(stdout).toMatch(
      /BLOCKED PRE_COMMIT: 1 finding \(1 CRITICAL\) in 1 file · blocks at CRITICAL \(default\)\nRepair what is CRITICAL \(1\).*\n.+\n$/,
    )
  })

  it('exits with 0 when nothing blocks, and says nothing when asked to be quiet', () => {
    const repo = backend().stage({ 'src/a.ts': 'export {}\n' })
    expect(gate(repo)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^ALLOWED PRE_COMMIT: 0 findings/),
    })
    expect(gate(repo, ['--quiet'])).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it.each([
    [{}, [], 'PRE_COMMIT', 'git:worktree'],
    [{}, ['a.ts'], 'PRE_COMMIT', 'git:staged'],
    [{ CI: 'true' }, ['a.ts'], 'CI', 'git:repository'],
    [{ CI: 'false' }, ['a.ts'], 'PRE_COMMIT', 'git:staged'],
    // A range without commits is not taken from the environment.
    [
      { PRE_COMMIT_FROM_REF: 'HEAD', PRE_COMMIT_TO_REF: 'HEAD' },
      [],
      'PRE_PUSH',
      `git:range:${EMPTY_TREE}..HEAD`,
    ],
    [{ GIT_INDEX_FILE: '.git/index' }, [], 'PRE_COMMIT', 'git:staged'],
  ])('guesses the stage from where it runs: %j with %j staged', (env, staged, stage, source) => {
    const repo = backend().stage(Object.fromEntries(staged.map((name) => [name, ''])))
    expect(gateJson(repo, [], { env })).toMatchObject({ stage, source })
  })

  it('exits with 8 when git cannot be run, so that a hook does not take it for a blocked change', () => {
    expect(gateJson(backend(), [], { env: { PATH: '/nonexistent' } })).toMatchObject({
      code: 8,
      error: { code: 'git.absent', kind: 'unavailable' },
    })
  })

  const untouched = backend()
  it.each([
    [['--stage', 'LATER'], 2, 'usage.option'],
    [['--scope', 'everything'], 2, 'usage.option'],
    [['--scope', 'repository'], 2, 'usage.option'],
    [['--range', 'HEAD'], 2, 'usage.option'],
    [['--range', 'nowhere..HEAD'], 2, 'git.revision'],
    [['--range=--output=x..HEAD'], 2, 'git.revision'],
    [['--all', '--scope', 'staged'], 2, 'usage.option'],
    [['--sarif'], 2, 'usage.option'],
    [['dance'], 2, 'usage.argument'],
  ])('refuses %j and changes nothing', (args, code, error) => {
    expect(gateJson(untouched, args)).toMatchObject({ code, error: { code: error } })
    expect(untouched.git('status', '--short', '--ignored')).toBe('')
  })

  it('judges only, when no evidence is wanted', () => {
    const repo = backend().stage({ 'src/a.ts': LOG })
    expect(gateJson(repo, ['--no-evidence'])).toMatchObject({ code: 1, evidence: null })
    expect(repo.git('status', '--short', '--ignored')).toBe('A  src/a.ts\n')
  })

  it('writes SARIF and JUnit, to a file when one is named', () => {
    const repo = backend().stage({ 'src/ñ.ts': LOG })
    const sarif = JSON.parse(gate(repo, ['--sarif']).stdout)
    expect(sarif.version).toBe('2.1.0')
    expect(sarif.runs[0].results).toMatchObject([
      { ruleId: RULE, locations: [{ physicalLocation: { artifactLocation: { uri: 'src/%C3%B1.ts' } } }] },
    ])
    const { status, stdout } = gate(repo, ['--junit', '--output', 'report.xml'])
    expect([status, stdout]).toEqual([1, ''])
    expect(readFileSync(repo.path('report.xml'), 'utf8')).toContain('<failure message="console.log')
    const lost = gate(repo, ['--output', 'no/such/folder'])
    expect(lost.status).toBe(2)
    expect(lost.stderr).toContain('Name a file in an existing folder')
  })

  it('takes the strictest policy there is, and stops at one it cannot read', () => {
    const repo = backend().stage({ 'src/a.ts': 'let a: number = (1 + \n' })
    expect(gateJson(repo)).toMatchObject({ code: 0, outcome: 'WARN', counts: { by_severity: { ERROR: 1 } } })
    expect(gateJson(repo, [], { env: { PUMUKI_HARD_MODE: 'on' } })).toMatchObject({
      code: 1,
      policy: { trace: { source: 'hard-mode' } },
    })
    repo.write({ 'skills.policy.json': '{' })
    expect(gateJson(repo)).toMatchObject({ code: 2, error: { code: 'gate.policy_invalid' } })
  })

  it('takes its time from SOURCE_DATE_EPOCH or a fixed clock', () => {
    const repo = backend()
    gate(repo, [], { env: { SOURCE_DATE_EPOCH: '1767225600' } })
    expect(readEvidence(repo).timestamp).toBe('2026-01-01T00:00:00.000Z')
    gate(repo, ['--clock', 'deterministic'])
    expect(readEvidence(repo).timestamp).toBe('2023-11-14T22:13:20.000Z')
  })
})

describe('what a repository says of our rules', () => {
  const SEVERITIES = '.warrant/rules/severities.yml'
  const weighed = (text: string) =>
    backend()
      .commit({ [SEVERITIES]: text })
      .stage({ 'src/a.ts': `${LOG}process.exit(1)\n` })

  it('makes a rule lighter at every stage, and says so in the report and in the evidence', () => {
    const ids = ['backend.no-console-log', 'skills.backend.no-console-log', 'heuristics.ts.console-log.ast']
    const repo = weighed(`severities:\n${ids.map((id) => `  ${id}: INFO\n`).join('')}`)
    const listed = [
      { rule: 'backend.no-console-log', from: 'CRITICAL', to: 'INFO' },
      { rule: 'heuristics.ts.console-log.ast', from: 'WARN', to: 'INFO' },
      { rule: 'skills.backend.no-console-log', from: 'ERROR', to: 'INFO' },
    ]
    const report = gateJson(repo)
    expect(report).toMatchObject({ code: 0, reweighed: listed })
    expect(report.findings.filter(({ file }) => file === 'src/a.ts')).toMatchObject([
      { severity: 'INFO' },
      { ruleId: 'heuristics.ts.process-exit.ast', severity: 'WARN' },
    ])
    const { snapshot, rulesets } = readEvidence(repo)
    expect(snapshot).toMatchObject({ reweighed_rules: listed })
    expect(rulesets).toContainEqual({
      platform: 'project',
      bundle: 'project-severities',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(gate(repo).stdout).toMatch(
      /\nbackend\.no-console-log: CRITICAL → INFO\n(.*\n)*.* · 3 severity overrides ·/,
    )
    expect(gateJson(repo, ['--stage', 'CI', '--scope', 'staged']).findings).toMatchObject([
      { severity: 'INFO' },
      { ruleId: 'heuristics.ts.process-exit.ast', severity: 'ERROR' },
    ])
  })

  it('makes a rule heavier, or switches it off', () => {
    const heavy = weighed('severities: { heuristics.ts.process-exit.ast: CRITICAL }')
    expect(gateJson(heavy)).toMatchObject({ code: 1, counts: { by_severity: { CRITICAL: 2 } } })
    const off = weighed('severities: { heuristics.ts.process-exit.ast: OFF }')
    expect(places(gateJson(off)).some((place) => place.includes('process-exit'))).toBe(false)
    const domain = { 'Package.swift': '', 'Sources/Domain/a.swift': 'let a = 1\n' }
    const changes = (text: string) =>
      places(gateJson(Repo.init().stage({ ...domain, [SEVERITIES]: text }))).map(
        (place) => place.split(' ')[0],
      )
    expect(changes('severities: {}')).toContain('ios.tdd.domain-changes-require-tests')
    expect(changes('severities: { ios.tdd.domain-changes-require-tests: OFF }')).not.toContain(
      'ios.tdd.domain-changes-require-tests',
    )
  })

  it.each([
    [
      'severities: { backend.no-console-lgo: INFO }',
      'rule.unknown',
      /no shipped rule is called "backend.no-console-lgo"/,
    ],
    ['severities: { gate.file-given-up: OFF }', 'rule.unknown', /gate.file-given-up/],
    [
      'severities: { backend.no-console-log: LIGHT }',
      'rule.malformed',
      /severities\.backend\.no-console-log/,
    ],
    ['rules: {}', 'rule.malformed', /severities/],
    ['severities: [', 'rule.unreadable', /severities\.yml/],
  ])('stops the gate when it cannot be meant: %s', (text, code, message) => {
    expect(gateJson(weighed(text))).toMatchObject({
      code: 2,
      error: { code, message: expect.stringMatching(message), fix: expect.any(String) },
    })
  })
})

describe('comments', () => {
  it('silence a rule with a reason, and stay in the report', () => {
    const reason = `// warrant-ignore ${RULE}: shown to the operator\n`
    const repo = backend().stage({ 'src/a.ts': `${reason}${LOG}` })
    expect(gateJson(repo)).toMatchObject({
      code: 0,
      counts: { judged: 1, suppressed: 1 },
      findings: [
        { ruleId: 'gate.suppression-added', severity: 'INFO' },
        { ruleId: RULE, state: 'suppressed', reason: 'shown to the operator' },
      ],
    })
    expect(readEvidence(repo).snapshot).toMatchObject({
      findings: [{ ruleId: 'gate.suppression-added' }],
      suppressed_findings: 1,
    })
    // Once it is committed, it is accepted.
    repo.commit({}).stage({ 'src/a.ts': `${reason}${LOG}export const a = 1\n` })
    expect(gateJson(repo)).toMatchObject({ code: 0, counts: { judged: 0, suppressed: 1 } })
    expect(readEvidence(repo).snapshot).toMatchObject({ findings: [], suppressed_findings: 1 })
  })

  it('silence nothing without a reason', () => {
    const repo = backend().stage({ 'src/a.ts': `// warrant-ignore ${RULE}\n${LOG}` })
    const report = gateJson(repo)
    expect(report.code).toBe(1)
    expect(places(report)).toEqual(['warrant.suppression-without-reason src/a.ts:1', `${RULE} src/a.ts:2`])
  })
})

describe('the specification guard', () => {
  it('is asked where there is an openspec folder, and blocks before any rule', () => {
    const repo = backend().stage({ 'src/a.ts': LOG, 'openspec/project.md': '' })
    const report = gateJson(repo, [], { env: { PATH: '/usr/bin:/bin' } })
    expect(report).toMatchObject({ code: 1, outcome: 'BLOCK', files: { scanned: 0 } })
    expect(readEvidence(repo)).toMatchObject({
      snapshot: {
        findings: [
          {
            ruleId: 'sdd.policy.blocked',
            severity: 'ERROR',
            file: 'openspec/changes',
            matchedBy: 'SddPolicy',
          },
        ],
      },
      sdd_metrics: { enforced: true, decision: { allowed: false } },
    })
  })

  it('can be switched off, and the evidence says so', () => {
    const repo = backend().stage({ 'src/a.ts': 'export {}\n' })
    const report = gateJson(repo, ['--sdd', 'always'], { env: { PUMUKI_SDD_BYPASS: '1' } })
    expect(report).toMatchObject({ code: 0 })
    expect(readEvidence(repo)).toMatchObject({
      snapshot: { findings: [{ ruleId: 'sdd.policy.bypassed' }] },
      sdd_metrics: { decision: { allowed: true, details: { bypass: true } } },
    })
  })

  it('is skipped in a repository without specifications', () => {
    const repo = backend()
    expect(gateJson(repo).code).toBe(0)
    expect(readEvidence(repo).sdd_metrics).toBeUndefined()
  })
})

describe('the decisions', () => {
  it('are entries of a lineage that can be verified, from the command and from the tools', async () => {
    const repo = backend().stage({ 'src/a.ts': LOG })
    gate(repo)
    const talk = new Program(['mcp'], { cwd: repo.folder, env: { WARRANT_PROFILE: 'seed' } })
    const call = (id: number, name: string, args: object) =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })
    talk.send(call(1, 'gate_run', { stage: 'PRE_COMMIT' }))
    const [ran] = await talk.answers(1)
    talk.send(call(2, 'ai_gate_check', { stage: 'PRE_COMMIT' }), call(3, 'gate_explain', { rule: RULE }))
    const answers = await talk.answers(3)
    await talk.finish()
    const content = (id: number) =>
      [ran, ...answers].find((one) => one?.id === id)?.result as {
        structuredContent: Record<string, unknown>
      }
    expect(content(1).structuredContent).toMatchObject({ status: 'BLOCKED', counts: { judged: 1 } })
    expect(content(2).structuredContent).toMatchObject({
      allowed: false,
      violations: [{ code: 'EVIDENCE_GATE_BLOCKED' }],
      evidence: { kind: 'valid', max_age_seconds: 900 },
      repo_state: { git: { branch: 'feature/x', staged: 1 } },
    })
    expect(content(3).structuredContent).toMatchObject({ rules: [{ id: RULE, invalid: expect.anything() }] })
    const { json, code } = await warrant(repo, 'log', 'verify', '--graph', 'gate-decisions', '--json')
    expect([code, json.chain]).toMatchObject([0, { outcome: 'intact', size: 4 }])
    expect(repo.git('status', '--short')).toBe('A  src/a.ts\n?? .ai_evidence.json\n')
  })

  it('leave nothing behind where nothing may be written', async () => {
    const repo = backend()
    const talk = new Program(['mcp', '--read-only'], { cwd: repo.folder })
    talk.send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'ai_gate_check', arguments: {} },
      }),
    )
    await talk.answers(1)
    await talk.finish()
    expect(statSync(repo.path('.warrant'), { throwIfNoEntry: false })).toBeUndefined()
    expect(gateEnvironment().CI).toBeUndefined()
  })
})
