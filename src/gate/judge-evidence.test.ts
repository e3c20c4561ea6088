import { describe, expect, it } from 'vitest'
import type { Evidence, RepoState } from '../evidence/schema.ts'
import type { GateStage } from '../evidence/stage.ts'
import type { EvidenceReading } from '../evidence/store.ts'
import { NO_LIFECYCLE } from './facts/repo-state.ts'
import { FUTURE_TOLERANCE_SECONDS, judgeEvidence } from './judge-evidence.ts'
import { resolvePolicy } from './policy.ts'

const MADE = Date.parse('2026-03-01T12:00:00.000Z')

const state = (branch: string | null = 'feature/x', root = '/repo'): RepoState => ({
  repo_root: root,
  git: { available: true, branch, upstream: null, ahead: 0, behind: 0, dirty: false, staged: 0, unstaged: 0 },
  lifecycle: NO_LIFECYCLE,
})

const evidence = (change: (made: Evidence) => void = () => {}): EvidenceReading => {
  const made: Evidence = {
    version: '2.1',
    timestamp: new Date(MADE).toISOString(),
    snapshot: { stage: 'PRE_COMMIT', outcome: 'PASS', findings: [] },
    ledger: [],
    platforms: {},
    rulesets: [],
    human_intent: null,
    ai_gate: { status: 'ALLOWED', violations: [], human_intent: null },
    severity_metrics: {
      gate_status: 'ALLOWED',
      total_violations: 0,
      by_severity: { CRITICAL: 0, ERROR: 0, WARN: 0, INFO: 0 },
    },
    repo_state: { ...state(), repo_root: '.' },
  }
  change(made)
  return { kind: 'valid', evidence: made, digest: '' }
}

const judge = (reading: EvidenceReading, seconds = 0, stage: GateStage = 'PRE_WRITE', live = state()) =>
  judgeEvidence({ reading, state: live, stage, policy: resolvePolicy(stage), now: MADE + seconds * 1_000 })
const codes = (...args: Parameters<typeof judge>) => judge(...args).violations.map(({ code }) => code)

