import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { describePeers } from '../peers/peers.ts'
import { someRows } from '../support/case-count.ts'
import { CHANGE, fakeOpenSpec, openSpecPath, realOpenSpec, report } from '../support/openspec.ts'
import { Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

const validate = (repo: Repo, stage = 'CI', env: Readonly<Record<string, string>> = {}) =>
  runJson(repo.folder, ['sdd', 'validate', '--stage', stage], { ...openSpecPath(repo), ...env })

const open = (repo: Repo, change = 'add-search') =>
  runJson(repo.folder, ['sdd', 'session', '--open', '--change', change], openSpecPath(repo))

/** A repository with a change and a session on it. */
const makeReady = (...openspec: [version: string, validate?: string]): Repo => {
  const repo = Repo.init().write(CHANGE)
  fakeOpenSpec(repo, ...openspec)
  expect(open(repo)).toMatchObject({ status: 0, value: { active: true, valid: true } })
  return repo
}

const decides = (repo: Repo, code: string, stage = 'CI') => {
  const { status, value } = validate(repo, stage)
  expect(value.decision).toMatchObject({ code, allowed: code === 'ALLOWED' })
  expect(status).toBe(code === 'ALLOWED' ? 0 : 1)
  return value
}

const validations = (repo: Repo): number => {
  const path = repo.path('.git/validated')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0
}

describe('the specification guard', () => {
  // Only the validator differs.
  const failing = makeReady('1.13.2')

  it('names what is missing, one thing after the other, as a user puts it in place', () => {
    const repo = Repo.init()
    decides(repo, 'OPENSPEC_MISSING')
    fakeOpenSpec(repo, 'v1.0.0')
    decides(repo, 'OPENSPEC_VERSION_UNSUPPORTED')
    fakeOpenSpec(repo, 'OpenSpec CLI v1.2.0', `echo '${report(4, 0, { WARNING: 2 })}'`)
    decides(repo, 'OPENSPEC_PROJECT_MISSING')
    repo.write(CHANGE)
    decides(repo, 'SDD_SESSION_MISSING')
    open(repo)
    const { decision } = decides(repo, 'ALLOWED')
    expect(decision.details).toEqual({ passedItems: 4, warnings: 2 })
  })

  it('sees a session run out, a change archived and a change deleted', () => {
    const repo = makeReady('1.1.1', `echo '${report(1, 0)}'`)
    repo.git('config', 'warrant.sdd.session.expiresAt', '2000-01-01T00:00:00.000Z')
    const { status } = decides(repo, 'SDD_SESSION_INVALID')
    expect(status.session).toMatchObject({ active: true, valid: false, remainingSeconds: 0 })
    expect(runJson(repo.folder, ['sdd', 'session', '--refresh']).value).toMatchObject({ valid: true })
    mkdirSync(repo.path('openspec/changes/archive/add-search'), { recursive: true })
    decides(repo, 'SDD_CHANGE_ARCHIVED')
    rmSync(repo.path('openspec/changes'), { recursive: true })
    mkdirSync(repo.path('openspec/changes'))
    decides(repo, 'SDD_CHANGE_MISSING')
  })

  it('does not validate before writing', () => {
    const repo = makeReady('1.1.1', 'exit 2')
    const { status, value } = validate(repo, 'pre_write')
    expect(value.sdd.decision).toMatchObject({ allowed: true })
    expect(value.sdd).not.toHaveProperty('validation')
    expect(validations(repo)).toBe(0)
    // The evidence is asked too, and there is none.
    expect(value.ai_gate.violations[0]).toMatchObject({ code: 'EVIDENCE_MISSING', fix: expect.any(String) })
    expect(value.telemetry).toEqual({ chain: 'pumuki->ai_gate->ai_evidence', stage: 'PRE_WRITE' })
    expect(status).toBe(1)
  })

  it.each([
    [
      'exits with 2',
      `echo '${report(1, 3)}'; exit 2`,
      'SDD_VALIDATION_FAILED',
      { exitCode: 2, failedItems: 3 },
    ],
    [
      'reports a failure and exits with 0',
      `echo '${report(1, 1)}'`,
      'SDD_VALIDATION_ERROR',
      { failedItems: 1 },
    ],
    ['reports errors', `echo '${report(1, 0, { ERROR: 2 })}'`, 'SDD_VALIDATION_ERROR', { errors: 2 }],
    ['says nothing', 'exit 0', 'SDD_VALIDATION_ERROR', { unreadable: 'format' }],
    ['says something else', 'echo all fine', 'SDD_VALIDATION_ERROR', { unreadable: 'format' }],
    ['says far too much', 'exec yes', 'SDD_VALIDATION_ERROR', { unreadable: 'size' }],
    ['is killed', 'kill -9 $$', 'SDD_VALIDATION_ERROR', { exitCode: null }],
  ])('fails closed when the validator %s', (_, script, code, details) => {
    rmSync(failing.path('.git/validated'), { force: true })
    fakeOpenSpec(failing, '1.13.2', script)
    const { decision, validation } = decides(failing, code)
    expect(decision.details).toMatchObject(details)
    expect(validation.ok).toBe(false)
    expect(validations(failing)).toBe(1)
  })

  it.each(someRows(['../../outside', '..', 'a/b', '-x', '.', 'archive'], 3))(
    'does not open a session on %j',
    (id) => {
      const repo = Repo.init().write(CHANGE)
      mkdirSync(repo.path('openspec/changes/archive'), { recursive: true })
      const { status, value } = runJson(repo.folder, ['sdd', 'session', '--open', `--change=${id}`])
      expect(status).toBe(2)
      expect(value.error.code).toBe('session.change_id')
      expect(repo.git('config', '--local', '--list')).not.toContain('pumuki')
    },
  )

  it('does not follow a change id that was written into the configuration', () => {
    const repo = makeReady('1.1.1', `echo '${report(1, 0)}'`)
    mkdirSync(repo.path('outside'))
    repo.git('config', 'warrant.sdd.session.change', '../../outside')
    decides(repo, 'SDD_SESSION_INVALID')
  })

  it('is switched off by exactly 1, and says so', () => {
    const repo = Repo.init()
    for (const value of ['true', 'yes', '0', '', ' 1', '1 ']) {
      expect(validate(repo, 'CI', { PUMUKI_SDD_BYPASS: value }).status).toBe(1)
    }
    const { status, value } = validate(repo, 'CI', { PUMUKI_SDD_BYPASS: '1' })
    expect(status).toBe(0)
    expect(value.decision).toMatchObject({
      allowed: true,
      details: { bypass: true, env: 'PUMUKI_SDD_BYPASS' },
    })
    expect(value.status.openspec).toMatchObject({ installed: false })
  })

  it('rejects an unknown stage, and a session without a verb', () => {
    const repo = Repo.init()
    for (const args of [
      ['validate', '--stage', 'PRE_COMIT'],
      ['session'],
      ['session', '--open'],
      ['session', '--open', '--close'],
      ['session', '--open', '--change', 'a', '--ttl-minutes', 'soon'],
      ['nothing'],
    ]) {
      expect(runJson(repo.folder, ['sdd', ...args]).status).toBe(2)
    }
  })

  it('works from a sub-directory and from a worktree', () => {
    const repo = makeReady('1.1.1', `echo '${report(1, 0)}'`)
    mkdirSync(repo.path('deep/er'), { recursive: true })
    const { status, value } = runJson(repo.path('deep/er'), ['sdd', 'validate'], openSpecPath(repo))
    expect(status).toBe(0)
    expect(value.status.repoRoot).toBe(repo.folder)
    repo.commit({ a: '1' })
    const tree = new Repo()
    repo.git('worktree', 'add', '-q', tree.path('tree'))
    expect(runJson(tree.path('tree'), ['sdd', 'status']).value.session).toMatchObject({
      repoRoot: tree.path('tree'),
      changeId: 'add-search',
    })
  })

  it('says outside a repository that there is none', () => {
    const { status, value } = validate(new Repo())
    expect(status).toBe(4)
    expect(value.error.code).toBe('repository.absent')
  })
})

await describePeers('the specification guard with the real OpenSpec', () => {
  test('lets a valid change pass and stops an invalid one', () => {
    const repo = Repo.init().write(CHANGE)
    realOpenSpec(repo)
    open(repo)
    const { status, decision } = decides(repo, 'ALLOWED')
    expect(status.openspec).toMatchObject({ installed: true, compatible: true, version: '1.13.2' })
    expect(decision.details).toEqual({ passedItems: 1, warnings: 0 })
    repo.write({ 'openspec/changes/empty/proposal.md': '# Empty\n' })
    const failed = decides(repo, 'SDD_VALIDATION_FAILED')
    expect(failed.decision.details).toMatchObject({ exitCode: 1, failedItems: 1, errors: 1 })
    expect(failed.validation.stdout).not.toContain(repo.folder)
  })

  test('takes an archive of OpenSpec for one, although a date comes before the name', () => {
    const repo = Repo.init().write(CHANGE)
    realOpenSpec(repo)
    open(repo)
    mkdirSync(repo.path('openspec/changes/archive'), { recursive: true })
    repo.write({ 'openspec/changes/archive/2026-11-15-add-search/proposal.md': '# Add search\n' })
    rmSync(repo.path('openspec/changes/add-search'), { recursive: true })
    decides(repo, 'SDD_CHANGE_ARCHIVED')
  })
})
