import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BINARY } from '../support/binary.ts'
import { BACKEND, gateEnvironment, gateJson, LOG, places, useSeedProfile } from '../support/gate.ts'
import { writeScript } from '../support/openspec.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

useSeedProfile()

/** Names and refs that make the gate judge other commits than those that are merged or pushed. */

const CLEAN = 'export const a = 1\n'
const IN_A = 'backend.no-console-log src/a.ts:1'
const ZEROS = '0'.repeat(40)

/** A clone of a project. */
const cloneProject = (...options: readonly string[]): { readonly repo: Repo; readonly origin: Repo } => {
  const seed = Repo.init('main')
    .commit({
      'package.json': BACKEND,
      'src/ok.ts': CLEAN,
      '.gitignore': 'node_modules\n.warrant\n.ai_evidence.json\n',
    })
    .commit({ 'src/ok2.ts': CLEAN })
  const origin = new Repo()
  origin.git('clone', '-q', '--bare', seed.folder, '.')
  const repo = new Repo()
  repo.git('clone', '-q', ...options, `file://${origin.folder}`, '.')
  return { repo, origin }
}

const id = (repo: Repo, name: string): string => repo.git('rev-parse', name).trim()

const inCi = (repo: Repo, env: Readonly<Record<string, string>> = {}) =>
  gateJson(repo, [], { env: { CI: 'true', ...env } })

/** A run of the gate in GitHub Actions, for this event. */
const inActions = (repo: Repo, event: unknown) => {
  const file = join(mkdtempSync(join(tmpdir(), 'warrant-event-')), 'event.json')
  writeFileSync(file, typeof event === 'string' ? event : JSON.stringify(event))
  return inCi(repo, { GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: file, GITHUB_BASE_REF: '' })
}

describe('the base of a build', () => {
  it('is not a tag that is named like it, with a target and without', () => {
    const { repo } = cloneProject()
    repo.git('checkout', '-q', '-b', 'feature/x')
    repo.commit({ 'src/a.ts': LOG }).commit({ 'src/b.ts': CLEAN })
    for (const name of ['main', 'origin/main', 'refs/remotes/origin/main', 'refs/heads/main'])
      repo.git('tag', name)
    for (const [target, base] of [
      ['', 'origin/HEAD'],
      ['main', 'origin/main'],
    ] as const) {
      const report = inCi(repo, { GITHUB_BASE_REF: target })
      expect(places(report)).toEqual([IN_A])
      expect(report).toMatchObject({ code: 1, source: `git:range:${base}..HEAD` })
    }
  })

  it('is the commit that a pull request names, and its head is the one that is judged', () => {
    const { repo } = cloneProject()
    const base = id(repo, 'HEAD')
    repo.git('checkout', '-q', '-b', 'feature/x')
    repo.commit({ 'src/a.ts': LOG }).commit({ 'src/b.ts': CLEAN })
    const head = id(repo, 'HEAD')
    // The workflow checked out another commit, and refs were moved.
    repo.git('checkout', '-q', 'main')
    repo.git('update-ref', 'refs/remotes/origin/main', head)
    const report = inActions(repo, { pull_request: { base: { sha: base }, head: { sha: head } } })
    expect(places(report)).toEqual([IN_A])
    expect(report).toMatchObject({ code: 1, source: `git:range:${base}..${head}` })
  })

  it('is where a push started, whatever number of commits it brings', () => {
    const { repo } = cloneProject()
    const before = id(repo, 'HEAD')
    repo.commit({ 'src/a.ts': LOG }).commit({ 'src/b.ts': CLEAN })
    const after = id(repo, 'HEAD')
    repo.git('push', '-q', 'origin', 'main')
    const push = { ref: 'refs/heads/main', before, after, repository: { default_branch: 'main' } }
    expect(inActions(repo, push)).toMatchObject({ code: 1, source: `git:range:${before}..${after}` })
    // Without the event nothing says what was judged before, so everything is judged.
    expect(inCi(repo)).toMatchObject({ code: 1, source: 'git:repository' })
    // A new branch: since the default branch. A default branch that was replaced: since the last common commit.
    expect(inActions(repo, { ...push, before: ZEROS })).toMatchObject({ code: 1, source: 'git:repository' })
    repo.git('checkout', '-q', '-b', 'feature/x')
    const clean = repo.commit({ 'src/c.ts': CLEAN })
    const branch = { ...push, ref: 'refs/heads/feature/x', before: ZEROS, after: id(clean, 'HEAD') }
    expect(inActions(repo, branch)).toMatchObject({ code: 0, files: { changed: 1 } })
    repo.git('reset', '-q', '--hard', before)
    repo.commit({ 'src/a.ts': LOG, 'src/d.ts': CLEAN })
    expect(inActions(repo, { ...push, before: after, after: id(repo, 'HEAD') })).toMatchObject({
      code: 1,
      files: { changed: 2 },
    })
  })

  it('is missing in a shallow clone, which is said and is not an empty range', () => {
    const { repo, origin } = cloneProject('--depth', '1')
    const base = id(origin, 'main~1')
    repo.commit({ 'src/a.ts': CLEAN })
    const head = id(repo, 'HEAD')
    const event = { pull_request: { base: { sha: base }, head: { sha: head } } }
    expect(inActions(repo, event)).toMatchObject({
      code: 1,
      error: { code: 'gate.base_missing', fix: expect.stringContaining('fetch-depth: 0') },
    })
    const push = { ref: 'refs/heads/main', before: base, after: head, repository: { default_branch: 'main' } }
    expect(inActions(repo, push)).toMatchObject({ error: { code: 'gate.base_missing' } })
    expect(inCi(repo, { GITHUB_BASE_REF: 'gone' })).toMatchObject({ error: { code: 'gate.base_missing' } })
  })

  it('does not come from an event that is damaged or holds something else than commits', () => {
    const { repo } = cloneProject()
    const head = id(repo, 'HEAD')
    for (const event of ['{', { pull_request: { base: { sha: 'main' }, head: { sha: head } } }])
      expect(inActions(repo, event)).toMatchObject({ code: 2, error: { code: 'gate.event_invalid' } })
  })
})

