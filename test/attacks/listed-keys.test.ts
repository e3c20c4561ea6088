import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually, Program, sweep } from '../support/binary.ts'
import { LOG } from '../support/gate.ts'
import { writeScript } from '../support/openspec.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'
import { newMachine, SignedProject } from '../support/signed-project.ts'

/** Bypasses that need no receipt to fail, tried where keys are listed: each fails the same way, and covers nothing. */

const project = new SignedProject()
const { repo } = project
const CLEAN = 'export const a = 1\n'
const EVIDENCE = repo.path('.ai_evidence.json')
const id = (name: string): string => repo.git('rev-parse', name).trim()
const PRE_WRITE = ['gate', '--stage', 'PRE_WRITE']

let asked = 0
const agent = new Program(['mcp'], {
  cwd: repo.folder,
  env: { ...GIT_ENVIRONMENT, ...project.machine, WARRANT_PROFILE: 'seed', CI: '' },
})

/** The codes with which `ai_gate_check` refuses; none where it allows. */
const codes = async (stage = 'PRE_COMMIT'): Promise<readonly string[]> => {
  asked += 1
  const params = { name: 'ai_gate_check', arguments: { stage } }
  agent.send(JSON.stringify({ jsonrpc: '2.0', id: asked, method: 'tools/call', params }))
  const find = () => agent.lines.map((line) => JSON.parse(line)).find((one) => one.id === asked)
  // Between the answers there may be notifications.
  await eventually('an answer', () => find() !== undefined)
  return find().result.structuredContent.violations.map(({ code }: { code: string }) => code)
}

let branches = 0
beforeEach(() => {
  branches += 1
  project.branch(`try-${branches}`)
  repo.git('clean', '-qfd')
})
afterAll(sweep)

