import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EMPTY_TREE } from '../../src/gate/ports.ts'
import { BINARY } from '../support/binary.ts'
import {
  BACKEND,
  gate,
  gateEnvironment,
  gateJson,
  LOG,
  places,
  readEvidence,
  useSeedProfile,
} from '../support/gate.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'

useSeedProfile()

const RULE = 'backend.no-console-log'
const backend = () => Repo.init().commit({ 'package.json': BACKEND, 'src/ok.ts': 'export {}\n' })

describe('the gate in all kinds of repositories', () => {
  it('judges files whatever they are called', () => {
    const names = ['ñandú.ts', 'with space.ts', 'new\nline.ts', '"quoted".ts', '-dash.ts', '日本/語.tsx']
    const repo = backend().stage(Object.fromEntries(names.map((name) => [`src/${name}`, LOG])))
    const report = gateJson(repo)
    expect(report).toMatchObject({ code: 1, stage: 'PRE_COMMIT', status: 'BLOCKED', source: 'git:staged' })
    expect(places(report)).toEqual(names.map((name) => `${RULE} src/${name}:1`).sort())
  })

  it('judges a moved file under its new name', () => {
    const repo = backend().commit({ 'src/old.ts': `${'export {}\n'.repeat(9)}${LOG}` })
    repo.git('mv', 'src/old.ts', 'src/new.ts')
    expect(places(gateJson(repo))).toEqual([`${RULE} src/new.ts:10`])
  })

  it('judges what is staged, not what lies on disk', () => {
    const repo = backend().stage({ 'src/a.ts': LOG }).write({ 'src/a.ts': 'export {}\n' })
    expect(gateJson(repo)).toMatchObject({ code: 1, counts: { judged: 1 } })
    repo.stage({ 'src/a.ts': 'export {}\n' }).write({ 'src/a.ts': LOG })
    expect(gateJson(repo)).toMatchObject({ code: 0, counts: { judged: 0 } })
  })

  it('works before the first commit', () => {
    const repo = Repo.init().stage({ 'package.json': BACKEND, 'src/a.ts': LOG })
    expect(places(gateJson(repo))).toEqual([`${RULE} src/a.ts:1`])
    expect(readEvidence(repo).repo_state?.git).toMatchObject({ branch: null, staged: 2, unstaged: 0 })
  })

  it('works on a detached head', () => {
    const repo = backend().commit({ 'src/a.ts': LOG })
    repo.git('checkout', '-q', '--detach')
    const report = gateJson(repo, ['--stage', 'PRE_PUSH', '--range', 'HEAD~1..HEAD'])
    expect(report).toMatchObject({ code: 1, source: 'git:range:HEAD~1..HEAD' })
    expect(readEvidence(repo).repo_state?.git.branch).toBe('HEAD')
  })

  it('starts in a sub-folder and in a linked work tree, and writes to its root', () => {
    const repo = backend()
    const tree = new Repo(join(mkdtempSync(join(tmpdir(), 'warrant-repo-')), 'tree'))
    repo.git('worktree', 'add', '-q', '-b', 'feature/tree', tree.folder)
    tree.stage({ 'src/a.ts': LOG })
    expect(gate(tree, [], { cwd: tree.path('src') }).status).toBe(1)
    expect(readEvidence(tree)).toMatchObject({
      snapshot: { findings: [{ file: 'src/a.ts', lines: [1] }] },
      repo_state: { repo_root: '.', git: { branch: 'feature/tree', staged: 1 } },
    })
    expect(gateJson(repo, ['--stage', 'PRE_COMMIT'])).toMatchObject({ code: 0, files: { changed: 0 } })
  })

  it('names submodules and links out of the repository, and neither follows nor blocks them', () => {
    const inner = Repo.init().commit({ 'a.ts': LOG })
    const repo = backend()
    repo.git('submodule', '--quiet', 'add', inner.folder, 'src/module')
    const outside = mkdtempSync(join(tmpdir(), 'warrant-outside-'))
    writeFileSync(join(outside, 'secret.ts'), LOG)
    symlinkSync(join(outside, 'secret.ts'), repo.path('src/link.ts'))
    symlinkSync(outside, repo.path('src/linked'))
    repo.git('add', 'src/link.ts', 'src/linked')
    for (const scope of [['--scope', 'staged'], ['--scope', 'worktree'], ['--all']]) {
      const report = gateJson(repo, scope)
      expect(report).toMatchObject({ code: 0 })
      expect(places(report)).toEqual(['gate.link-target src/link.ts', 'gate.submodule src/module'])
    }
  })

  it('counts lines in files with carriage returns, and keeps them in fingerprints out', () => {
    const unix = backend().stage({ 'src/a.ts': `export {}\n\n${LOG}` })
    const dos = backend()
    dos.git('config', 'core.autocrlf', 'false')
    dos.stage({ 'src/a.ts': `export {}\r\n\r\n${LOG.replace('\n', '\r\n')}` })
    const [one, two] = [gateJson(unix), gateJson(dos)]
    expect(places(two)).toEqual([`${RULE} src/a.ts:3`])
    expect(two.findings[0]?.fingerprint).toBe(one.findings[0]?.fingerprint)
  })

  it('sees what `git commit -a` is about to commit when it runs as a hook', () => {
    const repo = backend().commit({ 'src/a.ts': 'export {}\n' })
    writeFileSync(
      repo.path('.git/hooks/pre-commit'),
      `#!/bin/sh\n"${process.execPath}" "${BINARY}" gate --json\n`,
    )
    chmodSync(repo.path('.git/hooks/pre-commit'), 0o755)
    repo.write({ 'src/a.ts': LOG })
    const commit = () =>
      execFileSync('git', ['commit', '-qam', 'x'], {
        cwd: repo.folder,
        env: gateEnvironment({ ...GIT_ENVIRONMENT }),
        stdio: 'pipe',
      })
    expect(commit).toThrow()
    expect(readEvidence(repo)).toMatchObject({ snapshot: { stage: 'PRE_COMMIT', outcome: 'BLOCK' } })
    repo.write({ 'src/a.ts': 'export const a = 1\n' })
    commit()
    expect(repo.git('log', '-1', '--format=%s').trim()).toBe('x')
  })

  it('judges a push from where the remote is, and everything when no remote has anything', () => {
    const alone = Repo.init('main').commit({ 'package.json': BACKEND, 'src/a.ts': LOG })
    const first = gateJson(alone, ['--stage', 'PRE_PUSH'])
    expect(first).toMatchObject({ code: 1, source: `git:range:${EMPTY_TREE}..HEAD`, files: { changed: 2 } })
    expect(places(first)).toEqual([`${RULE} src/a.ts:1`])
    alone.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    alone.git('checkout', '-q', '-b', 'feature/push')
    alone.commit({ 'src/b.ts': LOG })
    const report = gateJson(alone, ['--stage', 'PRE_PUSH'])
    expect(report).toMatchObject({ code: 1, source: 'git:range:origin/main..HEAD' })
    expect(places(report)).toEqual([`${RULE} src/b.ts:1`])
  })

  it('judges a build against its target, and everything where nothing says what is new', () => {
    const repo = Repo.init('main').commit({ 'package.json': BACKEND, 'src/a.ts': LOG })
    repo.git('branch', 'release')
    repo.commit({ 'src/b.ts': LOG })
    expect(gateJson(repo, [], { env: { CI: 'true' } })).toMatchObject({
      stage: 'CI',
      source: 'git:repository',
    })
    repo.commit({ 'src/c.ts': LOG })
    expect(gateJson(repo, [], { env: { CI: 'true', GITHUB_BASE_REF: 'release' } })).toMatchObject({
      source: 'git:range:release..HEAD',
      files: { changed: 2 },
    })
  })

  it('is a clear fault outside a repository', () => {
    const folder = new Repo(mkdtempSync(join(tmpdir(), 'warrant-none-')))
    expect(gateJson(folder)).toMatchObject({ code: 4, error: { code: 'git.repository' } })
  })
})
