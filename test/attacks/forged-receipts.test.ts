import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkEvidence, writeDocument } from '../../src/evidence/document.ts'
import { Program, sweep } from '../support/binary.ts'
import { LOG, readEvidence } from '../support/gate.ts'
import { newMachine, SignedProject } from '../support/signed-project.ts'

const CLEAN = 'export {}\n'
const project = new SignedProject()
const { repo } = project
const tree = (name: string): string => repo.git('rev-parse', `${name}^{tree}`).trim()
const receiptFile = (id: string) => repo.path('.warrant/receipts', id.slice(0, 2), `${id}.jsonl`)

/** What the gate says of a branch that was pushed without the hook. */
const ofBuild = (branch: string) => {
  project.git('push', '-q', '--no-verify', '-f', 'origin', branch, 'refs/notes/warrant*:refs/notes/warrant*')
  return project.build(branch).findings.map(({ ruleId }) => ruleId)
}

/** Puts a line where receipts of a tree are looked for: in the state folder, and in the notes. */
const plant = (line: string, id: string) => {
  mkdirSync(dirname(receiptFile(id)), { recursive: true })
  appendFileSync(receiptFile(id), `${line}\n`)
  project.git('notes', '--ref=warrant', 'append', '-m', line, id)
}

beforeAll(() => {
  project.branch('good').commit({ 'src/good.ts': CLEAN })
  project.git('push', '-q', 'origin', 'good')
})
afterAll(sweep)

