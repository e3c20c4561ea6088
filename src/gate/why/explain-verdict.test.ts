import { describe, expect, it } from 'vitest'
import type { Evidence, Finding } from '../../evidence/schema.ts'
import type { GateStage } from '../../evidence/stage.ts'
import type { Check } from '../checks/check.ts'
import { NO_LIFECYCLE } from '../facts/repo-state.ts'
import { type GateInput, judgeEvidence } from '../judge-evidence.ts'
import { resolvePolicy } from '../policy.ts'
import type { PolicyFiles } from '../policy-files.ts'
import { explainVerdict } from './explain-verdict.ts'
import { jsonMemberLine } from './member-line.ts'
import { writeExplanation } from './write-text.ts'

const MADE = Date.parse('2026-03-01T12:00:00.000Z')
const HASH = `sha256:${'1'.repeat(64)}`
const BASE = 'b'.repeat(40)

const skills = (block: string) => `{
  "stages": {
    "PRE_COMMIT": { "blockOnOrAbove": "${block}", "warnOnOrAbove": "INFO" },
    "PRE_PUSH": {
      "warnOnOrAbove": "INFO",
      "blockOnOrAbove": "${block}"
    },
    "CI": { "blockOnOrAbove": "${block}", "warnOnOrAbove": "INFO" }
  }
}`

const NO_FILES: PolicyFiles = {
  hardFile: undefined,
  skillsFile: undefined,
  rules: [],
  overrides: undefined,
  checks: undefined,
  keys: undefined,
  acceptances: undefined,
}

const CHECK: Check = {
  name: 'lint',
  line: 4,
  run: 'true',
  reads: 'exit',
  stages: ['PRE_PUSH'],
  timeoutMs: 1,
  severity: {},
  only: 'changed-lines',
  env: [],
}

const finding = (more: Partial<Finding> = {}): Finding => ({
  ruleId: 'some.rule',
  severity: 'ERROR',
  code: 'C',
  message: 'it is wrong',
  file: 'src/a.ts',
  lines: [3],
  expected_fix: 'Repair it.',
  fingerprint: 'f'.repeat(32),
  ...more,
})

interface Case {
  readonly findings?: readonly Finding[]
  readonly stage?: GateStage
  readonly status?: 'ALLOWED' | 'BLOCKED'
  readonly snapshot?: Readonly<Record<string, unknown>>
  readonly present?: Partial<PolicyFiles>
  readonly before?: Partial<PolicyFiles>
  readonly checks?: readonly Check[]
  readonly hardMode?: string
  readonly about?: string
  readonly age?: number
  readonly branch?: string
  readonly more?: Partial<Evidence>
  readonly trust?: GateInput['receipt']
}

const explain = (given: Case = {}) => {
  const { findings = [], stage = 'PRE_PUSH', age = 5, branch = 'feature/x' } = given
  const status = given.status ?? (findings.length > 0 ? 'BLOCKED' : 'ALLOWED')
  const state = {
    repo_root: '.',
    git: {
      available: true,
      branch,
      upstream: null,
      ahead: 0,
      behind: 0,
      dirty: true,
      staged: 1,
      unstaged: 0,
    },
    lifecycle: NO_LIFECYCLE,
  }
  const bySeverity = { CRITICAL: 0, ERROR: 0, WARN: 0, INFO: 0 }
  for (const { severity } of findings) bySeverity[severity] += 1
  const evidence: Evidence = {
    version: '2.1',
    timestamp: new Date(MADE).toISOString(),
    snapshot: {
      stage,
      outcome: status === 'BLOCKED' ? 'BLOCK' : 'PASS',
      findings: [...findings],
      ...given.snapshot,
    },
    ledger: [],
    platforms: {},
    rulesets: [{ platform: 'policy', bundle: 'gate-policy.default.PRE_PUSH', hash: 'abc' }],
    human_intent: null,
    ai_gate: { status, violations: [], human_intent: null },
    severity_metrics: { gate_status: status, total_violations: findings.length, by_severity: bySeverity },
    repo_state: state,
    judged_tree: {
      scope: 'staged',
      head: BASE,
      digest: HASH,
      files: 1,
      entries: [{ path: 'src/a.ts', id: '1' }],
    },
    evidence_chain: { algorithm: 'sha256', previous_payload_hash: null, payload_hash: HASH, sequence: 2 },
    ...given.more,
  }
  const variables = { hardMode: given.hardMode, hardProfile: undefined }
  const files = { ...NO_FILES, ...given.present }
  const input = {
    reading: { kind: 'valid' as const, evidence, digest: HASH },
    state,
    stage,
    policy: resolvePolicy(stage, { ...files, ...variables }),
    now: MADE + age * 1_000,
    recorded: { seq: 7, evidence: HASH, tree: 'c'.repeat(40), earlier: [] },
    receipt: given.trust,
  }
  return explainVerdict({
    input,
    verdict: judgeEvidence(input),
    versions: [
      { commit: undefined, files, checks: given.checks ?? [] },
      ...(given.before === undefined
        ? []
        : [{ commit: BASE, files: { ...NO_FILES, ...given.before }, checks: [] }]),
    ],
    variables,
    protectedBranches: ['main'],
    log: 'gate-decisions',
    change: 'add-login',
    receipt: { digest: HASH, detail: 'trusted: signed by Web team (developer)' },
    problem: undefined,
    about: given.about,
    judges: false,
  })
}