describe('where keys are listed', () => {
  it('settings and flags of git hide no file', () => {
    project.commit({ 'src/a.ts': CLEAN })
    repo.git('update-index', '--assume-unchanged', 'src/a.ts')
    writeFileSync(repo.path('.git/info/exclude'), 'src/hidden.ts\n')
    repo.write({ 'src/a.ts': LOG, 'src/hidden.ts': LOG })
    const { status, value } = project.warrant(PRE_WRITE)
    expect(status).toBe(1)
    expect(value.findings.map(({ file }: { file: string }) => file).sort()).toEqual([
      'src/a.ts',
      'src/hidden.ts',
    ])
    repo.git('config', 'core.worktree', new Repo().folder)
    expect(project.warrant(PRE_WRITE).value).toMatchObject({ error: { code: 'git.foreign_worktree' } })
    repo.git('--work-tree=.', 'config', '--unset', 'core.worktree')
    rmSync(repo.path('.git/info/exclude'))
    repo.git('update-index', '--no-assume-unchanged', 'src/a.ts')
    expect(project.check()).toEqual(['covered'])
  })

  it('evidence of another tree, stage or run does not allow, although its receipt is trusted', async () => {
    repo.stage({ 'src/a.ts': CLEAN })
    expect(project.warrant(['gate', '--stage', 'PRE_COMMIT']).status).toBe(0)
    expect(await codes()).toEqual([])
    copyFileSync(EVIDENCE, repo.path('.git/old'))
    expect(await codes('PRE_PUSH')).toContain('EVIDENCE_STAGE_MISMATCH')
    repo.stage({ 'src/a.ts': LOG })
    expect(await codes()).toEqual(['EVIDENCE_TREE_MISMATCH'])
    expect(project.warrant(['gate', '--stage', 'PRE_COMMIT']).status).toBe(1)
    copyFileSync(repo.path('.git/old'), EVIDENCE)
    expect(await codes()).toEqual(expect.arrayContaining(['EVIDENCE_SUPERSEDED']))
    expect(project.tryGit(['commit', '-qm', 'x']).status).not.toBe(0)
  })

  it('evidence that install wrote has a receipt, and says what the rules found', async () => {
    repo.stage({ 'src/a.ts': LOG })
    rmSync(EVIDENCE, { force: true })
    project.warrant(['init', '--yes', '--clients', 'none'])
    expect(await codes()).toContain('EVIDENCE_GATE_BLOCKED')
  })

  it('a tag with the name of the target hides no commit', () => {
    project.commit({ 'src/a.ts': CLEAN }, '--no-verify')
    for (const name of ['main', 'origin/main']) repo.git('tag', name)
    project.git('push', '-q', '--no-verify', 'origin', 'HEAD', 'refs/tags/main', 'refs/tags/origin/main')
    const { findings } = project.build(`try-${branches}`)
    for (const name of ['main', 'origin/main']) {
      repo.git('tag', '-d', name)
      repo.git('push', '-q', '--no-verify', 'origin', `:refs/tags/${name}`)
    }
    expect(findings).toMatchObject([{ ruleId: 'gate.receipt-missing' }])
  })

  it('every commit of a push to the target is asked for, from where the push started', () => {
    const before = id('origin/main')
    project.commit({ 'src/a.ts': CLEAN }, '--no-verify').commit({ 'src/b.ts': CLEAN }, '--no-verify')
    const after = id('HEAD')
    project.git('push', '-q', '--no-verify', 'origin', 'HEAD')
    const event = join(newMachine().XDG_STATE_HOME, 'event.json')
    const push = { ref: 'refs/heads/main', before, after, repository: { default_branch: 'main' } }
    writeFileSync(event, JSON.stringify(push))
    const built = project.build(`try-${branches}`, [], {
      GITHUB_ACTIONS: 'true',
      GITHUB_EVENT_PATH: event,
      GITHUB_BASE_REF: '',
    })
    expect(built).toMatchObject({ code: 1, source: `git:range:${before}..${after}` })
    expect(built.findings.map(({ ruleId }) => ruleId)).toEqual(Array(2).fill('gate.receipt-missing'))
  })

  it('a planted openspec does not run, and a link in its place stops the gate', () => {
    writeScript(repo.path('node_modules/.bin/openspec'), 'touch "$(dirname "$0")/../../ran"; echo 9.9.9')
    mkdirSync(repo.path('openspec'))
    repo.stage({ 'openspec/project.md': '#\n' })
    const refused = project.tryGit(['commit', '-qm', 'x'])
    expect(refused.status).not.toBe(0)
    expect(existsSync(repo.path('ran'))).toBe(false)
    repo.git('reset', '-q', '--hard')
    symlinkSync('src', repo.path('openspec'))
    expect(project.warrant(PRE_WRITE)).toMatchObject({ value: { error: { code: 'gate.file_unusable' } } })
    rmSync(repo.path('openspec'))
    rmSync(repo.path('node_modules'), { recursive: true })
  })

  it('settings of the repository take no receipt away, and what the operator leaves out covers nothing', () => {
    const settings = { readOnly: true, store: 'memory', stateDir: 'elsewhere', policyFrom: 'worktree' }
    const severities = 'severities: { backend.no-console-log: OFF }'
    repo.stage({ 'warrant.json': JSON.stringify(settings), '.warrant/rules/severities.yml': severities })
    repo.stage({ 'src/evil.ts': LOG })
    // The policy of the base counts, whatever the file says.
    expect(project.tryGit(['commit', '-qm', 'x']).said).toContain('BLOCKED PRE_COMMIT')
    repo.git('rm', '-q', '-f', '.warrant/rules/severities.yml', 'src/evil.ts')
    project.git('commit', '-q', '-m', 'settings')
    expect(project.check()).toEqual(['covered'])
    repo.stage({ 'src/a.ts': CLEAN })
    expect(project.warrant(['gate', '--no-evidence']).status).toBe(0)
    repo.git('commit', '-q', '--no-verify', '-m', 'x')
    expect(project.check()).toEqual(['covered', 'missing'])
  })

  it('a policy of the working tree passes the hook where the operator asks for it, and covers nothing', () => {
    const severities = 'severities: { backend.no-console-log: OFF }'
    repo.stage({ 'src/evil.ts': LOG, '.warrant/rules/severities.yml': severities })
    expect(project.tryGit(['commit', '-qm', 'x'], { WARRANT_POLICY_FROM: 'worktree' }).status).toBe(0)
    expect(project.check()).toEqual(['policy'])
    const branch = `try-${branches}`
    expect(project.tryGit(['push', '-q', 'origin', branch]).said).toContain('gate.receipt-policy')
    project.git('push', '-q', '--no-verify', 'origin', branch)
    expect(project.build(branch)).toMatchObject({ code: 1 })
  })

  it('a log that cannot be written stops the commit', () => {
    const [database, kept] = [repo.path('.warrant/lineage.db'), repo.path('.git/kept.db')]
    renameSync(database, kept)
    writeFileSync(database, 'this is no database\n'.repeat(10))
    repo.stage({ 'src/a.ts': CLEAN })
    const { status, said } = project.tryGit(['commit', '-qm', 'x'])
    renameSync(kept, database)
    expect(status).not.toBe(0)
    expect(said).toContain('not recorded')
  })

  it('a protected branch in other letters, or a detached head of it, is not allowed', async () => {
    project.warrant(['gate', '--stage', 'PRE_COMMIT'])
    repo.git('switch', '-q', '--detach', 'main')
    project.warrant(['gate', '--stage', 'PRE_COMMIT'])
    expect(await codes()).toContain('GITFLOW_PROTECTED_BRANCH')
    repo.git('branch', '-q', '-m', 'main', 'Main')
    repo.git('switch', '-q', 'Main')
    expect(await codes()).toContain('GITFLOW_PROTECTED_BRANCH')
  })
})
