import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/support/binary.ts'
import { Repo } from '../../../../test/support/repository.ts'
import {
  compareRandomTrees,
  gitFolderDigest,
  TREE_ENVIRONMENT,
  treeOf,
} from '../../../../test/support/tree-ids.ts'
import { EMPTY_TREE, type Scope } from '../../../gate/ports.ts'

const STAGED: Scope = { kind: 'staged' }
const WORKTREE: Scope = { kind: 'worktree' }

const headTree = (repo: Repo): string => repo.git('rev-parse', 'HEAD^{tree}').trim()

/** The id that the index of a hook has while `git commit` waits for it, and the tree of the commit. */
const duringCommit = async (repo: Repo, args: readonly string[]) => {
  const [asked, answered] = [repo.path('.git/asked'), repo.path('.git/answered')]
  const hook = `#!/bin/sh\nprintf %s "$GIT_INDEX_FILE" > .git/asked.new; mv .git/asked.new .git/asked\nwhile ! test -e .git/answered; do sleep 0.02; done\nrm .git/asked .git/answered\n`
  writeFileSync(repo.path('.git/hooks/pre-commit'), hook)
  chmodSync(repo.path('.git/hooks/pre-commit'), 0o755)
  const options = { cwd: repo.folder, env: TREE_ENVIRONMENT, stdio: 'ignore' as const }
  const commit = spawn('git', ['commit', '-q', '-m', 'x', ...args], options)
  const ended = once(commit, 'exit')
  await eventually('the hook', () => existsSync(asked))
  const found = await treeOf(repo.folder, STAGED, readFileSync(asked, 'utf8'))
  writeFileSync(answered, '')
  expect(await ended).toEqual([0, null])
  return { found, committed: headTree(repo) }
}

describe('ids of trees', () => {
  it('are those of the commits that git makes, for random states', async () => {
    expect(await compareRandomTrees(1, 2)).toEqual([])
  }, 60_000)

  it('are those of the commit that a hook stops: all files, named files, amended', async () => {
    const repo = Repo.init().commit({ 'a/1': '1\n', 'a/2': '1\n', b: '1\n' })
    for (const args of [['-a'], ['--', 'a/1'], ['--amend', '-i', 'b']]) {
      repo.write({ 'a/1': `${args}\n`, 'a/2': `${args}\n`, b: `${args}\n` })
      const { found, committed } = await duringCommit(repo, args)
      expect(found, args.join(' ')).toBe(committed)
    }
  }, 20_000)

  it('exist before the first commit, and for nothing', async () => {
    const repo = Repo.init()
    expect(await treeOf(repo.folder, STAGED)).toBe(EMPTY_TREE)
    expect(await treeOf(repo.folder, WORKTREE)).toBe(EMPTY_TREE)
    const other = new Repo()
    other.git('init', '-q', '--object-format=sha256')
    const empty = other.git('hash-object', '-t', 'tree', '/dev/null').trim()
    expect(await treeOf(other.folder, STAGED)).toBe(empty)
  })

  it('are absent while a path is unmerged, until the working tree is all that counts', async () => {
    const repo = Repo.init('main').commit({ a: '1\n' })
    repo.git('checkout', '-q', '-b', 'side')
    repo.commit({ a: '2\n' }).git('checkout', '-q', 'main')
    repo.commit({ a: '3\n' })
    expect(() => repo.git('merge', '-q', 'side')).toThrow()
    repo.write({ a: 'merged\n' })
    const before = gitFolderDigest(repo.folder)
    expect(await treeOf(repo.folder, STAGED)).toBeUndefined()
    const found = await treeOf(repo.folder, WORKTREE)
    expect(gitFolderDigest(repo.folder)).toBe(before)
    repo.git('add', '-A')
    repo.git('commit', '-q', '-m', 'merge')
    expect(found).toBe(headTree(repo))
  })

  it('follow worktrees, submodules, sparse checkouts and what git ignores', async () => {
    const library = Repo.init().commit({ l: '1\n' })
    const repo = Repo.init('main').commit({ 'in/a': '1\n', 'out/deep/b': '1\n', '.gitignore': 'ignored\n' })
    repo.git('submodule', '--quiet', 'add', library.folder, 'lib')
    repo.git('commit', '-q', '-m', 'submodule')
    new Repo(repo.path('lib')).commit({ l: '2\n' })
    repo.write({ ignored: 'x', 'lib/dirty': 'x', 'in/new': 'x' }).git('add', 'in')
    const tree = await treeOf(repo.folder, WORKTREE)
    expect(await treeOf(repo.path('lib'), STAGED)).toBe(headTree(new Repo(repo.path('lib'))))
    expect(await treeOf(repo.folder, STAGED)).toBe(repo.git('write-tree').trim())
    repo.git('add', '-A')
    expect(tree).toBe(repo.git('write-tree').trim())
    repo.git('commit', '-q', '-m', 'all')
    const linked = new Repo(`${repo.folder}-linked`)
    repo.git('worktree', 'add', '-q', linked.folder)
    linked.git('sparse-checkout', 'set', '--sparse-index', 'in')
    linked.stage({ 'in/a': '2\n' })
    const staged = await treeOf(linked.folder, STAGED)
    expect(await treeOf(linked.folder, WORKTREE)).toBe(staged)
    expect(staged).toBe(linked.git('write-tree').trim())
  }, 20_000)

  it('are judged by the entries of the index, not by the ids that it stores for folders', async () => {
    const repo = Repo.init().commit({ 'a/1': '1\n' })
    const tree = () => repo.git('write-tree').trim()
    const folder = () => Buffer.from(repo.git('rev-parse', `${tree()}:a`).trim(), 'hex')
    repo.commit({ 'a/1': 'bad\n' })
    const [bad, badFolder] = [tree(), folder()]
    repo.stage({ 'a/1': 'good\n' })
    const [good, goodFolder] = [tree(), folder()]
    const index = readFileSync(repo.path('.git/index'))
    badFolder.copy(index, index.indexOf(goodFolder))
    // The checksum of the index covers everything before it.
    createHash('sha1')
      .update(index.subarray(0, -20))
      .digest()
      .copy(index, index.length - 20)
    writeFileSync(repo.path('.git/index'), index)
    // `git status` shows nothing staged, so nothing was judged; git would commit the other tree all the same.
    expect(await treeOf(repo.folder, WORKTREE)).toBeUndefined()
    expect([await treeOf(repo.folder, STAGED), tree()]).toEqual([bad, good])
  })

  it('follow files that moved, also into the place of a folder', async () => {
    const text = 'the same text\n'.repeat(9)
    const repo = Repo.init().commit({ 'a/b/c': text, 'd/e': '1\n', f: '2\n' })
    repo.git('mv', 'a/b/c', 'g')
    repo.git('rm', '-q', 'd/e')
    repo.git('mv', 'f', 'd')
    expect(await treeOf(repo.folder, STAGED)).toBe(repo.git('write-tree').trim())
  })

  it('of a range is the tree of its last commit', async () => {
    const repo = Repo.init().commit({ a: '1\n' }).commit({ a: '2\n' })
    const range: Scope = { kind: 'range', from: 'HEAD~1', to: 'HEAD' }
    expect(await treeOf(repo.folder, range)).toBe(headTree(repo))
  })
})
