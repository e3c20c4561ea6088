import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeCommittedLine } from '../../src/setup/git-hooks/hook-script.ts'
import { BINARY } from '../support/binary.ts'
import { writeScript } from '../support/openspec.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

const QUIET = { GIT_CONFIG_GLOBAL: '/dev/null' }
const init = (repo: Repo, at = repo.folder, env: Readonly<Record<string, string>> = QUIET) =>
  runJson(at, ['init', '--yes', '--clients', 'none'], env)
const states = (repo: Repo) => runJson(repo.folder, ['doctor', '--port', '0'], QUIET).value.state.hooks

/** A PATH with git and a shell, but without Warrant. */
const makePath = (...names: readonly string[]): string => {
  const folder = new Repo().folder
  for (const name of ['sh', 'env', 'git', 'cat', 'ls', ...names]) {
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(folder, name))
  }
  return folder
}

const commit = (repo: Repo, path: string, ...more: readonly string[]) =>
  spawnSync('git', ['commit', '-q', '--allow-empty', '-m', 'x', ...more], {
    cwd: repo.folder,
    env: { ...GIT_ENVIRONMENT, PATH: path, HOME: '/nowhere' },
    encoding: 'utf8',
  })

const hookPath = (repo: Repo, name = 'pre-commit') => repo.path('.git/hooks', name)
const text = (path: string) => readFileSync(path, 'latin1')

describe('installed hooks', () => {
  it('run the gate of the repository, and a refusal stops the commit with its own status', () => {
    const repo = Repo.init()
    expect(init(repo).status).toBe(0)
    const path = makePath()
    const gate = repo.path('node_modules/.bin/warrant')
    writeScript(gate, 'echo "$@" > asked; exit 0')
    expect(commit(repo, path).status).toBe(0)
    expect(text(repo.path('asked'))).toBe('gate --stage PRE_COMMIT\n')
    writeScript(gate, 'exit 7')
    expect(commit(repo, path).status).not.toBe(0)
    expect(spawnSync(hookPath(repo), { cwd: repo.folder, env: { PATH: path } }).status).toBe(7)
  })

  it('take the program that installed them, else the one on the path, else fail and say why', () => {
    const repo = Repo.init()
    init(repo)
    const path = makePath()
    const nothing = commit(repo, path)
    expect(nothing.status).not.toBe(0)
    expect(nothing.stderr).toMatch(/the program that judges in this clone is gone/)
    writeScript(join(path, 'warrant'), 'echo "path $@" > asked')
    expect(commit(repo, path).status).toBe(0)
    expect(text(repo.path('asked'))).toBe('path gate --stage PRE_COMMIT\n')
    writeScript(repo.path('node_modules/.bin/warrant'), 'echo "local $@" > asked')
    expect(commit(repo, path).status).toBe(0)
    expect(text(repo.path('asked'))).toBe('local gate --stage PRE_COMMIT\n')
    writeScript(join(path, 'node'), 'echo "$@" > asked')
    expect(commit(repo, path).status).toBe(0)
    expect(text(repo.path('asked'))).toBe(`${BINARY} gate --stage PRE_COMMIT\n`)
  })

  it('pass the refs on stdin to the gate, and to the hook that was there before', () => {
    const repo = Repo.init().commit({ a: '1' })
    const remote = new Repo()
    remote.git('init', '-q', '--bare')
    repo.git('remote', 'add', 'origin', remote.folder)
    writeScript(hookPath(repo, 'pre-push'), 'cat > refs')
    init(repo)
    // A gate that reads all it can get.
    writeScript(repo.path('node_modules/.bin/warrant'), 'cat > read')
    const path = makePath('git-receive-pack')
    const push = () =>
      execFileSync('git', ['push', '-q', 'origin', 'HEAD'], {
        cwd: repo.folder,
        env: { ...GIT_ENVIRONMENT, PATH: path, HOME: '/nowhere' },
      })
    push()
    const refs = text(repo.path('refs'))
    expect(refs).toMatch(/^HEAD [0-9a-f]{40} refs\/heads\/feature\/x 0{40}\n$/)
    expect(text(repo.path('read'))).toBe(refs)
    // Nothing to push: neither gets a line.
    push()
    expect(text(repo.path('refs'))).toBe('')
    expect(text(repo.path('read')).trim()).toBe('')
  })

  it('of an older version are told as outdated and are renewed', () => {
    const repo = Repo.init()
    init(repo)
    const current = text(hookPath(repo, 'pre-push'))
    writeFileSync(hookPath(repo, 'pre-push'), current.replaceAll('"$@"', '</dev/null'))
    expect(states(repo)[1]).toEqual({
      hook: 'pre-push',
      state: 'outdated',
      problem: expect.any(String),
    })
    const { findings } = runJson(repo.folder, ['doctor', '--port', '0']).value
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'hooks', detail: expect.stringContaining('pre-push') }),
    )
    init(repo)
    expect(text(hookPath(repo, 'pre-push'))).toBe(current)
  })

  it('run before a hook that ends with exit, and let it run after', () => {
    const repo = Repo.init()
    writeScript(hookPath(repo), 'echo mine > mine\nexit 0')
    init(repo)
    const path = makePath()
    writeScript(repo.path('node_modules/.bin/warrant'), 'exit 1')
    expect(commit(repo, path).status).not.toBe(0)
    expect(existsSync(repo.path('mine'))).toBe(false)
    writeScript(repo.path('node_modules/.bin/warrant'), 'exit 0')
    expect(commit(repo, path).status).toBe(0)
    expect(existsSync(repo.path('mine'))).toBe(true)
  })

  it.each([
    ['', 'exit 0'],
    ['set -eu', 'exit 0'],
    ['without an end of line', 'true'],
  ])('come and go without a trace (%s)', (first, last) => {
    const repo = Repo.init()
    const before = `#!/bin/bash\n${first === 'set -eu' ? first : '# é \xff'}\r\n${last}`
    mkdirSync(repo.path('.git/hooks'), { recursive: true })
    writeFileSync(hookPath(repo), before, { encoding: 'latin1', mode: 0o755 })
    init(repo)
    const once = text(hookPath(repo))
    init(repo)
    expect(text(hookPath(repo))).toBe(once)
    expect(states(repo)).toEqual([
      { hook: 'pre-commit', state: 'managed' },
      { hook: 'pre-push', state: 'managed' },
    ])
    expect(runJson(repo.folder, ['uninstall', '--yes'], QUIET).value.hooks).toEqual([
      { hook: 'pre-commit', state: 'unmanaged', did: 'removed' },
      { hook: 'pre-push', state: 'missing', did: 'removed' },
    ])
    expect(text(hookPath(repo))).toBe(before)
    expect(existsSync(hookPath(repo, 'pre-push'))).toBe(false)
    expect(repo.git('config', '--local', '--list')).not.toContain('warrant')
  })

  it('are not put where they would break a program; init says what to add by hand', () => {
    const repo = Repo.init()
    mkdirSync(repo.path('.git/hooks'), { recursive: true })
    const python = '#!/usr/bin/env python3\nprint("hi")\n'
    writeFileSync(hookPath(repo, 'pre-push'), python)
    const { status, value } = init(repo)
    expect(status).toBe(0)
    expect(value.skipped).toMatchObject([
      { path: '.git/hooks/pre-push', byHand: expect.stringContaining('gate --stage PRE_PUSH') },
    ])
    expect(value.enforced.push).toContain('nothing blocks')
    expect(text(hookPath(repo, 'pre-push'))).toBe(python)
  })
})

