import { expect, it } from 'vitest'
import { runAuditFields } from './audit-fields.ts'

const REPORT = {
  stage: 'CI',
  status: 'BLOCKED',
  outcome: 'BLOCK',
  source: 'git:range',
  counts: { judged: 2 },
}

it('records which policy files a change alters, and no other contents of the report', () => {
  const findings = [
    { ruleId: 'gate.policy-changed', file: 'warrant.baseline.json', message: 'secret' },
    { ruleId: 'gate.policy-changed', file: 'warrant.baseline.json', message: 'secret' },
    { ruleId: 'other', file: 'src/a.ts', message: 'secret' },
  ]
  expect(runAuditFields({ ...REPORT, findings })).toMatchObject({ policy_changed: ['warrant.baseline.json'] })
  expect(JSON.stringify(runAuditFields({ ...REPORT, findings }))).not.toMatch(/secret|a\.ts/)
  expect(runAuditFields({ ...REPORT, findings: [] })).not.toHaveProperty('policy_changed')
})
