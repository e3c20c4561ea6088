import { spawnSync } from 'node:child_process'
import { beforeAll, describe, expect, it } from 'vitest'
import { BACKEND, gateEnvironment, gateJson, LOG, useSeedProfile } from '../support/gate.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

useSeedProfile()

const EVIL = { 'src/evil.ts': LOG }

/** A repository with installed hooks, and a clean branch `main` at its remote. */
const repo = Repo.init('main')
const remote = new Repo()

const commit = ['commit', '-q', '-m', 'evil'] as const

/** Ways to commit without the hook, by name. Each starts on a branch of its own with `EVIL` staged. */
const WAYS: Readonly<Record<string, () => void>> = {
  'git commit --no-verify': () => repo.git(...commit, '--no-verify'),
  'git -c core.hooksPath=/dev/null commit': () => repo.git('-c', 'core.hooksPath=/dev/null', ...commit),
  'core.hooksPath set for good': () => {
    repo.git('config', 'core.hooksPath', '/dev/null')
    repo.git(...commit)
    repo.git('config', '--unset', 'core.hooksPath')
  },
  'git commit-tree and git update-ref': () => {
    const tree = repo.git('write-tree').trim()
    const made = repo.git('commit-tree', tree, '-p', 'HEAD', '-m', 'evil').trim()
    repo.git('update-ref', 'HEAD', made)
  },
  'a clone without hooks': () => {
    const clone = new Repo()
    clone.git('clone', '-q', repo.folder, '.')
    clone.commit(EVIL)
    repo.git('reset', '-q', '--hard')
    repo.git('pull', '-q', '--no-rebase', clone.folder, 'HEAD')
  },
}

beforeAll(() => {
  remote.git('init', '-q', '--bare', '-b', 'main')
  repo.commit({ 'package.json': BACKEND }).git('remote', 'add', 'origin', remote.folder)
  repo.git('push', '-q', 'origin', 'main')
  repo.git('fetch', '-q', 'origin')
  expect(
    runJson(repo.folder, ['init', '--yes', '--clients', 'none'], { GIT_CONFIG_GLOBAL: '/dev/null' }).status,
  ).toBe(0)
})

describe('a commit that avoids the hook', () => {
  it('is stopped by the hook where it does not avoid it', () => {
    repo.git('switch', '-q', '-c', 'honest')
    repo.stage(EVIL)
    const { status, stderr } = spawnSync('git', [...commit], {
      cwd: repo.folder,
      env: gateEnvironment(GIT_ENVIRONMENT),
      encoding: 'utf8',
    })
    expect(status).not.toBe(0)
    expect(stderr).toContain('BLOCKED PRE_COMMIT')
    repo.git('reset', '-q', '--hard')
  })

  it.each(Object.entries(WAYS))('by %s is blocked in CI', (name, make) => {
    repo.git('switch', '-q', '-c', name.replace(/[^a-z]+/gi, '-'), 'origin/main')
    repo.stage(EVIL)
    make()
    const { status, findings } = gateJson(repo, ['--stage', 'CI'], { env: { GITHUB_BASE_REF: 'main' } })
    expect(status).toBe('BLOCKED')
    expect(findings.map(({ file }) => file)).toContain('src/evil.ts')
  })
})
