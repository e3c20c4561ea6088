import { execFileSync } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Repo } from '../../../test/support/repository.ts'
import type { FolderNames, Scope } from '../../gate/ports.ts'
import type { RepositoryFiles } from '../../kernel/ports.ts'
import { gitConfig } from './config.ts'
import { parseRaw } from './parse.ts'
import { gitReader } from './reader.ts'
import { repositoryFiles } from './worktree.ts'

const never = new AbortController().signal
setMaxListeners(0, never)
const reader = (folder: string, indexFile?: string) =>
  gitReader({ folder, environment: process.env, ...(indexFile !== undefined && { indexFile }) })
const changes = async (repo: Repo, scope: Scope | Scope['kind']) => {
  const set = await reader(repo.folder).changes(
    typeof scope === 'string' ? ({ kind: scope } as Scope) : scope,
    never,
  )
  return set.changes
}
const contents = async (repo: Repo, scope: Scope, git = reader(repo.folder)) => {
  const set = await git.changes(scope, never)
  const found: Record<string, string | undefined> = {}
  const paths = set.changes.map(({ path }) => path)
  for await (const { path, bytes } of set.read(paths, never))
    found[path] = bytes === undefined ? undefined : Buffer.from(bytes).toString()
  return found
}

/** Names that break readers of lines. */
const ODD_NAMES = [
  'ñandú.ts',
  'with space.ts',
  'new\nline.ts',
  '"quoted"\t.ts',
  '# branch.head evil',
  ':colon.ts',
  '-dash.ts',
  '日本/語.ts',
]
const odd = Object.fromEntries(ODD_NAMES.map((name) => [name, `// ${name}\r\n`]))

describe('git state', () => {
  const state = (repo: Repo) => reader(repo.folder).state(never)

  it('counts a lone unstaged change as unstaged', async () => {
    const repo = Repo.init().commit({ a: '1' })
    repo.write({ a: '2' })
    expect(await state(repo)).toMatchObject({ dirty: true, staged: 0, unstaged: 1 })
  })

  it('counts each column on its own, untracked as unstaged', async () => {
    const repo = Repo.init().commit({ a: '1', b: '1', c: '1', old: 'same text\n'.repeat(9) })
    repo.stage({ a: '2', b: '2' }).write({ b: '3', c: '2', 'new/one': '', 'new/two': '' })
    repo.git('mv', 'old', '# branch.head evil')
    // a: staged; b: both; c: unstaged; new/: one untracked folder; the moved file: staged.
    expect(await state(repo)).toEqual({
      available: true,
      branch: 'feature/x',
      upstream: null,
      ahead: 0,
      behind: 0,
      dirty: true,
      staged: 3,
      unstaged: 3,
    })
  })

  it('knows unborn branches, detached heads, and how far the upstream is', async () => {
    const repo = Repo.init()
    expect(await state(repo)).toMatchObject({ branch: null, upstream: null, dirty: false })
    repo.commit({ a: '1' })
    const clone = new Repo(join(mkdtempSync(join(tmpdir(), 'warrant-repo-')), 'clone'))
    execFileSync('git', ['clone', '-q', repo.folder, clone.folder])
    clone.commit({ b: '1' }).commit({ c: '1' })
    repo.commit({ d: '1' })
    clone.git('fetch', '-q')
    expect(await state(clone)).toMatchObject({
      branch: 'feature/x',
      upstream: 'origin/feature/x',
      ahead: 2,
      behind: 1,
    })
    clone.git('branch', '-q', '-d', '-r', 'origin/feature/x')
    expect(await state(clone)).toMatchObject({ upstream: null, ahead: 0, behind: 0 })
    clone.git('checkout', '-q', '--detach')
    expect(await state(clone)).toMatchObject({ branch: 'HEAD' })
  })

  it('finds the root from a sub-folder, a worktree, and nowhere else', async () => {
    const repo = Repo.init().commit({ 'deep/er/a': '1' })
    const tree = join(mkdtempSync(join(tmpdir(), 'warrant-repo-')), 'tree')
    repo.git('worktree', 'add', '-q', '-b', 'other', tree)
    expect(await reader(repo.path('deep/er')).root(never)).toBe(repo.folder)
    expect(await reader(join(tree, 'deep')).root(never)).toBe(
      new Repo(tree).git('rev-parse', '--show-toplevel').trim(),
    )
    expect(await reader(tree).state(never)).toMatchObject({ branch: 'other' })
    expect(await reader(tmpdir()).root(never)).toBeUndefined()
    await expect(reader(tmpdir()).state(never)).rejects.toMatchObject({ code: 'git.repository' })
  })

  it('is a fault that says so where there is no git', async () => {
    const { folder } = Repo.init()
    const git = gitReader({ folder, environment: { PATH: '/nowhere' } })
    await expect(git.state(never)).rejects.toMatchObject({ code: 'git.absent' })
  })
})