const lines = (given: Case) => explain(given).counted.map(({ where, effect }) => `${where}: ${effect}`)

describe('the line that made a reason count', () => {
  it.each<[string, Case, string]>([
    ['the default', {}, 'built-in default of PRE_PUSH: PRE_PUSH blocks at ERROR and above'],
    [
      'the policy of the repository',
      { present: { skillsFile: skills('WARN') } },
      'skills.policy.json:6 stages.PRE_PUSH.blockOnOrAbove: PRE_PUSH blocks at WARN and above',
    ],
    [
      'hard mode by file',
      { present: { hardFile: '{\n "enabled": true }', skillsFile: skills('ERROR') } },
      '.pumuki/hard-mode.json:2 enabled: hard mode: PRE_PUSH blocks at WARN and above',
    ],
    [
      'hard mode by variable',
      { hardMode: '1', present: { hardFile: '{"enabled": true}' } },
      'variable PUMUKI_HARD_MODE: hard mode: PRE_PUSH blocks at WARN and above',
    ],
    [
      'the base, where the working tree is weaker',
      { present: { skillsFile: skills('CRITICAL') }, before: { skillsFile: skills('ERROR') } },
      `skills.policy.json:6 stages.PRE_PUSH.blockOnOrAbove at ${'b'.repeat(12)}: PRE_PUSH blocks at ERROR and above; the working tree says CRITICAL, and the stricter version counts`,
    ],
    [
      'a severity override',
      {
        snapshot: { reweighed_rules: [{ rule: 'some.rule', from: 'WARN', to: 'ERROR' }] },
        present: { overrides: { path: 'x', text: 'severities:\n  # a comment\n  some.rule: ERROR\n' } },
      },
      '.warrant/rules/severities.yml:3 severities.some.rule: WARN → ERROR',
    ],
    [
      'a rule of the repository',
      { present: { rules: [{ path: '.warrant/rules/own.yml', text: 'language: ts\nid: some.rule\n' }] } },
      '.warrant/rules/own.yml:2: the rule some.rule',
    ],
    [
      'a check',
      { findings: [finding({ source: 'check:lint' })], checks: [CHECK] },
      '.warrant/checks.yml:4 checks.lint: the check lint is required at PRE_PUSH; results in changed lines count',
    ],
    [
      'a check that was not allowed',
      {
        findings: [finding({ ruleId: 'gate.check-not-allowed', file: '.warrant/checks.yml', lines: [4] })],
        checks: [CHECK],
      },
      '.warrant/checks.yml:4 checks.lint: the check lint is required at PRE_PUSH; results in changed lines count',
    ],
    [
      'a weakened file',
      { findings: [finding({ ruleId: 'gate.policy-changed', file: 'skills.policy.json' })], before: {} },
      `skills.policy.json at ${'b'.repeat(12)}: a change is judged by the base too: the stricter version counts`,
    ],
    [
      'the base, for what is known',
      { snapshot: { known_findings: 2, policy_base: BASE } },
      `the base ${BASE.slice(0, 12)}: has 2 findings of these files already, which do not count`,
    ],
    ['the age', { findings: [], age: 5_000 }, 'built-in for PRE_PUSH: evidence is valid for 1800 seconds'],
    [
      'the keys of the repository',
      { findings: [], trust: 'foreign', before: { keys: 'keys: []' } },
      `.warrant/keys.yml at ${'b'.repeat(12)}: evidence needs a receipt by a trusted key`,
    ],
    [
      'the setting that asks for receipts',
      { findings: [], trust: 'invalid' },
      'setting requireReceipt: evidence needs a receipt by a trusted key',
    ],
    [
      'a protected branch',
      { findings: [], branch: 'main' },
      'setting protectedBranches: agents do not work on main',
    ],
  ])('is named: %s', (_, given, expected) => {
    expect(lines({ findings: [finding()], ...given })).toContain(expected)
  })

  it('leaves findings out where only the evidence is refused', () => {
    expect(lines({ age: 5_000 })).toEqual(['built-in for PRE_PUSH: evidence is valid for 1800 seconds'])
  })

  it('finds members of any JSON, and does not mistake values for names', () => {
    const text = '{"a": ["b", {"b": 1}],\n "x": "b",\n "c": {"b":\n 2, "d\\"": 3}}'
    expect(jsonMemberLine(text, ['c', 'b'])).toBe(3)
    expect(jsonMemberLine(text, ['c', 'd"'])).toBe(4)
    expect(jsonMemberLine(text, ['b'])).toBeUndefined()
    expect(jsonMemberLine('', ['b'])).toBeUndefined()
  })
})

