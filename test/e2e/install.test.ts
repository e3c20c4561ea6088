import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeScript } from '../support/openspec.ts'
import { Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

const INIT = ['init', '--yes', '--clients', 'none'] as const
const warrant = (repo: Repo, ...args: readonly string[]) => runJson(repo.folder, args)
const keys = (repo: Repo): string => repo.git('config', '--local', '--list')
const evidence = (repo: Repo) => JSON.parse(readFileSync(repo.path('.ai_evidence.json'), 'utf8'))

describe('init', () => {
  it('puts hooks, state, a first evidence and an exclude line in place, and says so', () => {
    const repo = Repo.init().commit({ a: '1' })
    expect(warrant(repo, ...INIT)).toMatchObject({ status: 0, value: { written: true } })
    expect(warrant(repo, 'doctor', '--port', '0').value.state).toMatchObject({
      repoRoot: repo.folder,
      lifecycleState: { installed: 'true', hooks: 'pre-commit,pre-push', installedAt: expect.any(String) },
      hookStatus: {
        'pre-commit': { exists: true, managedBlockPresent: true },
        'pre-push': { exists: true, managedBlockPresent: true },
      },
      trackedNodeModulesCount: 0,
    })
    expect(evidence(repo)).toMatchObject({
      version: '2.1',
      snapshot: { stage: 'PRE_COMMIT', outcome: 'PASS', findings: [] },
      repo_state: { lifecycle: { installed: true, hooks: { pre_commit: 'managed', pre_push: 'managed' } } },
    })
    repo.write({ '.warrant/lineage.db': '' })
    expect(repo.git('status', '--porcelain')).toBe('')
    // User rules are committed, so they stay visible.
    repo.write({ '.warrant/rules/own.yml': '' })
    expect(repo.git('status', '--porcelain', '-uall')).toContain('?? .warrant/rules/own.yml\n')
  })

  it('twice changes nothing: neither hooks nor evidence nor the day it was installed', () => {
    const repo = Repo.init()
    warrant(repo, ...INIT)
    const before = [keys(repo), readFileSync(repo.path('.ai_evidence.json'), 'utf8'), exclude(repo)]
    expect(warrant(repo, ...INIT).value.changes).toEqual([])
    expect([keys(repo), readFileSync(repo.path('.ai_evidence.json'), 'utf8'), exclude(repo)]).toEqual(before)
  })

  it('adds no exclude line where the state folder is ignored already, and keeps what is there', () => {
    const ignored = Repo.init().commit({ '.gitignore': '.warrant\n' })
    warrant(ignored, ...INIT)
    expect(exclude(ignored)).not.toContain('/.warrant/')
    const open = Repo.init()
    writeFileSync(open.path('.git/info/exclude'), 'mine \xff', 'latin1')
    warrant(open, ...INIT)
    expect(readFileSync(open.path('.git/info/exclude'), 'latin1')).toBe(
      'mine \xff\n/.warrant/*\n!/.warrant/rules/\n!/.warrant/checks.yml\n!/.warrant/keys.yml\n!/.warrant/acceptances.yml\n/.ai_evidence.json\n',
    )
  })

  it('shows what is committed of the state folder, also where an earlier version hid it', () => {
    const repo = Repo.init()
    writeFileSync(repo.path('.git/info/exclude'), '/.warrant/*\n!/.warrant/rules/\n')
    warrant(repo, ...INIT)
    repo.write({ '.warrant/keys.yml': '', '.warrant/checks.yml': '', '.warrant/acceptances.yml': '' })
    expect(repo.git('status', '--porcelain', '-uall')).toMatch(/checks\.yml\n.*keys\.yml\n$/)
  })

  it('makes git fetch bring the receipts of remotes, and uninstall removes exactly that', () => {
    const repo = Repo.init()
    repo.git('remote', 'add', 'origin', '../elsewhere')
    repo.git('config', '--add', 'remote.origin.fetch', '+refs/notes/mine:refs/notes/mine')
    const fetched = () => repo.git('config', '--get-all', 'remote.origin.fetch').trim().split('\n')
    const before = fetched()
    warrant(repo, ...INIT)
    expect(fetched()).toEqual([...before, '+refs/notes/warrant*:refs/notes/remotes/origin/warrant*'])
    warrant(repo, ...INIT)
    expect(fetched()).toHaveLength(before.length + 1)
    expect(warrant(repo, 'uninstall', '--yes').value.notes).toEqual(['origin'])
    expect(fetched()).toEqual(before)
  })

  it('is refused while git keeps track of node_modules, and then changes nothing', () => {
    const repo = Repo.init().commit({ 'packages/a/node_modules/b/index.js': '1' })
    const { status, value } = warrant(repo, ...INIT)
    expect(status).toBe(3)
    expect(value.error).toMatchObject({ code: 'lifecycle.blocked', fix: expect.stringContaining('git rm') })
    expect(existsSync(repo.path('.git/hooks/pre-commit'))).toBe(false)
    expect(existsSync(repo.path('.ai_evidence.json'))).toBe(false)
    expect(keys(repo)).not.toContain('warrant.')
  })

  it('where it cannot write, says what is in the way, without a stack', () => {
    const repo = Repo.init()
    rmSync(repo.path('.git/hooks'), { recursive: true })
    writeFileSync(repo.path('.git/hooks'), '')
    const { status, value, stderr } = warrant(repo, ...INIT)
    expect([status, stderr]).toEqual([0, ''])
    expect(value.skipped[0]).toMatchObject({ path: '.git/hooks/pre-commit', why: expect.any(String) })
    expect(value.enforced.commit).toContain('nothing blocks')
    expect(JSON.stringify([value.skipped, value.enforced])).not.toContain('    at ')
  })

  it('fetches OpenSpec only when asked to, and remembers what it laid out', () => {
    const repo = Repo.init().commit({ 'package.json': '{}' })
    const tools = new Repo()
    // Stands for npm: the real one needs the network.
    writeScript(
      join(tools.folder, 'npm'),
      `echo "$@" >> '${repo.path('npm-asked')}'\nmkdir -p node_modules/.bin\nprintf '#!/bin/sh\\necho 1.13.2\\n' > node_modules/.bin/openspec\nchmod +x node_modules/.bin/openspec`,
    )
    const env = { PATH: `${tools.folder}:${process.env.PATH}` }
    runJson(repo.folder, INIT, env)
    expect(existsSync(repo.path('npm-asked'))).toBe(false)
    expect(existsSync(repo.path('openspec'))).toBe(false)
    const { value } = runJson(repo.folder, ['sdd', 'install'], env)
    expect(value).toMatchObject({ installed: 'added' })
    expect(readFileSync(repo.path('npm-asked'), 'utf8')).toMatch(
      /--save-dev --save-exact .*@fission-ai\/openspec/,
    )
    expect(existsSync(repo.path('openspec/changes/archive'))).toBe(true)
    repo.git('add', 'openspec/project.md')
    const purged = runJson(repo.folder, ['uninstall', '--yes', '--purge-artifacts'], env).value.removed
    expect(purged).toEqual([
      '.ai_evidence.json',
      'openspec/changes/archive/.gitkeep',
      'openspec/specs/.gitkeep',
    ])
    expect(existsSync(repo.path('openspec/changes'))).toBe(false)
    expect(existsSync(repo.path('openspec/project.md'))).toBe(true)
  })
})

const exclude = (repo: Repo): string => readFileSync(repo.path('.git/info/exclude'), 'utf8')

describe('uninstall', () => {
  it('never removes an evidence file that git tracks', () => {
    const repo = Repo.init()
    warrant(repo, ...INIT)
    expect(keys(repo)).toContain('warrant.installed')
    repo.git('add', '--force', '.ai_evidence.json')
    expect(warrant(repo, 'uninstall', '--yes').value.removed).toEqual([])
    expect(existsSync(repo.path('.ai_evidence.json'))).toBe(true)
    expect(keys(repo)).not.toContain('warrant.')
    expect(warrant(repo, 'uninstall', '--yes', '--purge-artifacts').value.removed).toEqual([])
    expect(existsSync(repo.path('.ai_evidence.json'))).toBe(true)
  })

  it('removes nothing outside openspec/, whatever the configuration says it made', () => {
    const repo = Repo.init().write({ 'src/main.ts': '1', 'openspec/x': '1' })
    const outside = new Repo().write({ file: '1' })
    const made = ['src/main.ts', '../file', `${outside.folder}/file`, 'openspec/../src/main.ts', 'openspec/x']
    repo.git('config', 'warrant.openspec.managed-artifacts', made.join(','))
    expect(warrant(repo, 'uninstall', '--yes', '--purge-artifacts').value.removed).toEqual(['openspec/x'])
    expect(existsSync(repo.path('src/main.ts'))).toBe(true)
    expect(existsSync(outside.path('file'))).toBe(true)
  })
})

describe('doctor', () => {
  it('doctor warns when state and hooks disagree, and fails on tracked node_modules', () => {
    const repo = Repo.init()
    warrant(repo, ...INIT)
    expect(warrant(repo, 'doctor', '--port', '0')).toMatchObject({ status: 0, value: { verdict: 'PASS' } })
    writeFileSync(repo.path('.git/hooks/pre-push'), '#!/bin/sh\ntrue\n')
    const warned = warrant(repo, 'doctor', '--port', '0')
    expect(warned).toMatchObject({ status: 0, value: { ok: true, verdict: 'WARN' } })
    expect(warned.value.findings).toContainEqual(
      expect.objectContaining({ check: 'hooks', severity: 'warning', fix: expect.any(String) }),
    )
    mkdirSync(repo.path('node_modules'))
    repo.commit({ 'node_modules/x': '1' })
    expect(warrant(repo, 'doctor', '--port', '0')).toMatchObject({
      status: 1,
      value: { ok: false, verdict: 'BLOCKED' },
    })
  })
})