describe('git changes', () => {
  it.each(['staged', 'worktree', 'repository'] as const)('names files of any name: %s', async (kind) => {
    const repo = Repo.init().commit({ keep: '' }).stage(odd)
    const found = await contents(repo, { kind })
    delete found.keep
    expect(found).toEqual(odd)
  })

  it('reads the staged content and not the one on disk', async () => {
    const repo = Repo.init().commit({ a: 'old' }).stage({ a: 'staged' }).write({ a: 'disk', b: 'untracked' })
    expect(await contents(repo, { kind: 'staged' })).toEqual({ a: 'staged' })
    expect(await contents(repo, { kind: 'worktree' })).toEqual({ a: 'disk', b: 'untracked' })
  })

  it('works before the first commit', async () => {
    const repo = Repo.init().stage(odd)
    expect(await contents(repo, { kind: 'staged' })).toEqual(odd)
    expect(await contents(repo, { kind: 'worktree' })).toEqual(odd)
  })

  it('follows moves, and tells what was added, modified and deleted', async () => {
    const text = 'many\nlines\nof\ntext\n'.repeat(5)
    const repo = Repo.init().commit({ moved: text, gone: '1', kept: '1', changed: '1' })
    repo.stage({ changed: '2', added: 'x' })
    repo.git('mv', 'moved', 'новый')
    repo.git('rm', '-q', 'gone')
    const expected = [
      { path: 'added', change: 'added' },
      { path: 'changed', change: 'modified' },
      { path: 'gone', change: 'deleted' },
      { path: 'новый', change: 'modified', from: 'moved' },
    ]
    expect(await changes(repo, 'staged')).toEqual(expected)
    expect(await changes(repo, 'worktree')).toEqual(expected)
    repo.git('commit', '-qm', 'two')
    expect(await changes(repo, { kind: 'range', from: 'HEAD~1', to: 'HEAD' })).toEqual(expected)
    expect(Object.keys(await contents(repo, { kind: 'range', from: 'HEAD~1', to: 'HEAD' }))).toEqual([
      'added',
      'changed',
      'новый',
    ])
  })

  it('gives of the index what diff-index says: merges that failed, intentions, kinds that changed', async () => {
    const text = 'many\nlines\nof\ntext\n'.repeat(5)
    const repo = Repo.init().commit({ both: '1', theirs: '1', ours: '1', link: '1', moved: text, mode: '1' })
    const agree = async () => {
      const raw = repo.git('diff-index', '--cached', '--raw', '-z', '--no-abbrev', '-M50%', '-l1000', 'HEAD')
      const said = parseRaw(raw).flatMap(({ oid: _, before, entry, ...change }) => {
        if (entry === undefined) return [change]
        return before === undefined ? [] : [{ path: change.path, change: 'deleted' }]
      })
      expect(await changes(repo, 'staged')).toEqual(said.sort((a, b) => (a.path < b.path ? -1 : 1)))
      return said.length
    }
    repo.git('checkout', '-q', '-b', 'side')
    repo.commit({ both: '2' }).git('rm', '-q', 'theirs')
    repo.commit({ ours: '2' })
    repo.git('checkout', '-q', 'feature/x')
    repo.commit({ both: '3', theirs: '3' }).git('rm', '-q', 'ours')
    repo.commit({})
    expect(() => repo.git('merge', '-q', 'side')).toThrow()
    expect(await agree()).toBeGreaterThan(0)
    repo.git('merge', '--abort')
    repo.write({ planned: 'x' }).git('add', '-N', 'planned')
    expect(await agree()).toBeGreaterThan(0)
    repo.git('reset', '-q', 'planned')
    rmSync(repo.path('link'))
    symlinkSync('both', repo.path('link'))
    repo.git('add', 'link')
    repo.git('update-index', '--chmod=+x', 'mode')
    repo.git('mv', 'moved', 'elsewhere')
    repo.write({ elsewhere: `${text}more`, both: 'unstaged' })
    // A file that became a link is gone.
    expect(await agree()).toBe(3)
  })

  it('compares a range from where it parted, not with what others did since', async () => {
    const repo = Repo.init('main').commit({ a: '1' })
    repo.git('checkout', '-q', '-b', 'topic')
    repo.commit({ mine: '1' })
    repo.git('checkout', '-q', 'main')
    repo.commit({ theirs: '1' })
    expect(await changes(repo, { kind: 'range', from: 'main', to: 'topic' })).toEqual([
      { path: 'mine', change: 'added' },
    ])
  })

  it('refuses revisions that are none, and options that pose as one', async () => {
    const repo = Repo.init().commit({ a: '1' })
    for (const from of ['nowhere', '--output=/tmp/x', '', 'HEAD\nHEAD', 'HEAD:a']) {
      await expect(changes(repo, { kind: 'range', from, to: 'HEAD' })).rejects.toMatchObject({
        code: 'git.revision',
      })
    }
    const hash = repo.git('rev-parse', 'HEAD').trim()
    expect(await reader(repo.folder).resolve(['-x', 'nope', 'feature/x', 'HEAD'], never)).toEqual({
      name: 'feature/x',
      hash,
    })
    expect(await reader(repo.folder).resolve(['-x', 'nope'], never)).toBeUndefined()
  })

  it('passes over links, submodules, pipes and folders of links', async () => {
    const inner = Repo.init().commit({ x: '1' })
    const repo = Repo.init().commit({ a: '1' })
    repo.git('submodule', '--quiet', 'add', inner.folder, 'module')
    const outside = mkdtempSync(join(tmpdir(), 'warrant-outside-'))
    writeFileSync(join(outside, 'secret.ts'), 'secret')
    symlinkSync(join(outside, 'secret.ts'), repo.path('link.ts'))
    symlinkSync(outside, repo.path('linked'))
    repo.git('add', 'link.ts')
    repo.write({ 'module/x': '2', b: '1' })
    execFileSync('mkfifo', [repo.path('pipe.ts')])
    expect(Object.keys(await contents(repo, { kind: 'staged' }))).toEqual(['.gitmodules'])
    expect(Object.keys(await contents(repo, { kind: 'worktree' }))).toEqual(['.gitmodules', 'b'])
    expect(Object.keys(await contents(repo, { kind: 'repository' }))).toEqual(['.gitmodules', 'a', 'b'])
    const set = await reader(repo.folder).changes({ kind: 'repository' }, never)
    const hostile = ['linked/secret.ts', '../secret.ts', 'link.ts', 'pipe.ts', 'module', 'nul\0']
    for await (const { path } of set.read(hostile, never)) expect(path).toBe('nothing')
  })

  it('says which file is there and cannot be read', async () => {
    const repo = Repo.init().commit({ a: '1', b: '1' }).stage({ a: '2', b: '2' })
    const oid = repo.git('hash-object', 'a').trim()
    rmSync(repo.path('.git/objects', oid.slice(0, 2), oid.slice(2)))
    repo.stage({ b: '3' })
    expect(await contents(repo, { kind: 'staged' })).toEqual({ a: undefined, b: '3' })
    const other = Repo.init().commit({ b: '1' })
    writeFileSync(Buffer.from(`${other.folder}/\xff.ts`, 'latin1'), 'x')
    expect(await contents(other, { kind: 'worktree' })).toEqual({ '\ufffd.ts': undefined })
  })

  it('reads the index a hook was handed, and no index of another repository', async () => {
    const repo = Repo.init().commit({ a: '1' })
    const other = Repo.init().commit({ z: '1' })
    repo.stage({ a: '2' })
    renameSync(repo.path('.git/index'), repo.path('.git/next-index-1.lock'))
    repo.git('reset', '-q')
    const staged = { kind: 'staged' } as const
    expect(await contents(repo, staged)).toEqual({})
    expect(await contents(repo, staged, reader(repo.folder, '.git/next-index-1.lock'))).toEqual({ a: '2' })
    expect(await contents(repo, staged, reader(repo.folder, other.path('.git/index')))).toEqual({})
    // Git passes no index of another name, wherever it lies.
    renameSync(repo.path('.git/next-index-1.lock'), repo.path('.git/other'))
    expect(await contents(repo, staged, reader(repo.folder, '.git/other'))).toEqual({})
  })

  it('lists what is tracked, and what is in the tree but deleted is left out', async () => {
    const repo = Repo.init().commit({ 'b.py': '1', 'a.py': '1', 'ß/a.PY': '1', c: '1' })
    rmSync(repo.path('a.py'))
    const tracked = await reader(repo.folder).tracked(undefined, never)
    expect([...tracked.find(['.py'])]).toEqual(['a.py', 'b.py', 'ß/a.PY'])
    expect(Object.keys(await contents(repo, { kind: 'repository' }))).toEqual(['b.py', 'c', 'ß/a.PY'])
    expect(await changes(repo, 'worktree')).toEqual([{ path: 'a.py', change: 'deleted' }])
  })

  it('lists branches that are merged, and not the one checked out', async () => {
    const repo = Repo.init('main').commit({ a: '1' })
    repo.git('branch', 'done')
    repo.git('branch', 'älter')
    repo.git('checkout', '-q', '-b', 'open')
    repo.commit({ b: '1' })
    repo.git('checkout', '-q', 'main')
    expect(await reader(repo.folder).mergedBranches(never)).toEqual(['done', 'älter'])
    expect(await reader(Repo.init().folder).mergedBranches(never)).toEqual([])
  })

  it('stops when it is aborted', async () => {
    const repo = Repo.init().commit({ a: '1' })
    const stop = AbortSignal.abort(new Error('enough'))
    await expect(reader(repo.folder).changes({ kind: 'staged' }, stop)).rejects.toThrow('enough')
  })
})

