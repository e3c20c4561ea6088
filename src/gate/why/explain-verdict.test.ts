import { describe, expect, it } from 'vitest'
import type { Evidence, Finding } from '../../evidence/schema.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { isBlocking, resolvePolicy, stricterPolicy } from '../policy.ts'
import { type PolicyFiles, thresholdSources } from '../policy-files.ts'
import type { GateFinding } from '../reports/report.ts'
import type { AppliedOverride } from '../rules/severity-overrides.ts'
import { explainVerdict } from './explain-verdict.ts'
import { jsonMemberLine } from './member-line.ts'
import { listPolicyLines } from './policy-lines.ts'
import { writeExplanation } from './write-text.ts'

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

const CHECKS = {
  '.warrant/checks.yml':
    'checks:\n\n\n  lint: { run: x, reads: exit, stages: [PRE_PUSH], only: changed-lines }\n',
}
const BRANCH = {
  code: 'GITFLOW_PROTECTED_BRANCH',
  severity: 'ERROR',
  message: 'The branch main is protected.',
  fix: 'Create a branch.',
} as const

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

/** Texts of policy files, by path. */
type Texts = Readonly<Record<string, string>>

const filesOf = (texts: Texts = {}): PolicyFiles => new Map(Object.entries(texts))

interface Case {
  readonly findings?: readonly Finding[]
  readonly stage?: GateStage
  readonly snapshot?: Readonly<Record<string, unknown>>
  readonly present?: Texts
  readonly before?: Texts
  readonly overrides?: readonly AppliedOverride[]
  readonly hardMode?: string
  readonly about?: string
  readonly more?: Partial<Evidence>
  readonly isStored?: boolean
}

const asGateFinding = ({
  ruleId,
  severity,
  code,
  message,
  file,
  lines,
  source = 'git:staged',
}: Finding): GateFinding => {
  const line = Array.isArray(lines) ? Number(lines[0]) : 1
  const region = { line, column: 1, endLine: line, endColumn: 2 }
  return {
    ruleId,
    severity,
    code,
    message,
    file,
    region,
    source,
    state: 'new',
    matchedBy: '',
    fingerprint: '',
  }
}

const policyOf = ({ stage = 'PRE_PUSH', present, before, hardMode }: Case) => {
  const variables = { hardMode, hardProfile: undefined }
  const files = [present, before].filter((one) => one !== undefined || present === undefined)
  const policies = files.map((one) =>
    resolvePolicy(stage, { ...thresholdSources(filesOf(one)), ...variables }),
  )
  return policies.reduce((one, other) => stricterPolicy(one, other))
}

/** The lines that a run stores for findings that block. */
const lines = async (given: Case): Promise<readonly string[]> => {
  const { findings = [finding()], present, before, hardMode, overrides = [] } = given
  const versions = [
    { commit: undefined, files: filesOf(present) },
    ...(before === undefined ? [] : [{ commit: BASE, files: filesOf(before) }]),
  ]
  const variables = { hardMode, hardProfile: undefined }
  const context = { policy: policyOf(given), versions, variables, overrides }
  const found = await listPolicyLines(findings.map(asGateFinding), context)
  return found.map(({ where, effect }) => `${where}: ${effect}`)
}