describe('a receipt does not cover a commit', () => {
  it('when it is about no change, made after the commit', () => {
    project.branch('empty').commit({ 'src/evil.ts': LOG }, '--no-verify')
    for (const scope of [[], ['--range', 'HEAD..HEAD']])
      expect(project.warrant(['gate', '--stage', 'PRE_COMMIT', ...scope]).status).toBe(0)
    expect(project.check()).toEqual(['missing'])
    plant(
      readFileSync(receiptFile(tree('HEAD')), 'utf8')
        .trim()
        .split('\n')[0] ?? '',
      tree('HEAD'),
    )
    expect(ofBuild('empty')).toContain('gate.receipt-missing')
  })

  it('when it is of another tree, as it is or rewritten', () => {
    project.branch('copied').commit({ 'src/copied.ts': CLEAN }, '--no-verify')
    const line =
      readFileSync(receiptFile(tree('good')), 'utf8')
        .trim()
        .split('\n')[0] ?? ''
    plant(line, tree('HEAD'))
    expect(project.check()).toEqual(['missing'])
    const envelope = JSON.parse(line)
    const text = Buffer.from(envelope.payload, 'base64').toString().replaceAll(tree('good'), tree('HEAD'))
    plant(JSON.stringify({ ...envelope, payload: Buffer.from(text).toString('base64') }), tree('HEAD'))
    expect(project.check()).toEqual(['foreign'])
    expect(ofBuild('copied')).toEqual(['gate.receipt-foreign'])
  })

  it('when its key is not listed, or is listed by the change itself', () => {
    const stranger = newMachine()
    project.branch('foreign')
    repo.stage({ 'src/foreign.ts': CLEAN })
    expect(project.tryGit(['commit', '-q', '-m', 'x'], stranger).status).toBe(0)
    expect(project.check()).toEqual(['foreign'])
    expect(project.tryGit(['push', '-q', 'origin', 'foreign']).said).toContain('its key is not listed')
    expect(project.warrant(['receipts', 'keys', 'add', '--yes', '--owner', 'B'], stranger).status).toBe(0)
    repo.git('add', '.warrant/keys.yml')
    expect(project.tryGit(['commit', '-q', '-m', 'x'], stranger).status).toBe(0)
    expect(project.tryGit(['push', '-q', 'origin', 'foreign'], stranger).said).toContain('BLOCKED PRE_PUSH')
    expect(ofBuild('foreign')).toEqual([
      'gate.receipt-missing',
      'gate.receipt-missing',
      'gate.policy-changed',
    ])
  })

  it('when the policy of the working tree alone judged it', () => {
    project.branch('tried')
    repo.stage({ 'src/tried.ts': CLEAN })
    const tried = ['gate', '--stage', 'PRE_COMMIT', '--policy-from', 'worktree']
    expect(project.warrant(tried).status).toBe(0)
    project.git('commit', '-q', '--no-verify', '-m', 'x')
    expect(project.check()).toEqual(['policy'])
  })

  it('when a laxer policy judged a step of it that the commit does not show', () => {
    project.branch('lax')
    const policy = '.warrant/rules/severities.yml'
    project.commit({ [policy]: 'severities: { backend.no-console-log: OFF }' })
    project.commit({ 'src/evil.ts': LOG })
    repo.git('rm', '-q', policy)
    project.git('commit', '-q', '-m', 'x')
    repo.git('reset', '-q', '--soft', 'origin/main')
    project.git('commit', '-q', '--no-verify', '-m', 'all of it')
    expect(project.check()).toEqual(['missing'])
  })

  it('when variables relaxed hard mode or the specification, and the receipt says which', () => {
    project.branch('relaxed')
    repo.stage({ 'src/b.ts': CLEAN })
    const always = ['gate', '--stage', 'PRE_COMMIT', '--sdd', 'always']
    expect(project.warrant(always, { PUMUKI_SDD_BYPASS: '1' }).status).toBe(0)
    project.git('commit', '-q', '--no-verify', '-m', 'x')
    project.commit({ '.pumuki/hard-mode.json': '{"enabled":true}' })
    repo.stage({ 'src/a.ts': CLEAN })
    expect(project.tryGit(['commit', '-q', '-m', 'x'], { PUMUKI_HARD_MODE: '0' }).status).toBe(0)
    const { value } = project.warrant(['receipts', 'check', 'origin/main..HEAD'])
    expect(value.commits).toMatchObject([
      { problem: 'policy', why: expect.stringContaining('PUMUKI_SDD_BYPASS') },
      { covered: true },
      { problem: 'policy', why: expect.stringContaining('PUMUKI_HARD_MODE') },
    ])
    expect(project.check('--judge')).toEqual(['covered', 'covered', 'covered'])
  })

  it('when the clock was set back for it, and SOURCE_DATE_EPOCH is no clock', () => {
    project.branch('clock')
    repo.stage({ 'src/a.ts': CLEAN })
    expect(project.tryGit(['commit', '-q', '-m', 'x'], { WARRANT_CLOCK: 'deterministic' }).status).toBe(0)
    expect(project.check()).toEqual(['expired'])
    repo.stage({ 'src/b.ts': CLEAN })
    expect(project.tryGit(['commit', '-q', '-m', 'x'], { SOURCE_DATE_EPOCH: '1000000000' })).toMatchObject({
      status: 0,
    })
    expect(project.check()).toEqual(['expired', 'covered'])
  })
})

describe('evidence without a receipt', () => {
  it('does not allow where keys are listed, whatever its chain says', async () => {
    project.branch('evidence')
    repo.stage({ 'src/evil.ts': LOG })
    expect(project.warrant(['gate', '--stage', 'PRE_COMMIT']).status).toBe(1)
    const blocked = readEvidence(repo)
    const allowed = {
      ...blocked,
      snapshot: { ...blocked.snapshot, outcome: 'PASS' as const, findings: [] },
      ai_gate: { ...blocked.ai_gate, status: 'ALLOWED' as const, violations: [] },
    }
    writeFileSync(repo.path('.ai_evidence.json'), writeDocument(linkEvidence(allowed, blocked)))
    const agent = new Program(['mcp'], { cwd: repo.folder, env: { GIT_CONFIG_GLOBAL: '/dev/null', CI: '' } })
    const params = { name: 'ai_gate_check', arguments: { stage: 'PRE_COMMIT' } }
    agent.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
    const [answer] = (await agent.answers(1)) as ReturnType<typeof JSON.parse>[]
    expect(answer.result.structuredContent.allowed).toBe(false)
    expect(answer.result.structuredContent.violations).toContainEqual(
      expect.objectContaining({ code: 'EVIDENCE_UNSIGNED' }),
    )
  })
})