describe('local configuration', () => {
  it('reads, sets and unsets the keys under a prefix', async () => {
    const repo = Repo.init()
    const config = gitConfig({ folder: repo.folder, environment: process.env })
    expect(await config.read('warrant.', never)).toEqual(new Map())
    await config.write(
      new Map([
        ['warrant.installed', 'true'],
        ['warrant.sdd.session.updatedAt', 'two\nlines'],
        ['other.key', 'x'],
        ['warrant.never-set', undefined],
      ]),
      never,
    )
    expect([...(await config.read('warrant.', never))]).toEqual([
      ['installed', 'true'],
      ['sdd.session.updatedat', 'two\nlines'],
    ])
    expect([...(await config.read('warrant.sdd.session.', never))]).toEqual([['updatedat', 'two\nlines']])
    await config.write(new Map([['warrant.installed', undefined]]), never)
    expect((await config.read('warrant.', never)).has('installed')).toBe(false)
  })

  it('survives ten writers at once, and is a fault outside a repository', async () => {
    const repo = Repo.init()
    const config = gitConfig({ folder: repo.folder, environment: process.env })
    const writers = Array.from({ length: 10 }, (_, at) =>
      config.write(new Map([[`warrant.k${at}`, '1']]), never),
    )
    await Promise.all(writers)
    expect((await config.read('warrant.', never)).size).toBe(10)
    const nowhere = gitConfig({ folder: tmpdir(), environment: process.env })
    await expect(nowhere.read('warrant.', never)).rejects.toMatchObject({ kind: 'missing' })
    await expect(nowhere.write(new Map([['warrant.a', '1']]), never)).rejects.toMatchObject({
      code: 'git.failed',
    })
  })
})

