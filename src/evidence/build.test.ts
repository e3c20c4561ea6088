import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BuildInput, buildEvidence } from './build.ts'
import { linkEvidence, writeDocument } from './document.ts'
import type { RawFinding } from './finding.ts'
import { readDocument } from './read.ts'
import { type Evidence, type HumanIntent, SEVERITIES } from './schema.ts'

const NOW = Date.parse('2026-02-20T10:00:00.000Z')
const EARLIER = '2026-02-01T08:00:00.000Z'

const finding = (ruleId: string, more: Partial<RawFinding> = {}): RawFinding => ({
  ruleId,
  severity: 'ERROR',
  code: ruleId.toUpperCase(),
  message: `${ruleId} was broken`,
  file: 'apps/ios/App/View.swift',
  lines: [10],
  ...more,
})

const build = (
  findings: readonly RawFinding[],
  more: Partial<BuildInput> = {},
  previous?: Evidence,
): Evidence =>
  buildEvidence({ stage: 'PRE_COMMIT', findings, platforms: {}, rulesets: [], ...more }, previous, NOW)

const ids = ({ snapshot }: Evidence): readonly string[] => snapshot.findings.map(({ ruleId }) => ruleId)

const intent = (more: Partial<HumanIntent> = {}): HumanIntent => ({
  primary_goal: '  ship it ',
  secondary_goals: ['a', ' a ', '', 'b'],
  non_goals: [],
  constraints: [],
  confidence_level: 'high',
  set_by: ' ana ',
  set_at: '2026-02-01T09:00:00+01:00',
  expires_at: null,
  preserved_at: EARLIER,
  preservation_count: 2,
  ...more,
})

describe('normalising', () => {
  it.each([
    [
      [9.8, 1, 1, Number.NaN, 4],
      [1, 4, 9],
    ],
    ['   ', undefined],
    [' 10-12 ', '10-12'],
    [8.9, 8],
    [Number.POSITIVE_INFINITY, undefined],
    [[], undefined],
    [[Number.NaN], undefined],
  ])('makes lines %j into %j', (lines, normalized) => {
    expect(build([finding('a', { lines })]).snapshot.findings[0]?.lines).toEqual(normalized)
  })

  it.each([
    ['/repo/src/a.ts', 'src/a.ts'],
    ['/repo-too/src/a.ts', '/repo-too/src/a.ts'],
    ['/repo/../etc/passwd', '/repo/../etc/passwd'],
    ['C:\\other\\a.ts', 'C:/other/a.ts'],
    ['src\\a.ts', 'src/a.ts'],
    ['', 'unknown'],
  ])('makes the path %s into %s', (file, normalized) => {
    expect(build([finding('a', { file })], { root: '/repo' }).snapshot.findings[0]?.file).toBe(normalized)
  })

  it('prefers filePath to file, drops blank traces and keeps what it does not know', () => {
    const [one] = build([
      finding('a', { filePath: 'x.ts', matchedBy: ' ', source: ' git ', zeta: 1, alpha: 2 }),
    ]).snapshot.findings
    expect(one).toMatchObject({ file: 'x.ts', source: 'git', alpha: 2, zeta: 1 })
    expect(Object.keys(one ?? {})).toEqual([
      'ruleId',
      'severity',
      'code',
      'message',
      'file',
      'lines',
      'source',
      'alpha',
      'zeta',
    ])
  })
})