describe('notes at the remote', () => {
  it('that were deleted or set back leave commits uncovered, and the next push restores them', () => {
    project.branch('notes').commit({ 'src/n.ts': CLEAN })
    const before = project.remote.git('rev-parse', 'refs/notes/warrant').trim()
    project.git('push', '-q', 'origin', 'notes')
    expect(project.build('notes').code).toBe(0)
    project.remote.git('update-ref', 'refs/notes/warrant', before)
    const rules = () => project.build('notes').findings.map(({ ruleId }) => ruleId)
    expect(rules()).toEqual(['gate.receipt-missing'])
    project.remote.git('update-ref', '-d', 'refs/notes/warrant')
    expect(rules()).toEqual(['gate.receipt-missing'])
    project.git('push', '-q', 'origin', 'notes')
    expect(rules()).toEqual([])
  })
})

describe('a log of decisions that was set back', () => {
  it('contradicts what was published of it, with both checkpoints', () => {
    project.branch('log').commit({ 'src/l1.ts': CLEAN })
    cpSync(repo.path('.warrant'), repo.path('.git/older'), { recursive: true })
    project.commit({ 'src/l2.ts': CLEAN })
    project.git('push', '-q', 'origin', 'log')
    expect(project.build('log').findings).toEqual([])
    // The memory of this machine is removed as well, as a process of the same user can.
    rmSync(repo.path('.warrant'), { recursive: true })
    cpSync(repo.path('.git/older'), repo.path('.warrant'), { recursive: true })
    rmSync(join(project.machine.XDG_STATE_HOME, 'warrant/logs'), { recursive: true })
    project.commit({ 'src/l3.ts': CLEAN })
    const set = project.tryGit(['push', '-q', 'origin', 'log'])
    expect(set.said).toMatch(/gate\.lineage-contradiction.*was set back: a witness saw \d+ entries with root/)
    // Once it has grown beyond what was published, whoever reads the notes sees it too.
    for (const _ of 'grown') project.warrant(['gate', '--stage', 'PRE_COMMIT'])
    const range = ['--range', 'origin/main..HEAD', '--remote', 'origin']
    project.warrant(['gate', '--stage', 'PRE_PUSH', '--receipts', 'off', ...range])
    project.git('push', '-q', '--no-verify', 'origin', 'log')
    expect(project.build('log').findings).toMatchObject([
      {
        ruleId: 'gate.lineage-contradiction',
        message: expect.stringMatching(/was rewritten: a witness saw \d+ entries .*, and now there is \d+/),
      },
    ])
  })
})

describe('the receipt of a key', () => {
  it('that was revoked after the branch left the target covers nothing', () => {
    project.branch('late').commit({ 'src/before.ts': CLEAN })
    const { value } = project.warrant(['receipts', 'keys', 'show'])
    project.branch('revoking')
    expect(
      project.warrant(['receipts', 'keys', 'revoke', '--yes', value.name, '--from', '2020-01-01']).status,
    ).toBe(0)
    project.git('commit', '-q', '--no-verify', '-a', '-m', 'revoke')
    project.git('push', '-q', '--no-verify', 'origin', 'revoking:main')
    repo.git('switch', '-q', 'late')
    expect(project.tryGit(['push', '-q', 'origin', 'late']).said).toContain(
      'the key was revoked on 2020-01-01',
    )
    expect(ofBuild('late')).toContainEqual(expect.stringMatching(/^gate\.receipt-(missing|foreign)$/))
  })
})
