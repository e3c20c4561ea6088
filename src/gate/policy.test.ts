import { describe, expect, it } from 'vitest'
import { judgeSeverities, resolvePolicy, stageSeverity } from './policy.ts'

const skills = JSON.stringify({
  version: '1.0',
  stages: {
    PRE_COMMIT: { blockOnOrAbove: 'HIGH', warnOnOrAbove: 'MEDIUM' },
    PRE_PUSH: { blockOnOrAbove: 'WARN', warnOnOrAbove: 'INFO' },
    CI: { blockOnOrAbove: 'INFO', warnOnOrAbove: 'INFO' },
  },
})
const hard = (profile?: string) => JSON.stringify({ enabled: true, ...(profile && { profile }) })
const thresholds = (...args: Parameters<typeof resolvePolicy>) => {
  const { block_on_or_above, warn_on_or_above, trace } = resolvePolicy(...args)
  return [block_on_or_above, warn_on_or_above, trace.source, trace.bundle]
}

describe('the policy of a stage', () => {
  it.each([
    ['PRE_COMMIT', 'eaac115b9e3b914aa1794ec06cb517e700d58bf4aed6dedca946408daab39075'],
    ['PRE_PUSH', 'abde0f49d6e1422a751a089f859e205e16a89d008d2ec9dc9233d64991f18c45'],
    ['CI', 'e9e89eaa2f5a3d9e810f77f2d6331a967404b6ed5cacbfe1601c1074efde9084'],
  ] as const)('of %s has the trace that others recompute', (stage, hash) => {
    expect(resolvePolicy(stage).trace).toEqual({
      source: 'default',
      bundle: `gate-policy.default.${stage}`,
      hash,
    })
  })

  it('of PRE_WRITE is that of PRE_COMMIT under its own name', () => {
    const write = resolvePolicy('PRE_WRITE')
    expect(write).toEqual({ ...resolvePolicy('PRE_COMMIT'), stage: 'PRE_WRITE' })
    expect(write.resolved_stage).toBe('PRE_COMMIT')
  })

  it.each([
    [{}, ['CRITICAL', 'ERROR', 'default', 'gate-policy.default.PRE_COMMIT']],
    [{ skillsFile: skills }, ['ERROR', 'WARN', 'skills.policy', 'gate-policy.skills.policy.PRE_COMMIT']],
    [
      { skillsFile: skills, hardFile: hard() },
      ['WARN', 'INFO', 'hard-mode', 'gate-policy.hard-mode.PRE_COMMIT'],
    ],
    [
      { hardFile: hard(' critical-high ') },
      ['ERROR', 'WARN', 'hard-mode', 'gate-policy.hard-mode.critical-high.PRE_COMMIT'],
    ],
    [
      { hardFile: hard('critical-high'), hardProfile: 'other' },
      ['WARN', 'INFO', 'hard-mode', 'gate-policy.hard-mode.PRE_COMMIT'],
    ],
    [
      { hardFile: hard(), hardMode: 'off' },
      ['CRITICAL', 'ERROR', 'default', 'gate-policy.default.PRE_COMMIT'],
    ],
    [{ hardMode: ' YES ' }, ['WARN', 'INFO', 'hard-mode', 'gate-policy.hard-mode.PRE_COMMIT']],
    [
      { hardFile: '{"enabled":false}', hardMode: '' },
      ['CRITICAL', 'ERROR', 'default', 'gate-policy.default.PRE_COMMIT'],
    ],
    [{ hardFile: hard('__proto__') }, ['WARN', 'INFO', 'hard-mode', 'gate-policy.hard-mode.PRE_COMMIT']],
  ])('takes hard mode before the skills policy before the default: %j', (sources, expected) => {
    expect(thresholds('PRE_COMMIT', sources)).toEqual(expected)
  })

  it.each([
    { hardMode: 'maybe' },
    { hardMode: 'constructor' },
    { hardFile: '{' },
    { hardFile: '{"enabled":"yes"}' },
    { skillsFile: '[]' },
    { skillsFile: '{"stages":{"PRE_COMMIT":{"blockOnOrAbove":"ERROR","warnOnOrAbove":"WARN"}}}' },
    { skillsFile: '{', hardMode: '1' },
  ])('is a fault, not the lenient default, when it cannot be read: %j', (sources) => {
    expect(() => resolvePolicy('CI', sources)).toThrow(
      expect.objectContaining({ code: 'gate.policy_invalid' }),
    )
  })

  it('turns severities into an outcome', () => {
    const [commit, push] = [resolvePolicy('PRE_COMMIT'), resolvePolicy('PRE_PUSH')]
    expect(judgeSeverities([], commit)).toBe('PASS')
    expect(judgeSeverities(['WARN'], commit)).toBe('PASS')
    expect(judgeSeverities(['WARN'], push)).toBe('WARN')
    expect(judgeSeverities(['ERROR'], commit)).toBe('WARN')
    expect(judgeSeverities(['INFO', 'ERROR'], push)).toBe('BLOCK')
    expect(judgeSeverities(['CRITICAL'], commit)).toBe('BLOCK')
  })
})

describe('heuristics', () => {
  const rule = { id: 'heuristics.ts.eval.ast', severity: 'WARN', trusted: true } as const

  it('count as errors once a change leaves the machine', () => {
    expect(
      ['PRE_WRITE', 'PRE_COMMIT', 'PRE_PUSH', 'CI'].map((stage) => stageSeverity(rule, stage as 'CI')),
    ).toEqual(['WARN', 'WARN', 'ERROR', 'ERROR'])
    expect(rule.severity).toBe('WARN')
  })

  it.each([
    { ...rule, id: 'heuristics.ts.empty-catch.ast' },
    { ...rule, id: 'backend.avoid-explicit-any' },
    { ...rule, trusted: false },
    { ...rule, severity: 'INFO' as const },
  ])('stay what they are unless they are listed: %j', (one) => {
    expect(stageSeverity(one, 'CI')).toBe(one.severity)
  })
})