describe('deduplicating and consolidating', () => {
  it('keeps the more severe of two that are the same, else the smaller trace', () => {
    const pair = [finding('a', { code: 'B_RULE' }), finding('a', { code: 'A_RULE' })]
    for (const order of [pair, pair.toReversed()]) {
      expect(build(order).snapshot.findings.map(({ code }) => code)).toEqual(['A_RULE'])
    }
    const [kept] = build([finding('a', { severity: 'CRITICAL', code: 'Z' }), ...pair]).snapshot.findings
    expect(kept).toMatchObject({ severity: 'CRITICAL', code: 'Z' })
  })

  it.each([
    ['heuristics.ios.anyview.ast', 'ERROR', 'ios.no-anyview', 'CRITICAL', 'ios.no-anyview'],
    ['heuristics.ios.anyview.ast', 'ERROR', 'ios.no-anyview', 'WARN', 'heuristics.ios.anyview.ast'],
    ['heuristics.ios.anyview.ast', 'ERROR', 'ios.no-anyview', 'ERROR', 'ios.no-anyview'],
    ['skills.ios.no-force-try', 'ERROR', 'ios.no-force-try', 'ERROR', 'skills.ios.no-force-try'],
    ['our.force-unwrap.rule', 'ERROR', 'skills.ios.no-force-unwrap', 'ERROR', 'our.force-unwrap.rule'],
    ['ios.no-gcd', 'ERROR', 'heuristics.ios.operation-queue.ast', 'ERROR', 'ios.no-gcd'],
    [
      'ios.no-completion-handlers-outside-bridges',
      'WARN',
      'heuristics.ios.callback-style.ast',
      'WARN',
      'ios.no-completion-handlers-outside-bridges',
    ],
  ] as const)('of %s (%s) and %s (%s) on one line keeps %s', (one, first, other, second, winner) => {
    const built = build([finding(one, { severity: first }), finding(other, { severity: second })])
    expect(ids(built)).toEqual([winner])
    const loser = winner === one ? other : one
    expect(built.consolidation?.suppressed).toEqual([
      {
        ruleId: loser,
        file: 'apps/ios/App/View.swift',
        lines: [10],
        replacedByRuleId: winner,
        replacementRuleId: winner,
        platform: 'ios',
        reason: 'semantic-family-precedence',
      },
    ])
  })

  it('does not merge what stands on different lines, and puts line 5 before line 40', () => {
    const built = build([finding('r', { lines: 40 }), finding('r', { lines: 5 })])
    expect(built.snapshot.findings.map(({ lines }) => lines)).toEqual([5, 40])
    expect(built.consolidation).toBeUndefined()
    expect(ids(build([finding('ios.no-gcd'), finding('heuristics.ios.dispatchqueue.ast')]))).toHaveLength(2)
  })

  it('does not take a word inside another word for a family', () => {
    const built = build([finding('x.my-console-logger'), finding('frontend.no-console-log')])
    expect(ids(built)).toHaveLength(2)
  })

  it('gives the same evidence whatever order the findings come in', () => {
    const word = fc.constantFrom(
      'ios.no-anyview',
      'heuristics.ios.anyview.ast',
      'skills.ios.no-force-try',
      'ios.no-force-try',
      'é.rule',
      'z',
    )
    const any = fc.record(
      {
        ruleId: word,
        severity: fc.constantFrom(...SEVERITIES),
        code: fc.constantFrom('A', 'B', 'a'),
        message: fc.constantFrom('m', 'n'),
        file: fc.constantFrom('apps/ios/a.swift', 'b.ts', 'É.ts', ''),
        lines: fc.oneof(
          fc.constantFrom('7', '10-12', ''),
          fc.integer({ min: 0, max: 12 }),
          fc.array(fc.nat(12)),
        ),
        source: fc.constantFrom('s', 't'),
        extra: fc.nat(2),
      },
      { requiredKeys: ['ruleId', 'severity', 'code', 'message'] },
    )
    const shuffled = fc
      .array(any, { maxLength: 20 })
      .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })))
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        expect(JSON.stringify(build(other))).toBe(JSON.stringify(build(list)))
      }),
    )
  })
})

describe('the verdict', () => {
  it.each([
    [['CRITICAL', 'INFO'], undefined, 'BLOCK', 'BLOCKED'],
    [['INFO'], undefined, 'WARN', 'ALLOWED'],
    [[], undefined, 'PASS', 'ALLOWED'],
    [['CRITICAL'], 'PASS', 'PASS', 'ALLOWED'],
    [[], 'BLOCK', 'BLOCK', 'BLOCKED'],
  ] as const)('on %j with %s given is %s, %s', (severities, given, outcome, status) => {
    const built = build(
      severities.map((severity, at) => finding(`r${at}`, { severity })),
      given === undefined ? {} : { outcome: given },
    )
    expect(built.snapshot.outcome).toBe(outcome)
    expect([built.ai_gate.status, built.severity_metrics.gate_status]).toEqual([status, status])
    expect(built.severity_metrics.total_violations).toBe(severities.length)
    expect(built.ai_gate.violations.map(({ level }) => level)).toEqual(
      built.snapshot.findings.map(({ severity }) => severity),
    )
  })
})