const explain = (given: Case = {}) => {
  const { findings = [], stage = 'PRE_PUSH', isStored = true } = given
  const blocking = findings.filter((one) => isBlocking(one, policyOf(given)))
  const status = blocking.length > 0 ? 'BLOCKED' : 'ALLOWED'
  const bySeverity = { CRITICAL: 0, ERROR: 0, WARN: 0, INFO: 0 }
  for (const { severity } of findings) bySeverity[severity] += 1
  const evidence: Evidence = {
    version: '2.1',
    timestamp: '2026-03-01T12:00:00.000Z',
    snapshot: {
      stage,
      outcome: status === 'BLOCKED' ? 'BLOCK' : 'PASS',
      findings: [...findings],
      reasons: blocking.map(({ fingerprint }) => fingerprint),
      ...given.snapshot,
    },
    ledger: [],
    platforms: {},
    rulesets: [{ platform: 'policy', bundle: 'gate-policy.default.PRE_PUSH', hash: 'abc' }],
    human_intent: null,
    ai_gate: { status, violations: [], human_intent: null },
    severity_metrics: { gate_status: status, total_violations: findings.length, by_severity: bySeverity },
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
  const agents = { allowed: false, reasons: [BRANCH] }
  return explainVerdict({
    stage,
    present: { status, agents, evidence, isStored },
    agents,
    age: { kind: 'valid', max_age_seconds: 1_800, age_seconds: 5 },
    recorded: { seq: 7, evidence: HASH, tree: 'c'.repeat(40), earlier: [] },
    log: 'gate-decisions',
    change: 'add-login',
    receipt: { digest: HASH, detail: 'trusted: signed by Web team (developer)' },
    notes: [],
    about: given.about,
  })
}

describe('the line that made a reason count', () => {
  it.each<[string, Case, string]>([
    ['the default', {}, 'built-in default of PRE_PUSH: PRE_PUSH blocks at ERROR and above'],
    [
      'the policy of the repository',
      { present: { 'skills.policy.json': skills('WARN') } },
      'skills.policy.json:6 stages.PRE_PUSH.blockOnOrAbove: PRE_PUSH blocks at WARN and above',
    ],
    [
      'hard mode by file',
      {
        present: { '.pumuki/hard-mode.json': '{\n "enabled": true }', 'skills.policy.json': skills('ERROR') },
      },
      '.pumuki/hard-mode.json:2 enabled: hard mode: PRE_PUSH blocks at WARN and above',
    ],
    [
      'hard mode by variable',
      { hardMode: '1', present: { '.pumuki/hard-mode.json': '{"enabled": true}' } },
      'variable PUMUKI_HARD_MODE: hard mode: PRE_PUSH blocks at WARN and above',
    ],
    [
      'the base, where the working tree is weaker',
      {
        present: { 'skills.policy.json': skills('CRITICAL') },
        before: { 'skills.policy.json': skills('ERROR') },
      },
      `skills.policy.json:6 stages.PRE_PUSH.blockOnOrAbove at ${'b'.repeat(12)}: PRE_PUSH blocks at ERROR and above; the changed policy says CRITICAL, and the stricter version applies`,
    ],
    [
      'a severity override',
      {
        overrides: [{ rule: 'some.rule', from: 'WARN', to: 'ERROR' }],
        present: { '.warrant/rules/severities.yml': 'severities:\n  # a comment\n  some.rule: ERROR\n' },
      },
      '.warrant/rules/severities.yml:3 severities.some.rule: WARN → ERROR',
    ],
    [
      'a rule of the repository',
      { present: { '.warrant/rules/own.yml': 'language: ts\nid: some.rule\n' } },
      '.warrant/rules/own.yml:2: the rule some.rule',
    ],
    [
      'a check',
      { findings: [finding({ source: 'check:lint' })], present: CHECKS },
      '.warrant/checks.yml:4 checks.lint: the check lint is required at PRE_PUSH; results in changed lines count',
    ],
    [
      'a check that was not allowed',
      {
        findings: [
          finding({
            ruleId: 'gate.check-not-allowed',
            file: '.warrant/checks.yml',
            lines: [4],
            source: 'gate-checks',
          }),
        ],
        present: CHECKS,
      },
      '.warrant/checks.yml:4 checks.lint: the check lint is required at PRE_PUSH; results in changed lines count',
    ],
    [
      'a weakened file',
      { findings: [finding({ ruleId: 'gate.policy-changed', file: 'skills.policy.json' })], before: {} },
      `skills.policy.json at ${'b'.repeat(12)}: the version before the change applies too, until the change is merged`,
    ],
  ])('is named: %s', async (_, given, expected) => {
    expect(await lines(given)).toContain(expected)
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
  it('are its findings from the threshold on, the worst first; what stops agents is beside them', () => {
    const findings = [
      finding(),
      finding({ severity: 'WARN', file: 'src/w.ts', fingerprint: 'd'.repeat(32) }),
      finding({ severity: 'CRITICAL', file: 'src/z.ts', fingerprint: 'c'.repeat(32) }),
    ]
    const { reasons, notes, agents } = explain({ findings, snapshot: { known_findings: 2 } })
    expect(reasons.map(({ file }) => file)).toEqual(['src/z.ts', 'src/a.ts'])
    expect(notes).toEqual(['1 finding does not block: 1 WARN.', '2 findings known: the base has them.'])
    expect(agents.reasons.map(({ code }) => code)).toEqual(['GITFLOW_PROTECTED_BRANCH'])
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
