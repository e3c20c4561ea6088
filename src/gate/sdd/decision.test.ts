import { describe, expect, it } from 'vitest'
import { decideSdd, type SddFacts, sddDrafts } from './decision.ts'
import type { SddValidation } from './openspec.ts'

const validation: SddValidation = {
  ok: true,
  exitCode: 0,
  stdout: '',
  stderr: '',
  totals: { items: 4, failed: 0, passed: 4 },
  issues: { errors: 0, warnings: 2, infos: 0 },
}

/** Facts that nothing can be said against. */
const clean: SddFacts = {
  stage: 'CI',
  bypass: false,
  openspec: {
    installed: true,
    version: '1.13.2',
    parsedVersion: '1.13.2',
    projectInitialized: true,
    minimumVersion: '1.1.1',
    recommendedVersion: '1.1.1',
    compatible: true,
  },
  session: { repoRoot: '/r', active: true, valid: true, changeId: 'a', remainingSeconds: 60 },
  change: 'open',
  validation,
}

/** Each obstacle in the order it must be named. */
const OBSTACLES: readonly [string, (facts: SddFacts) => SddFacts][] = [
  ['OPENSPEC_MISSING', (f) => ({ ...f, openspec: { ...f.openspec, installed: false } })],
  ['OPENSPEC_VERSION_UNSUPPORTED', (f) => ({ ...f, openspec: { ...f.openspec, compatible: false } })],
  ['OPENSPEC_PROJECT_MISSING', (f) => ({ ...f, openspec: { ...f.openspec, projectInitialized: false } })],
  ['SDD_SESSION_MISSING', (f) => ({ ...f, session: { ...f.session, active: false, valid: false } })],
  ['SDD_SESSION_INVALID', (f) => ({ ...f, session: { ...f.session, valid: false } })],
  ['SDD_CHANGE_ARCHIVED', (f) => ({ ...f, change: 'archived' })],
  ['SDD_CHANGE_MISSING', (f) => ({ ...f, change: 'missing' })],
  ['SDD_VALIDATION_FAILED', (f) => ({ ...f, validation: { ...validation, ok: false, exitCode: 2 } })],
]

describe('the decision on a specification', () => {
  it('lets clean facts pass and says what was counted', () => {
    expect(decideSdd(clean)).toMatchObject({
      allowed: true,
      code: 'ALLOWED',
      details: { passedItems: 4, warnings: 2 },
    })
  })

  it.each(OBSTACLES)('names %s when that alone is wrong', (code, spoil) => {
    expect(decideSdd(spoil(clean))).toMatchObject({ allowed: false, code })
  })

  it('names the first of several obstacles', () => {
    for (const [at, [code]] of OBSTACLES.entries()) {
      // Two states of one change, or of one session, cannot be at once: the first of them stands.
      const later = OBSTACLES.slice(at).reverse()
      expect(decideSdd(later.reduce((facts, [, spoil]) => spoil(facts), clean))?.code).toBe(code)
    }
  })

  it('asks for the validator only when nothing else stands in the way', () => {
    expect(decideSdd({ ...clean, validation: undefined })).toBeUndefined()
    for (const [, spoil] of OBSTACLES.slice(0, -1)) {
      expect(decideSdd(spoil({ ...clean, validation: undefined }))).toMatchObject({ allowed: false })
    }
  })

  it('needs no validation before writing', () => {
    expect(decideSdd({ ...clean, stage: 'PRE_WRITE', validation: undefined })).toMatchObject({
      allowed: true,
    })
  })

  it('fails closed on a report that shows errors or cannot be read, whatever the exit code', () => {
    const shown = { ...validation, ok: false, totals: { items: 2, failed: 1, passed: 1 } }
    expect(decideSdd({ ...clean, validation: shown })).toMatchObject({
      code: 'SDD_VALIDATION_ERROR',
      details: { exitCode: 0, failedItems: 1, errors: 0 },
    })
    for (const unreadable of ['time', 'size', 'format', 'start'] as const) {
      const unread = { ...validation, ok: false, exitCode: unreadable === 'format' ? 0 : null, unreadable }
      expect(decideSdd({ ...clean, validation: unread })).toMatchObject({
        allowed: false,
        code: 'SDD_VALIDATION_ERROR',
        details: { unreadable },
      })
    }
  })

  it('can be switched off, and the evidence then says so', () => {
    const spoilt = OBSTACLES.reduce((facts, [, spoil]) => spoil(facts), { ...clean, bypass: true })
    const decision = decideSdd(spoilt)
    expect(decision).toMatchObject({
      allowed: true,
      details: { bypass: true, env: 'PUMUKI_SDD_BYPASS' },
    })
    expect(sddDrafts(decision)).toMatchObject([
      { ruleId: 'sdd.policy.bypassed', severity: 'WARN', code: 'SDD_BYPASSED' },
    ])
  })

  it('becomes a finding when it refuses, and none when it allows', () => {
    const refused = decideSdd({ ...clean, change: 'missing' })
    expect(sddDrafts(refused)).toEqual([
      {
        ruleId: 'sdd.policy.blocked',
        severity: 'ERROR',
        code: 'SDD_CHANGE_MISSING',
        message: 'The change a does not exist in openspec/changes. Open a session for another change.',
        file: 'openspec/changes',
        matchedBy: 'SddPolicy',
        source: 'sdd-policy',
        text: '',
      },
    ])
    expect(sddDrafts(decideSdd(clean))).toEqual([])
  })
})