describe('what is carried over', () => {
  const before = build([finding('old'), finding('gone')], { humanIntent: intent() })
  const previous: Evidence = {
    ...before,
    ledger: before.ledger.map((entry) => ({ ...entry, firstSeen: EARLIER, lastSeen: EARLIER })),
  }

  it('remembers when an open finding was first seen, and forgets one that is gone', () => {
    const { ledger, timestamp } = build([finding('old'), finding('new')], {}, previous)
    expect(ledger.map(({ ruleId, firstSeen, lastSeen }) => [ruleId, firstSeen, lastSeen])).toEqual([
      ['new', timestamp, timestamp],
      ['old', EARLIER, timestamp],
    ])
  })

  it('carries the intent over and counts it; an explicit one is not counted; an expired one is dropped', () => {
    expect(before.human_intent).toMatchObject({
      primary_goal: 'ship it',
      secondary_goals: ['a', 'b'],
      set_by: 'ana',
      set_at: '2026-02-01T08:00:00.000Z',
      preservation_count: 2,
      preserved_at: '2026-02-20T10:00:00.000Z',
    })
    const carried = build([], {}, previous)
    expect(carried.human_intent?.preservation_count).toBe(3)
    expect(carried.ai_gate.human_intent).toEqual(carried.human_intent)
    expect(build([], { humanIntent: null }, previous).human_intent?.preservation_count).toBe(2)
    const expired = intent({ expires_at: '2026-02-20T11:00:00+01:00' })
    expect(build([], { humanIntent: expired }, previous).human_intent).toBeNull()
    expect(build([], { humanIntent: intent({ preserved_at: 'soon' }) }, previous).human_intent).toBeNull()
  })

  it('keeps the first of two rulesets of one bundle, sorted', () => {
    const ruleset = (platform: string, bundle: string, hash: string) => ({ platform, bundle, hash })
    const rulesets = [ruleset('ios', 'b', '1'), ruleset('backend', 'a', '2'), ruleset('ios', 'b', '3')]
    expect(build([], { rulesets }).rulesets).toEqual([ruleset('backend', 'a', '2'), ruleset('ios', 'b', '1')])
  })
})

describe('writing and reading', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 8 })
  const anyFinding = fc.record(
    {
      ruleId: text,
      severity: fc.constantFrom(...SEVERITIES),
      code: text,
      message: text,
      file: text,
      lines: fc.oneof(text, fc.double(), fc.array(fc.double())),
      extra: fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: ['ruleId', 'severity', 'code', 'message'] },
  )

  const bare = { ruleId: '', severity: 'INFO', code: '', message: '' } as const

  it('gives back what was written, with a chain that holds', () => {
    fc.assert(
      fc.property(
        fc.array(anyFinding, { maxLength: 6 }),
        fc.array(anyFinding, { maxLength: 6 }),
        (one, two) => {
          const first = linkEvidence(build(one, { root: '/repo' }), undefined)
          const second = linkEvidence(build(two, {}, first), first)
          expect(second.evidence_chain).toMatchObject({
            sequence: 2,
            previous_payload_hash: first.evidence_chain?.payload_hash,
          })
          const reading = readDocument(Buffer.from(writeDocument(second)))
          if (reading.kind !== 'valid') throw new Error(JSON.stringify(reading))
          expect(JSON.stringify(reading.evidence)).toBe(JSON.stringify(second))
          expect(writeDocument(reading.evidence)).toBe(writeDocument(second))
        },
      ),
      { examples: [[[], [{ ...bare, extra: JSON.parse('{"a":[{"__proto__":false,"b":1}]}') }]]] },
    )
  })

  it('has its parts in their order, ends in a newline and names no place on this machine', () => {
    const repoState = {
      repo_root: '/home/ana/repo',
      git: {
        available: true,
        branch: null,
        upstream: null,
        ahead: 0,
        behind: 0,
        dirty: false,
        staged: 0,
        unstaged: 0,
      },
      lifecycle: {
        installed: false,
        package_version: null,
        lifecycle_version: null,
        hooks: { pre_commit: 'missing' as const, pre_push: 'missing' as const },
      },
    }
    const pair = [finding('ios.no-anyview'), finding('heuristics.ios.anyview.ast')]
    const document = writeDocument(linkEvidence(build(pair, { repoState }), undefined))
    expect(document.endsWith('}\n')).toBe(true)
    expect(document).not.toContain('/home')
    expect(Object.keys(JSON.parse(document))).toEqual([
      'version',
      'timestamp',
      'snapshot',
      'ledger',
      'platforms',
      'rulesets',
      'human_intent',
      'ai_gate',
      'severity_metrics',
      'repo_state',
      'consolidation',
      'evidence_chain',
    ])
  })

  it('normalizes evidence that was built elsewhere, and repeats the findings as violations', () => {
    const built = build([finding('a'), finding('b')])
    const loose: Evidence = {
      ...built,
      snapshot: {
        ...built.snapshot,
        findings: built.snapshot.findings.map((one) => ({ ...one, lines: [9.8, 1, 1, 4] })).reverse(),
      },
      ai_gate: { ...built.ai_gate, violations: [] },
    }
    const { snapshot, ai_gate: gate } = linkEvidence(loose, undefined)
    expect(snapshot.findings.map(({ ruleId, lines }) => [ruleId, lines])).toEqual([
      ['a', [1, 4, 9]],
      ['b', [1, 4, 9]],
    ])
    expect(gate.violations.map(({ ruleId, lines }) => [ruleId, lines])).toEqual([
      ['a', [1, 4, 9]],
      ['b', [1, 4, 9]],
    ])
  })
})