describe('the reasons of a verdict', () => {
  it('are its findings from the threshold on, the worst first, and what is wrong with the evidence', () => {
    const findings = [
      finding(),
      finding({ severity: 'WARN', file: 'src/w.ts' }),
      finding({ severity: 'CRITICAL', file: 'src/z.ts' }),
    ]
    const explanation = explain({ findings, age: 5_000 })
    expect(explanation.reasons.map(({ rule, code, file }) => [file, rule ?? code])).toEqual([
      ['src/z.ts', 'some.rule'],
      [undefined, 'EVIDENCE_STALE'],
      ['src/a.ts', 'some.rule'],
    ])
    expect(explanation.notes).toEqual(['1 finding below ERROR does not block: 1 WARN.'])
    expect(explanation.codes).toEqual(['EVIDENCE_STALE', 'EVIDENCE_GATE_BLOCKED'])
  })

  it('are the findings that a later, stricter policy blocks', () => {
    const findings = [finding({ severity: 'WARN' })]
    const { status, reasons } = explain({ findings, status: 'ALLOWED', hardMode: '1' })
    expect([status, reasons.map(({ rule }) => rule)]).toEqual(['BLOCKED', ['some.rule']])
  })

  it('are the refusal of the specification, whatever blocks at the stage', () => {
    const refusal = finding({
      ruleId: 'sdd.policy.blocked',
      code: 'SDD_SESSION_MISSING',
      message: 'Open one.',
    })
    const sdd = {
      enforced: true,
      stage: 'PRE_COMMIT' as const,
      decision: { allowed: false, code: 'X', message: 'Y' },
    }
    const {
      reasons,
      repairs,
      rests_on: rests,
    } = explain({
      stage: 'PRE_COMMIT',
      findings: [refusal],
      more: { sdd_metrics: sdd },
    })
    expect(reasons).toHaveLength(1)
    expect(repairs[0]?.action).toBe('Open one.')
    expect(rests).toContainEqual({ kind: 'specification', name: 'OpenSpec change add-login', detail: 'X: Y' })
  })

  it('stay the reason of the evidence when none of its findings blocks any more', () => {
    const findings = [finding({ severity: 'WARN' })]
    const { reasons } = explain({ findings })
    expect(reasons.map(({ code }) => code)).toEqual(['EVIDENCE_GATE_BLOCKED'])
  })
})

describe('a question about a part', () => {
  const findings = [
    finding(),
    finding({ ruleId: 'other.rule', file: 'lib/b.ts', severity: 'INFO', fingerprint: 'e'.repeat(32) }),
  ]
  it.each([
    ['some.rule', ['src/a.ts']],
    ['eeeeeeee', ['lib/b.ts']],
    ['./lib/', ['lib/b.ts']],
    ['src/a.ts', ['src/a.ts']],
    ['src/a', []],
    ['f', []],
  ])('about %s shows the findings it means', (about, files) => {
    expect(explain({ findings, about }).reasons.map(({ file }) => file)).toEqual(files)
  })

  it('needs no repair of what does not block', () => {
    expect(explain({ findings, about: 'other.rule' })).toMatchObject({
      status: 'BLOCKED',
      reasons: [{ blocks: false }],
      repairs: [],
    })
  })

  it('names what was judged', () => {
    expect(explain({ about: 'src/a.ts' }).notes).toEqual([
      'src/a.ts was judged, and no finding about it counts.',
    ])
    expect(explain({ about: 'src/c.ts' }).notes).toEqual(['No finding that counts is about src/c.ts.'])
  })
})

describe('the text', () => {
  it('fits on a screen, counts the rest, and lets no name forge a line', () => {
    const findings = Array.from({ length: 50 }, (_, at) =>
      finding({ file: `src/a\n::error ${at}.ts`, message: 'x'.repeat(500) }),
    )
    const text = writeExplanation(explain({ findings }))
    const rows = text.split('\n')
    expect(rows.length).toBeLessThan(50)
    expect(rows[0]).toBe('BLOCKED PRE_PUSH: 50 reasons (50 ERROR)')
    expect(text).toContain('and 30 more: --json lists all')
    expect(rows.filter((row) => row.startsWith('::'))).toEqual([])
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(400)
    expect(rows.at(-2)).toContain('gate-decisions entry 7')
    expect(rows.at(-1)).toBe(
      `  receipt   of tree cccccccccccc ${HASH.slice(0, 19)} · trusted: signed by Web team (developer)`,
    )
  })
})