describe('the line in the file of a hook manager', () => {
  const line = (strict: boolean) => writeCommittedLine('gate --stage PRE_COMMIT', strict)
  const start = (repo: Repo, path: string, strict = false) =>
    spawnSync('sh', ['-c', line(strict)], {
      cwd: repo.folder,
      env: { ...GIT_ENVIRONMENT, PATH: path, HOME: '/nowhere' },
      encoding: 'utf8',
    })

  it('lets a clone pass that never had the program, and says so in one line', () => {
    const repo = Repo.init()
    const { status, stdout, stderr } = start(repo, makePath())
    expect([status, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/^warrant: not installed here, so CI judges this change\..*\n$/)
    expect(start(repo, makePath(), true).status).toBe(1)
  })

  it('refuses where the program that judged is gone, and takes the one on the path', () => {
    const repo = Repo.init()
    repo.git('config', 'warrant.program', '/gone/warrant.js')
    expect(start(repo, makePath())).toMatchObject({ status: 1, stderr: expect.stringContaining('is gone') })
    const path = makePath()
    writeScript(join(path, 'warrant'), 'echo "$@" > asked')
    expect(start(repo, path).status).toBe(0)
    expect(text(repo.path('asked'))).toBe('gate --stage PRE_COMMIT\n')
  })
})

describe('where hooks are installed', () => {
  it('is core.hooksPath, counted from the top of the tree', () => {
    const repo = Repo.init()
    repo.git('config', 'core.hooksPath', 'tools/hooks')
    mkdirSync(repo.path('deep'))
    expect(init(repo, repo.path('deep')).status).toBe(0)
    expect(existsSync(repo.path('tools/hooks/pre-commit'))).toBe(true)
    expect(existsSync(hookPath(repo))).toBe(false)
    writeScript(repo.path('node_modules/.bin/warrant'), 'exit 3')
    expect(commit(repo, makePath()).status).not.toBe(0)
  })

  it('is the hooks folder that all worktrees share', () => {
    const repo = Repo.init().commit({ a: '1' })
    const tree = new Repo(join(new Repo().folder, 'tree'))
    repo.git('worktree', 'add', '-q', tree.folder)
    expect(init(tree).status).toBe(0)
    expect(text(hookPath(repo))).toContain('>>> WARRANT >>>')
    writeScript(tree.path('node_modules/.bin/warrant'), 'exit 3')
    expect(commit(tree, makePath()).status).not.toBe(0)
  })

  it('is never a folder outside the repository, wherever core.hooksPath is set', () => {
    const outside = new Repo()
    for (const way of ['absolute', 'relative', 'link'] as const) {
      const repo = Repo.init()
      if (way === 'absolute') repo.git('config', 'core.hooksPath', outside.folder)
      if (way === 'relative') repo.git('config', 'core.hooksPath', `../${outside.folder.split('/').at(-1)}`)
      if (way === 'link') {
        repo.git('config', 'core.hooksPath', 'link')
        symlinkSync(outside.folder, repo.path('link'))
      }
      expect(init(repo).value.enforced.commit).toContain('core.hooksPath')
      expect(existsSync(outside.path('pre-commit'))).toBe(false)
    }
  })

  it('is not the global hooks folder of the user', () => {
    const shared = new Repo()
    const settings = shared.path('gitconfig')
    writeFileSync(settings, `[core]\n\thooksPath = ${shared.path('all')}\n`)
    const repo = Repo.init()
    const { value } = init(repo, repo.folder, { GIT_CONFIG_GLOBAL: settings })
    expect(value.enforced.commit).toContain('core.hooksPath')
    expect(existsSync(shared.path('all'))).toBe(false)
  })

  it('is not what husky writes anew at every install', () => {
    const repo = Repo.init()
    repo.git('config', 'core.hooksPath', '.husky/_')
    init(repo)
    expect(existsSync(repo.path('.husky/_/pre-commit'))).toBe(false)
    expect(text(repo.path('.husky/pre-commit'))).toContain('>>> WARRANT >>>')
  })

  it('is where a link of the repository leads, as long as it stays inside', () => {
    const repo = Repo.init()
    writeScript(repo.path('scripts/pre-commit.sh'), 'exit 0')
    mkdirSync(repo.path('.git/hooks'), { recursive: true })
    symlinkSync('../../scripts/pre-commit.sh', hookPath(repo))
    expect(init(repo).status).toBe(0)
    expect(text(repo.path('scripts/pre-commit.sh'))).toContain('>>> WARRANT >>>')
  })
})

describe('the hooks with the program itself', () => {
  it('stop a commit that breaks a rule, also one of a part of the tree, and let a clean one pass', () => {
    const repo = Repo.init().commit({ 'README.md': '# x\n' })
    init(repo)
    writeScript(repo.path('node_modules/.bin/warrant'), `exec '${process.execPath}' '${BINARY}' "$@"`)
    const path = makePath('node')
    const bad = 'export const f = (input) => {\n  eval(input)\n}\n'
    repo
      .write({ '.gitignore': 'node_modules\n.ai_evidence.json\n', 'apps/backend/a.ts': bad })
      .git('add', '-A')
    const refused = commit(repo, path)
    expect(refused.status).not.toBe(0)
    expect(refused.stderr + refused.stdout).toContain('javascript.eval')
    const evidence = JSON.parse(readFileSync(repo.path('.ai_evidence.json'), 'utf8'))
    expect(evidence).toMatchObject({ snapshot: { stage: 'PRE_COMMIT', outcome: 'BLOCK' } })
    // `-a` gives the hook an index of its own; what is in that is what is judged.
    repo.write({ 'apps/backend/a.ts': 'export const f = () => 1\n' })
    expect(commit(repo, path, '-a').status).toBe(0)
    repo.write({ 'apps/backend/a.ts': bad })
    expect(commit(repo, path, '-a').status).not.toBe(0)
  })
})