describe('a range', () => {
  it('does not start at a tag that is named like the branch', () => {
    const { repo } = cloneProject()
    repo.git('checkout', '-q', '-b', 'feature/x')
    repo.commit({ 'src/a.ts': LOG })
    repo.git('tag', 'main')
    repo.git('branch', 'origin/main')
    for (const name of ['main', 'origin/main'])
      expect(gateJson(repo, ['--range', `${name}..HEAD`])).toMatchObject({
        code: 2,
        error: { code: 'git.revision', message: expect.stringContaining('refs/') },
      })
    const report = gateJson(repo, ['--range', 'refs/remotes/origin/main..feature/x'])
    expect(report).toMatchObject({ source: 'git:range:refs/remotes/origin/main..feature/x' })
    expect(places(report)).toEqual([IN_A])
  })
})

describe('a push', () => {
  const push = (repo: Repo, ...words: readonly string[]) =>
    spawnSync('git', ['push', '-q', ...words], {
      cwd: repo.folder,
      env: { ...gateEnvironment(), ...GIT_ENVIRONMENT },
      encoding: 'utf8',
    })
  const withHooks = () => {
    const { repo, origin } = cloneProject()
    mkdirSync(repo.path('node_modules/.bin'), { recursive: true })
    symlinkSync(BINARY, repo.path('node_modules/.bin/warrant'))
    writeScript(repo.path('.git/hooks/pre-push'), 'cat > .git/seen; echo "$1" >> .git/seen')
    expect(
      runJson(repo.folder, ['init', '--yes', '--clients', 'none'], { GIT_CONFIG_GLOBAL: '/dev/null' }).status,
    ).toBe(0)
    return { repo, origin }
  }
  const remoteRefs = (origin: Repo) => origin.git('for-each-ref', '--format=%(refname)').trim().split('\n')

  it('is judged by what it sends: other branches, tags, several refs at once', () => {
    const { repo, origin } = withHooks()
    repo.git('checkout', '-q', '-b', 'feature/y')
    repo.commit({ 'src/a.ts': LOG })
    repo.git('tag', 'v1')
    repo.git('tag', '-a', '-m', 'x', 'v2')
    repo.git('checkout', '-q', 'main')
    repo.git('branch', 'feature/clean')
    for (const refs of [['feature/y'], ['v2'], ['feature/clean', 'v1']]) {
      const refused = push(repo, 'origin', ...refs)
      expect([refs, refused.status === 0]).toEqual([refs, false])
      expect(refused.stdout).toContain('BLOCKED PRE_PUSH')
    }
    expect(remoteRefs(origin)).toEqual(['refs/heads/main'])
    // What is clean passes, and the hook that was there before gets its refs and its arguments.
    expect(push(repo, 'origin', 'feature/clean').status).toBe(0)
    expect(readFileSync(repo.path('.git/seen'), 'utf8')).toMatch(
      /^refs\/heads\/feature\/clean [0-9a-f]{40} refs\/heads\/feature\/clean 0{40}\norigin\n$/,
    )
    // A removal sends nothing.
    expect(push(repo, 'origin', ':feature/clean').status).toBe(0)
    expect(remoteRefs(origin)).toEqual(['refs/heads/main'])
  })

  it('is judged after a hook that ran behind ours changed the commit', () => {
    const { repo, origin } = withHooks()
    const own = readFileSync(repo.path('.git/hooks/pre-commit'), 'utf8')
    const change = `printf "${LOG.trim()}\\n" > src/a.ts; git add src/a.ts`
    writeFileSync(repo.path('.git/hooks/pre-commit'), `${own}\n${change}\n`)
    repo.stage({ 'src/b.ts': CLEAN })
    const env = { ...gateEnvironment(), ...GIT_ENVIRONMENT }
    const commit = spawnSync('git', ['commit', '-qm', 'x'], { cwd: repo.folder, env, encoding: 'utf8' })
    expect(commit.stderr).toContain('ALLOWED PRE_COMMIT')
    expect(repo.git('show', '--name-only', '--format=')).toBe('src/a.ts\nsrc/b.ts\n')
    expect(push(repo, 'origin', 'main').stdout).toContain('BLOCKED PRE_PUSH')
    expect(id(origin, 'main')).toBe(id(repo, 'HEAD~1'))
  })

  it('is compared with what the remote has, not with a local ref that was moved there', () => {
    const { repo, origin } = withHooks()
    repo.commit({ 'src/a.ts': LOG }).commit({ 'src/b.ts': CLEAN })
    repo.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    expect(push(repo, 'origin', 'main').status).not.toBe(0)
    // By hand: an upstream that is a local branch is no remote.
    repo.git('update-ref', 'refs/remotes/origin/main', id(origin, 'main'))
    repo.git('checkout', '-q', '-b', 'feature/z')
    repo.git('branch', '-q', '--set-upstream-to', 'main')
    const report = gateJson(repo, ['--stage', 'PRE_PUSH'])
    expect(report).toMatchObject({ code: 1, source: 'git:range:origin/HEAD..HEAD' })
    expect(places(report)).toEqual([IN_A])
  })

  it('of everything is judged when the remote has nothing yet', () => {
    const repo = Repo.init('main').commit({ 'package.json': BACKEND, 'src/a.ts': LOG })
    repo.git('branch', 'base')
    const report = gateJson(repo, ['--stage', 'PRE_PUSH'])
    expect(report).toMatchObject({ code: 1, files: { changed: 2 } })
    expect(places(report)).toEqual([IN_A])
  })

  it('with an empty range in the variables of pre-commit is judged all the same', () => {
    const { repo } = cloneProject()
    repo.commit({ 'src/a.ts': LOG })
    const env = { PRE_COMMIT_FROM_REF: 'HEAD', PRE_COMMIT_TO_REF: 'HEAD' }
    expect(gateJson(repo, [], { env })).toMatchObject({ code: 1, stage: 'PRE_PUSH' })
  })
})