describe('the gate over evidence', () => {
  it('allows what is fresh, coherent and of this branch', () => {
    expect(judge(evidence(), 300)).toMatchObject({
      status: 'ALLOWED',
      allowed: true,
      violations: [],
      evidence: { kind: 'valid', max_age_seconds: 300, age_seconds: 300 },
    })
  })

  it.each([
    ['PRE_WRITE', 300],
    ['PRE_COMMIT', 900],
    ['PRE_PUSH', 1_800],
    ['CI', 7_200],
  ] as const)('at %s accepts evidence of %i seconds and nothing older', (stage, age) => {
    const made = evidence((one) => Object.assign(one.snapshot, { stage }))
    expect(codes(made, age, stage)).toEqual([])
    expect(codes(made, age + 1, stage)).toEqual(['EVIDENCE_STALE'])
  })

  it.each([true, false])('takes none of an earlier stage, where it names its tree: %s', (isBound) => {
    const tree = { scope: 'staged', head: null, digest: '', files: 0 }
    const chain = { algorithm: 'sha256', payload_hash: '', previous_payload_hash: null } as const
    const bound = isBound ? { judged_tree: tree, evidence_chain: chain } : {}
    const stages = ['PRE_COMMIT', 'PRE_PUSH', 'CI'] as const
    for (const [at, stage] of stages.entries())
      for (const [asked, one] of stages.entries()) {
        const made = evidence((proof) =>
          Object.assign(proof, bound, { snapshot: { ...proof.snapshot, stage } }),
        )
        expect(codes(made, 0, one)).toEqual(at < asked ? ['EVIDENCE_STAGE_MISMATCH'] : [])
      }
  })

  it('does not take evidence from the future for fresh', () => {
    expect(codes(evidence(), -FUTURE_TOLERANCE_SECONDS)).toEqual([])
    expect(judge(evidence(), -FUTURE_TOLERANCE_SECONDS - 1)).toMatchObject({
      status: 'BLOCKED',
      violations: [{ code: 'EVIDENCE_TIMESTAMP_FUTURE' }],
      evidence: { age_seconds: 0 },
    })
  })

  it.each([
    [{ kind: 'missing' }, 'EVIDENCE_MISSING', ''],
    [{ kind: 'invalid', reason: 'wrong-version', version: '2.0' }, 'EVIDENCE_INVALID', '2.0'],
    [{ kind: 'invalid', reason: 'schema', at: 'ledger.0' }, 'EVIDENCE_INVALID', 'ledger.0'],
    [{ kind: 'invalid', reason: 'evidence-chain-invalid' }, 'EVIDENCE_CHAIN_INVALID', ''],
  ] as const)('refuses %j', (reading, code, part) => {
    const { violations, evidence: seen } = judge(reading)
    expect(violations).toMatchObject([{ code, severity: 'ERROR', message: expect.stringContaining(part) }])
    expect(seen).toEqual({ kind: reading.kind, max_age_seconds: 300, age_seconds: null })
  })

  it('takes the age of the decision log where that is greater, such as with SOURCE_DATE_EPOCH', () => {
    const ahead = evidence((made) => {
      made.timestamp = new Date(MADE + 50_000).toISOString()
    })
    const recorded = { evidence: '', earlier: [], at: MADE }
    const { violations, evidence: seen } = judgeEvidence({
      reading: ahead,
      state: state(),
      stage: 'PRE_WRITE',
      policy: resolvePolicy('PRE_WRITE'),
      now: MADE + 301_000,
      recorded,
    })
    expect(violations.map(({ code }) => code)).toContain('EVIDENCE_STALE')
    expect(seen.age_seconds).toBe(301)
  })

  it('stops at a time it cannot read', () => {
    const reading = evidence((made) => {
      made.timestamp = 'yesterday'
      made.ai_gate.status = 'BLOCKED'
    })
    expect(codes(reading, 0, 'PRE_WRITE', state('main'))).toEqual([
      'EVIDENCE_TIMESTAMP_INVALID',
      'GITFLOW_PROTECTED_BRANCH',
    ])
  })

  it('reports stale and blocked together, evidence before the branch', () => {
    const reading = evidence((made) => {
      made.snapshot.outcome = 'BLOCK'
      made.ai_gate.status = 'BLOCKED'
      made.severity_metrics.gate_status = 'BLOCKED'
      made.repo_state = { ...state('main'), repo_root: '/repo/' }
    })
    expect(codes(reading, 5_400, 'PRE_WRITE', state('main'))).toEqual([
      'EVIDENCE_STALE',
      'EVIDENCE_GATE_BLOCKED',
      'GITFLOW_PROTECTED_BRANCH',
    ])
  })

  const CRITICAL = { ruleId: 'r', file: 'f', severity: 'CRITICAL', code: 'c', message: 'm' } as const
  it.each<[string, (made: Evidence) => void]>([
    ['two statuses', ({ severity_metrics: all }) => Object.assign(all, { gate_status: 'BLOCKED' })],
    ['a blocking outcome', ({ snapshot }) => Object.assign(snapshot, { outcome: 'BLOCK' })],
    [
      'a finding that is not counted',
      (made) => void made.snapshot.findings.push({ ...CRITICAL, severity: 'INFO' }),
    ],
    [
      'a finding counted under another severity',
      (made) => {
        made.snapshot.findings.push({ ...CRITICAL, severity: 'ERROR' })
        made.severity_metrics.total_violations = 1
        made.severity_metrics.by_severity.INFO = 1
      },
    ],
    [
      'a critical finding that was let through',
      (made) => {
        made.snapshot.findings.push(CRITICAL)
        made.severity_metrics.total_violations = 1
        made.severity_metrics.by_severity.CRITICAL = 1
      },
    ],
  ])('sees evidence that contradicts itself: %s', (_, change) => {
    expect(codes(evidence(change))).toEqual(['EVIDENCE_GATE_STATUS_INCOHERENT'])
  })

  it('wants evidence of this branch and this repository', () => {
    expect(codes(evidence(), 0, 'PRE_COMMIT', state('feature/y'))).toEqual(['EVIDENCE_BRANCH_MISMATCH'])
    expect(codes(evidence(), 0, 'PRE_COMMIT', state(null))).toEqual([])
    const elsewhere = evidence((made) => {
      made.repo_state = { ...state(), repo_root: '/elsewhere' }
    })
    expect(codes(elsewhere)).toEqual(['EVIDENCE_REPO_ROOT_MISMATCH'])
    expect(codes(evidence((made) => delete made.repo_state))).toEqual([])
  })

  it.each(['main', 'master', 'develop', 'dev'])('protects %s', (branch) => {
    const same = evidence((made) => delete made.repo_state)
    expect(codes(same, 0, 'PRE_WRITE', state(branch))).toEqual(['GITFLOW_PROTECTED_BRANCH'])
    expect(codes(same, 0, 'PRE_WRITE', state(branch.toUpperCase()))).toEqual(['GITFLOW_PROTECTED_BRANCH'])
  })

  it('gives every violation a fix', () => {
    for (const { fix } of judge({ kind: 'missing' }, 0, 'CI', state('main')).violations)
      expect(fix).not.toBe('')
  })
})
