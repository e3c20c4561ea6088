import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GIT_ENVIRONMENT, Repo } from '../../../../test/support/repository.ts'
import { gitNotes } from './git-notes.ts'

const never = new AbortController().signal
const NOW = Date.parse('2026-02-03T04:05:06Z')
const notesOf = ({ folder }: Repo) =>
  gitNotes({ folder, environment: { ...process.env, ...GIT_ENVIRONMENT } }, () => NOW)
const id = (digit: string, length = 40): string => digit.repeat(length)
const readLines = async (repo: Repo, object: string) =>
  (await notesOf(repo).read('warrant', [object], never)).notes.get(object)
const append = (repo: Repo, object: string, ...lines: readonly string[]) =>
  notesOf(repo).append('warrant', new Map([[object, lines]]), never)

/** Replaces the notes of a repository by this tree: `<mode> <type> <id>\t<path>` lines of `git mktree`. */
const plant = (repo: Repo, ref: string, files: Readonly<Record<string, string | Buffer>>): void => {
  for (const [path, content] of Object.entries(files)) {
    writeFileSync(repo.path('.git/planted'), content)
    const blob = repo.git('hash-object', '-w', repo.path('.git/planted')).trim()
    repo.git('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`)
  }
  repo.git('update-ref', ref, repo.git('commit-tree', '-m', 'x', repo.git('write-tree').trim()).trim())
  repo.git('read-tree', '--empty')
}

describe('git notes', () => {
  it('are added to objects that need not exist, in one commit, as git reads them', async () => {
    const repo = Repo.init()
    const objects = [id('a'), id('b')]
    await notesOf(repo).append(
      'warrant',
      new Map(objects.map((one) => [one, ['{"b":1}', '{"a":"ñ"}']])),
      never,
    )
    await append(repo, id('a'), '{"c":1}', '{"a":"ñ"}')
    expect(await readLines(repo, id('a'))).toEqual(['{"a":"ñ"}', '{"b":1}', '{"c":1}'])
    expect(await readLines(repo, id('c'))).toBeUndefined()
    expect(
      repo
        .git('notes', '--ref=warrant', 'list')
        .split('\n')
        .map((line) => line.slice(41)),
    ).toEqual([...objects, ''])
    const log = repo.git('log', '--format=%an <%ae> %cI %G?', 'refs/notes/warrant')
    expect(log).toBe('warrant <warrant@localhost> 2026-02-03T04:05:06+00:00 N\n'.repeat(2))
    // A line that is there already makes no commit.
    await append(repo, id('a'), '{"c":1}')
    expect(repo.git('rev-list', '--count', 'refs/notes/warrant').trim()).toBe('2')
  }, 20_000)

  it('run no hook and no program of a configuration, and need no name of the user', async () => {
    const repo = Repo.init()
    const trap = `#!/bin/sh\ntouch ${repo.path('trapped')}\nexit 1\n`
    for (const hook of ['reference-transaction', 'post-commit', 'pre-commit', 'commit-msg'])
      writeFileSync(repo.path('.git/hooks', hook), trap, { mode: 0o755 })
    writeFileSync(repo.path('.git/trap'), trap, { mode: 0o755 })
    for (const [key, value] of [
      ['commit.gpgSign', 'true'],
      ['gpg.program', repo.path('.git/trap')],
      ['core.editor', repo.path('.git/trap')],
      ['user.useConfigOnly', 'true'],
    ] as const)
      repo.git('config', key, value)
    await gitNotes({ folder: repo.folder, environment: { PATH: process.env.PATH } }, () => NOW).append(
      'warrant',
      new Map([[id('a'), ['1']]]),
      never,
    )
    expect(await readLines(repo, id('a'))).toEqual(['1'])
    expect(existsSync(repo.path('trapped'))).toBe(false)
    expect(readdirSync(repo.path('.git')).filter((name) => name.startsWith('fast_import'))).toEqual([])
  }, 20_000)

  it('are found wherever git or a merge put them, here and from remotes', async () => {
    const repo = Repo.init()
    plant(repo, 'refs/notes/warrant', { [id('a')]: 'top\n', [`aa/${id('a', 38)}`]: 'deep\n' })
    plant(repo, 'refs/notes/remotes/origin/warrant', { [`aa/aa/${id('a', 36)}`]: 'origin\ntop' })
    plant(repo, 'refs/notes/remotes/a/b/warrant', { [id('a')]: 'other\n' })
    plant(repo, 'refs/notes/remotes/origin/warrant-witness', { [id('a')]: 'witness\n' })
    expect(await readLines(repo, id('a'))).toEqual(['deep', 'origin', 'other', 'top'])
    await append(repo, id('a'), 'new')
    expect(repo.git('notes', '--ref=warrant', 'list').trim().split('\n')).toHaveLength(1)
    expect(repo.git('ls-tree', '-r', '--name-only', 'refs/notes/warrant').trim()).toBe(`aa/${id('a', 38)}`)
    expect(await readLines(repo, id('a'))).toEqual(['deep', 'new', 'origin', 'other', 'top'])
  }, 20_000)

  it('are reported when they are too long, not UTF-8, not files, or no notes at all', async () => {
    const repo = Repo.init()
    const long = Buffer.from(`${'x'.repeat(99)}\n`.repeat(85_000))
    plant(repo, 'refs/notes/warrant', {
      [id('a')]: long,
      [id('b')]: Buffer.from('good\n\xff\xfe\n', 'latin1'),
    })
    plant(repo, 'refs/notes/remotes/tree/warrant', { [`${id('c')}/x`]: 'x' })
    const blob = repo.git('hash-object', '-w', repo.path('.git/HEAD')).trim()
    repo.git('update-ref', 'refs/notes/remotes/blob/warrant', blob)
    const { notes, problems } = await notesOf(repo).read('warrant', [id('a'), id('b'), id('c')], never)
    expect([...notes]).toEqual([
      [id('a'), ['x'.repeat(99)]],
      [id('b'), ['good']],
    ])
    expect(problems).toEqual([
      'refs/notes/remotes/blob/warrant cannot be read: it is damaged, or holds no notes',
      `refs/notes/remotes/tree/warrant: the note of ${id('c')} is not a file`,
      `refs/notes/warrant: the note of ${id('a')} is longer than 8388608 bytes`,
      `refs/notes/warrant: 1 lines of the note of ${id('b')} are not UTF-8`,
    ])
    // What cannot be read whole is not written anew; bytes that are not UTF-8 stay.
    expect(await append(repo, id('a'), 'new')).toEqual([id('a')])
    await append(repo, id('b'), 'new')
    const kept = repo.git('rev-parse', `refs/notes/warrant:${id('b').replace(/^../, '$&/')}`).trim()
    expect(repo.git('cat-file', '-s', kept).trim()).toBe('12')
  }, 20_000)

  it('are never written through a ref that is the name of a branch, or that holds no commit', async () => {
    const repo = Repo.init('main').commit({ a: '1' })
    const before = repo.git('rev-parse', 'main')
    repo.git('symbolic-ref', 'refs/notes/warrant', 'refs/heads/main')
    await expect(append(repo, id('a'), '1')).rejects.toMatchObject({ code: 'git.failed' })
    expect(repo.git('rev-parse', 'main')).toBe(before)
    repo.git('symbolic-ref', '-d', 'refs/notes/warrant')
    repo.git('update-ref', 'refs/notes/warrant', repo.git('rev-parse', 'HEAD:a').trim())
    await expect(append(repo, id('a'), '1')).rejects.toMatchObject({ code: 'git.failed' })
    await expect(append(repo, '--all', '1')).rejects.toMatchObject({ code: 'git.revision' })
  }, 20_000)

  it('lose no line of writers at the same time, with SHA-256 and in a linked worktree', async () => {
    const repo = new Repo()
    repo.git('init', '-q', '--object-format=sha256')
    repo.commit({ a: '1' })
    const linked = new Repo(`${repo.folder}-linked`)
    repo.git('worktree', 'add', '-q', linked.folder)
    const object = id('d', 64)
    const writers = [repo, linked, repo, linked].map((one, at) => append(one, object, `line ${at}`))
    expect(await Promise.all(writers)).toEqual([[], [], [], []])
    expect(await readLines(linked, object)).toEqual(['line 0', 'line 1', 'line 2', 'line 3'])
  }, 30_000)
})
