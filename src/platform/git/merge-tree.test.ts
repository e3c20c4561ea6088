import { execFileSync } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Repo } from '../../../test/support/repository.ts'
import type { ChangeSet, FileReading, Scope } from '../../gate/ports.ts'
import { gitReader } from './reader.ts'

const never = new AbortController().signal
setMaxListeners(0, never)
const RANGE = { kind: 'range', from: 'main', to: 'topic' } as const
const LINES = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((one) => `line ${one}`)
const linesWith = (edits: Readonly<Record<number, string>>): string =>
  LINES.map((line, at) => `${edits[at] ?? line}\n`).join('')

const reader = (folder: string, environment: NodeJS.ProcessEnv = process.env) =>
  gitReader({ folder, environment })

const temporary = mkdtempSync(join(realpathSync(tmpdir()), 'warrant-tmp-'))
const kept = process.env.TMPDIR
const scratches = () => readdirSync(temporary).filter((name) => name.startsWith('warrant-merge-'))
beforeAll(() => {
  process.env.TMPDIR = temporary
})
afterAll(() => {
  if (kept === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = kept
})

const texts = async (readings: AsyncIterable<FileReading>) => {
  const found: [path: string, text: string | undefined][] = []
  for await (const { path, bytes } of readings) found.push([path, bytes && Buffer.from(bytes).toString()])
  return found
}

/** What a range changes: the content before and after, by path. */
const contents = async (set: ChangeSet) => {
  const paths = set.changes.map(({ path }) => path)
  return {
    before: Object.fromEntries(await texts(set.readBefore(paths, never))),
    after: Object.fromEntries(await texts(set.read(paths, never))),
  }
}

const objectFiles = (repo: Repo): string[] =>
  readdirSync(repo.path('.git', 'objects'), { recursive: true, encoding: 'utf8' }).sort()

/** `main` and `topic` parted after `first`, and each went on. */
const parted = (
  first: Readonly<Record<string, string>>,
  ours: Readonly<Record<string, string>>,
  theirs: Readonly<Record<string, string>>,
  repo = Repo.init('main'),
): Repo => {
  repo.commit(first).git('checkout', '-q', '-b', 'topic')
  repo.commit(theirs, 'theirs').git('checkout', '-q', 'main')
  return repo.commit(ours, 'ours')
}

const judge = async (repo: Repo, scope: Scope = RANGE, git = reader(repo.folder)) => {
  const set = await git.changes(scope, never)
  const told = { merged: set.merged, conflict: set.conflict, unmerged: set.unmerged }
  const result = { set, told, changes: set.changes, ...(await contents(set)), ids: await set.identify(never) }
  await set.close?.()
  return result
}

/** The tree that `git merge` makes, in a copy of the repository. */
const mergedByGit = (repo: Repo): string => {
  const copy = new Repo(join(mkdtempSync(join(temporary, 'copy-')), 'copy'))
  execFileSync('git', ['clone', '-q', repo.folder, copy.folder])
  copy.git('merge', '-q', '--no-edit', 'origin/topic')
  return copy.git('rev-parse', 'HEAD^{tree}').trim()
}

const oid = (repo: Repo, name: string): string => repo.git('rev-parse', name).trim()

describe('a range whose ends have parted', () => {
  it('is what the merge brings where both changed other files', async () => {
    const repo = parted({ a: '1', b: '1', c: '1' }, { a: '2', new: 'x' }, { b: '2' })
    const { set, told, changes, before, after, ids } = await judge(repo)
    expect(told).toEqual({ merged: mergedByGit(repo), conflict: undefined, unmerged: undefined })
    expect(changes).toEqual([{ path: 'b', change: 'modified' }])
    expect({ before, after }).toEqual({ before: { b: '1' }, after: { b: '2' } })
    expect(ids).toEqual([{ path: 'b', id: oid(repo, 'topic:b') }])
    expect([set.base, set.target, set.head]).toEqual([
      oid(repo, 'main~1'),
      oid(repo, 'main'),
      oid(repo, 'topic'),
    ])
    expect((await set.boundTree(never))?.id).toBe(oid(repo, 'topic^{tree}'))
  })

  it('has the lines of both where both changed one file', async () => {
    const [ours, theirs] = [linesWith({ 0: 'ours' }), linesWith({ 8: 'theirs' })]
    const repo = parted({ a: linesWith({}) }, { a: ours }, { a: theirs })
    const files = objectFiles(repo)
    const git = reader(repo.folder)
    const set = await git.changes(RANGE, never)
    const both = linesWith({ 0: 'ours', 8: 'theirs' })
    expect(await contents(set)).toEqual({ before: { a: ours }, after: { a: both } })
    // The same reader has the files of the merged tree, until the end.
    const tree = set.merged ?? ''
    expect(tree).toBe(mergedByGit(repo))
    const read = async () => (await git.filesAt(tree, { files: ['a'], folders: [] }, never))?.read('a', 1000)
    expect(String(await read())).toBe(both)
    const tracked = await git.tracked(tree, never)
    expect(await texts(tracked.read(['a'], never))).toEqual([['a', both]])
    expect([...tracked.entries()]).toEqual(await set.identify(never))
    expect(objectFiles(repo)).toEqual(files)
    expect(lstatSync(join(temporary, scratches()[0] ?? '')).mode & 0o777).toBe(0o700)
    await set.close?.()
    await set.close?.()
    expect(scratches()).toEqual([])
    expect(await reader(repo.folder).filesAt(tree, { files: [], folders: [] }, never)).toBeUndefined()
    // What is in the repository is read as before.
    expect(await git.filesAt('topic', { files: ['a'], folders: [] }, never)).toBeDefined()
  })

  it('is its own last tree where the merge has conflicts', async () => {
    const repo = parted({ a: '1', b: '1' }, { a: '2' }, { a: '3', b: '2' })
    const { told, before, after, set } = await judge(repo)
    expect(told).toEqual({ merged: undefined, conflict: true, unmerged: undefined })
    expect({ before, after }).toEqual({ before: { a: '1', b: '1' }, after: { a: '3', b: '2' } })
    expect(set.close).toBeUndefined()
    expect(scratches()).toEqual([])
  })

  it('has two merge bases where histories crossed', async () => {
    const repo = parted(
      { a: linesWith({}), b: '1' },
      { a: linesWith({ 0: 'A' }) },
      { a: linesWith({ 8: 'B' }) },
    )
    const [ours, theirs] = [oid(repo, 'main'), oid(repo, 'topic')]
    repo.git('merge', '-q', '--no-edit', theirs)
    repo.git('checkout', '-q', 'topic')
    repo.git('merge', '-q', '--no-edit', ours)
    repo.commit({ b: '2' }).git('checkout', '-q', 'main')
    repo.commit({ c: '1' })
    expect(repo.git('merge-base', '--all', 'main', 'topic').trim().split('\n')).toHaveLength(2)
    const { told, changes, set } = await judge(repo)
    expect(told.merged).toBe(mergedByGit(repo))
    expect(changes).toEqual([{ path: 'b', change: 'modified' }])
    expect(set.base).toBe(oid(repo, 'main').length > 0 && repo.git('merge-base', 'main', 'topic').trim())
  })

  it('carries an edit over to the new name of the other side', async () => {
    const repo = Repo.init('main').commit({ old: linesWith({}) })
    repo.git('checkout', '-q', '-b', 'topic')
    repo.commit({ old: linesWith({ 8: 'theirs' }) }).git('checkout', '-q', 'main')
    repo.git('mv', 'old', 'new')
    repo.commit({})
    const edited = await judge(repo)
    expect(edited.changes).toEqual([{ path: 'new', change: 'modified' }])
    expect(edited.after).toEqual({ new: linesWith({ 8: 'theirs' }) })
    const renamed = await judge(repo, { kind: 'range', from: 'topic', to: 'main' })
    expect(renamed.changes).toEqual([{ path: 'new', change: 'modified', from: 'old' }])
    expect(renamed.before).toEqual({ new: linesWith({ 8: 'theirs' }) })
  })

  it('is the same merge in a linked worktree, with alternates, and in a shallow clone', async () => {
    const repo = parted({ a: linesWith({}) }, { a: linesWith({ 0: 'A' }) }, { a: linesWith({ 8: 'B' }) })
    const tree = mergedByGit(repo)
    const worktree = new Repo(join(temporary, 'linked'))
    repo.git('worktree', 'add', '-q', '--detach', worktree.folder)
    expect((await judge(worktree)).told.merged).toBe(tree)
    const borrowing = new Repo(join(mkdtempSync(join(temporary, 'alt-')), 'clone'))
    execFileSync('git', ['clone', '-q', '--shared', repo.folder, borrowing.folder])
    borrowing.commit({ later: '1' })
    const git = gitReader({
      folder: borrowing.folder,
      environment: process.env,
      gitFolders: [repo.path('.git')],
    })
    const remote = { kind: 'range', from: 'origin/main', to: 'origin/topic' } as const
    expect((await judge(borrowing, remote, git)).told.merged).toBe(tree)
    repo.commit({ b: '1' })
    const shallow = new Repo(join(mkdtempSync(join(temporary, 'shallow-')), 'clone'))
    const url = `file://${repo.folder}`
    execFileSync('git', ['clone', '-q', '--depth=3', '--no-single-branch', url, shallow.folder])
    expect((await judge(shallow, remote)).told.merged).toBe(mergedByGit(repo))
  })

  it('is merged with SHA-256', async ({ skip }) => {
    const repo = new Repo(mkdtempSync(join(temporary, 'sha256-')))
    try {
      repo.git('init', '-q', '-b', 'main', '--object-format=sha256')
    } catch {
      skip()
    }
    parted({ a: linesWith({}) }, { a: linesWith({ 0: 'A' }) }, { a: linesWith({ 8: 'B' }) }, repo)
    const { told, after } = await judge(repo)
    expect(told.merged).toHaveLength(64)
    expect(after).toEqual({ a: linesWith({ 0: 'A', 8: 'B' }) })
  })

  it('starts no driver that the repository names', async () => {
    const repo = Repo.init('main')
    const proof = join(temporary, 'driver-ran')
    repo.git('config', 'merge.evil.driver', `touch ${proof}`)
    repo.git('config', 'merge.default', 'evil')
    repo.write({ '.git/info/attributes': '* merge=evil\n' })
    const first = { '.gitattributes': '* merge=evil\n', a: linesWith({}) }
    parted(first, { a: linesWith({ 0: 'A' }) }, { a: linesWith({ 8: 'B' }) }, repo)
    const { after } = await judge(repo)
    expect(after).toEqual({ a: linesWith({ 0: 'A', 8: 'B' }) })
    expect(existsSync(proof)).toBe(false)
    repo.git('merge', '-q', '--no-edit', 'topic')
    expect(existsSync(proof)).toBe(true)
  })

  it('is merged by many at once, in one reader and in many', async () => {
    const repo = parted({ a: linesWith({}) }, { a: linesWith({ 0: 'A' }) }, { a: linesWith({ 8: 'B' }) })
    const back = { kind: 'range', from: 'topic', to: 'main' } as const
    const shared = reader(repo.folder)
    const all = Array.from({ length: 12 }, (_, at) =>
      judge(repo, at % 2 ? RANGE : back, at % 3 ? shared : reader(repo.folder)),
    )
    const both = linesWith({ 0: 'A', 8: 'B' })
    for (const { after } of await Promise.all(all)) expect(after).toEqual({ a: both })
    // The objects of one merge stay when another one is closed.
    const [one, two] = [await shared.changes(RANGE, never), await shared.changes(RANGE, never)]
    await one.close?.()
    expect((await contents(two)).after).toEqual({ a: both })
    const files = await shared.filesAt(two.merged ?? '', { files: ['a'], folders: [] }, never)
    expect(String(await files?.read('a', 1000))).toBe(both)
    await two.close?.()
    expect(scratches()).toEqual([])
  })
})

describe('a range without a merge', () => {
  it.each([
    ['main~1', 'main', ['a']],
    ['main', 'main~1', []],
    ['main', 'main', []],
  ])('is the plain difference: %s..%s', async (from, to, paths) => {
    const repo = Repo.init('main').commit({ a: '1' }).commit({ a: '2' })
    const { changes, told, set } = await judge(repo, { kind: 'range', from, to })
    expect(changes.map(({ path }) => path)).toEqual(paths)
    expect([told.merged, told.conflict, told.unmerged, set.close]).toEqual(Array(4).fill(undefined))
  })

  it('is not merged where files of a partial clone were not fetched', async () => {
    const repo = parted({ a: linesWith({}) }, { a: linesWith({ 0: 'A' }) }, { a: linesWith({ 8: 'B' }) })
    repo.git('config', 'uploadpack.allowFilter', 'true')
    const partial = new Repo(join(mkdtempSync(join(temporary, 'partial-')), 'clone'))
    const url = `file://${repo.folder}`
    execFileSync('git', ['clone', '-q', '--filter=blob:none', '--no-checkout', url, partial.folder])
    const range = { kind: 'range', from: 'origin/main', to: 'origin/topic' } as const
    const set = await reader(partial.folder).changes(range, never)
    expect(set.unmerged).toMatch(/^git could not merge the commits: exit code \d+$/)
    expect(set.changes).toEqual([{ path: 'a', change: 'modified' }])
  })

  it('is the whole difference where the histories have nothing in common', async () => {
    const repo = Repo.init('main').commit({ a: '1' })
    repo.git('checkout', '-q', '--orphan', 'topic')
    repo.git('rm', '-q', '-f', 'a')
    repo.commit({ b: 'other' }, 'other')
    const { changes, told } = await judge(repo)
    expect(changes).toEqual([
      { path: 'a', change: 'deleted' },
      { path: 'b', change: 'added' },
    ])
    expect(told.merged).toBeUndefined()
  })

  it.each([
    ['echo "git version 2.34.1"', 129, 'git 2.34 cannot merge trees; 2.38 or newer can'],
    ['', 128, 'git could not merge the commits: exit code 128'],
    ['', 1, 'git could not merge the commits: exit code 1'],
  ])('says why: %s %i', async (version, code, unmerged) => {
    const repo = parted({ a: '1', b: '1' }, { a: '2' }, { b: '2' })
    const bin = mkdtempSync(join(temporary, 'bin-'))
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    const script = `#!/bin/sh
case "$*" in *merge-tree*) exit ${code};; *--version) ${version || ':'}; exit 0;; esac
exec ${real} "$@"
`
    writeFileSync(join(bin, 'git'), script)
    chmodSync(join(bin, 'git'), 0o755)
    const git = reader(repo.folder, { ...process.env, PATH: `${bin}:${process.env.PATH}` })
    const { told, after } = await judge(repo, RANGE, git)
    expect(told).toEqual({ merged: undefined, conflict: undefined, unmerged })
    expect(after).toEqual({ b: '2' })
    expect(scratches()).toEqual([])
  })
})

it('removes what was left an hour ago, and nothing else', async () => {
  const repo = parted({ a: '1', b: '1' }, { a: '2' }, { b: '2' })
  const [old, young, link] = ['old', 'young', 'link'].map((name) => join(temporary, `warrant-merge-${name}`))
  if (!old || !young || !link) throw new Error('three paths')
  const outside = mkdtempSync(join(temporary, 'outside-'))
  const before = new Date(Date.now() - 2 * 3_600_000)
  for (const path of [old, young]) mkdirSync(join(path, 'objects'), { recursive: true })
  symlinkSync(outside, link)
  symlinkSync(outside, join(old, 'inner'))
  writeFileSync(join(outside, 'mine'), '')
  utimesSync(old, before, before)
  lutimesSync(link, before, before)
  await judge(repo)
  expect(scratches().sort()).toEqual(['warrant-merge-link', 'warrant-merge-young'])
  expect(existsSync(join(outside, 'mine'))).toBe(true)
  execFileSync('rm', ['-r', young, link])
})

describe('a merge that is being committed', () => {
  const others = async (repo: Repo, kind: 'staged' | 'worktree', paths: readonly string[]) => {
    const set = await reader(repo.folder).changes({ kind }, never)
    const versions = set.otherParents?.map((read) => texts(read(paths, never))) ?? []
    return versions.length === 0 ? undefined : (await Promise.all(versions)).flat()
  }

  it.each(['staged', 'worktree'] as const)('has the contents of its other parents: %s', async (kind) => {
    const repo = Repo.init('main').commit({ a: '1', b: '1', moved: linesWith({}) })
    for (const name of ['one', 'two']) {
      repo.git('checkout', '-q', '-b', name, 'main')
      repo.commit({ [name]: name, b: name === 'two' ? '1' : '2' }, name)
    }
    repo.git('checkout', '-q', 'main')
    repo.commit({ c: '1' })
    expect(await others(repo, kind, ['a'])).toBeUndefined()
    repo.git('merge', '-q', '--no-commit', '--no-ff', 'one', 'two')
    repo.git('mv', 'moved', 'elsewhere')
    expect(await others(repo, kind, ['a', 'one', 'b', 'c', 'elsewhere', 'two'])).toEqual([
      ['a', '1'],
      ['one', 'one'],
      ['b', '2'],
      ['elsewhere', linesWith({})],
      ['a', '1'],
      ['b', '1'],
      ['elsewhere', linesWith({})],
      ['two', 'two'],
    ])
  })

  it('is none for a commit that is picked, nor for a link in the place of the file', async () => {
    const repo = parted({ a: '1' }, { a: '2' }, { a: '3' })
    expect(() => repo.git('cherry-pick', 'topic')).toThrow()
    expect(existsSync(repo.path('.git', 'CHERRY_PICK_HEAD'))).toBe(true)
    expect(await others(repo, 'staged', ['a'])).toBeUndefined()
    symlinkSync('CHERRY_PICK_HEAD', repo.path('.git', 'MERGE_HEAD'))
    expect(await others(repo, 'staged', ['a'])).toBeUndefined()
  })
})