describe('files of the repository', () => {
  it('are read by name, never past a limit or out of the repository', async () => {
    const repo = Repo.init().write({ 'a/b.json': '{}' })
    symlinkSync('/etc/passwd', repo.path('passwd'))
    const files = repositoryFiles(repo.folder)
    expect(Buffer.from((await files.read('a/b.json', 2)) ?? '').toString()).toBe('{}')
    expect(await files.read('../../etc/passwd', 1_000_000)).toBeUndefined()
    expect(await Promise.all(['a', 'a/b.json', 'c', '../..'].map((path) => files.exists(path)))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('are a fault where they exist and cannot be used, in the working tree and in a commit', async () => {
    const repo = Repo.init().write({ 'a/b.json': '{}', file: '' })
    symlinkSync('a', repo.path('folder'))
    symlinkSync('nowhere', repo.path('dangling'))
    symlinkSync('a/b.json', repo.path('link.json'))
    repo.git('add', '-A')
    repo.git('commit', '-q', '-m', 'links')
    const paths = {
      files: ['a/b.json', 'link.json', 'dangling', 'folder/b.json'],
      folders: ['a', 'file', 'folder'],
    }
    const committed = await reader(repo.folder).filesAt('HEAD', paths, never)
    if (committed === undefined) throw new Error('no commit')
    const read = (path: string) =>
      [path, (files: RepositoryFiles & FolderNames) => files.read(path, 1)] as const
    const list = (path: string) =>
      [path, (files: RepositoryFiles & FolderNames) => files.names(path)] as const
    for (const files of [repositoryFiles(repo.folder), committed]) {
      expect(await files.names('a')).toEqual(['b.json'])
      expect(Buffer.from((await files.read('a/b.json', 2)) ?? []).toString()).toBe('{}')
      expect([await files.read('a/c.json', 2), await files.names('b')]).toEqual([undefined, []])
      const unusable = [
        read('a/b.json'),
        read('a'),
        read('link.json'),
        read('dangling'),
        list('file'),
        list('folder'),
      ]
      for (const [path, use] of unusable)
        await expect(use(files), path).rejects.toMatchObject({ code: 'gate.file_unusable' })
    }
    for (const [path, use] of [read('folder/b.json'), read('file/b.json')])
      await expect(use(repositoryFiles(repo.folder)), path).rejects.toMatchObject({
        code: 'gate.file_unusable',
      })
    expect(await reader(Repo.init().folder).filesAt('HEAD', paths, never)).toBeUndefined()
  })
})
