import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GIT_ENVIRONMENT, Repo } from '../../../../test/support/repository.ts'
import { addNotesFetch, removeNotesFetch } from './fetch-settings.ts'
import { gitNotes } from './git-notes.ts'

const never = new AbortController().signal
const environment = { ...process.env, ...GIT_ENVIRONMENT }
const startOf = ({ folder }: Repo) => ({ folder, environment })
const notesOf = (repo: Repo) => gitNotes(startOf(repo), () => Date.parse('2026-02-03T04:05:06Z'))
const append = (repo: Repo, object: string, ...lines: readonly string[]) =>
  notesOf(repo).append('warrant', new Map([[object, lines]]), never)
const readLines = async (repo: Repo, object: string) =>
  (await notesOf(repo).read('warrant', [object], never)).notes.get(object)
const [A, B] = ['a'.repeat(40), 'b'.repeat(40)] as const

const remoteWith = (...options: readonly string[]): { readonly bare: Repo; readonly clone: () => Repo } => {
  const source = Repo.init('main').commit({ a: '1' }).commit({ a: '2' })
  const bare = new Repo(`${source.folder}.git`)
  source.git('clone', '-q', '--bare', source.folder, bare.folder)
  let count = 0
  const clone = (): Repo => {
    const copy = new Repo(`${source.folder}-${++count}`)
    source.git('clone', '-q', ...options, `file://${bare.folder}`, copy.folder)
    return copy
  }
  return { bare, clone }
}

describe('notes of two clones', () => {
  it('are joined when both push, and fetched beside those of the clone', async () => {
    const { bare, clone } = remoteWith()
    const [one, two] = [clone(), clone()]
    for (const repo of [one, two]) expect(await addNotesFetch(startOf(repo), never)).toEqual(['origin'])
    // The remote has no notes yet: `git fetch` still works.
    one.git('fetch', '-q')
    await append(one, A, 'one')
    await append(two, A, 'two')
    await append(two, B, 'two')
    await notesOf(two).append('warrant-witness', new Map([[A, ['seen']]]), never)
    // A hook that pushes must not run itself again.
    writeFileSync(two.path('.git/hooks/pre-push'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    expect(await notesOf(one).push('origin', never)).toEqual({ isDone: true, warnings: [] })
    // What was pushed is remembered: pushing nothing new asks no remote.
    bare.git('config', 'receive.unpackLimit', 'broken')
    expect(await notesOf(one).push('origin', never)).toEqual({ isDone: true, warnings: [] })
    bare.git('config', '--unset', 'receive.unpackLimit')
    expect(await notesOf(two).push('origin', never)).toEqual({ isDone: true, warnings: [] })
    expect(bare.git('notes', '--ref=warrant', 'show', A).split('\n').sort()).toEqual(['', 'one', 'two'])
    expect(bare.git('for-each-ref', '--format=%(refname)', 'refs/notes').trim().split('\n')).toEqual([
      'refs/notes/warrant',
      'refs/notes/warrant-witness',
    ])
    expect(await readLines(one, B)).toBeUndefined()
    expect(await notesOf(one).fetch('origin', never)).toEqual({ isDone: true, warnings: [] })
    expect([await readLines(one, A), await readLines(one, B)]).toEqual([['one', 'two'], ['two']])
    // What `git fetch` of the user brings is read as well.
    await append(two, B, 'later')
    await notesOf(two).push('origin', never)
    one.git('fetch', '-q')
    expect(await readLines(one, B)).toEqual(['later', 'two'])
  }, 40_000)

  it('are all there after pushes at the same time, from a shallow clone too', async () => {
    const { bare, clone } = remoteWith('--depth=1')
    const clones = [clone(), clone(), clone()]
    await Promise.all(clones.map((repo, at) => append(repo, A, `clone ${at}`)))
    const pushed = await Promise.all(clones.map((repo) => notesOf(repo).push('origin', never)))
    expect(pushed.filter(({ isDone }) => !isDone)).toEqual([])
    expect(bare.git('notes', '--ref=warrant', 'show', A).trim().split('\n').sort()).toEqual([
      'clone 0',
      'clone 1',
      'clone 2',
    ])
  }, 60_000)

  it('that cannot be pushed are a warning that says why and what to do', async () => {
    const { bare, clone } = remoteWith()
    const repo = clone()
    await append(repo, A, '1')
    writeFileSync(bare.path('hooks/update'), '#!/bin/sh\necho no notes here >&2\nexit 1\n', { mode: 0o755 })
    expect(await notesOf(repo).push('origin', never)).toEqual({
      isDone: false,
      warnings: [
        'origin does not accept refs/notes/warrant: hook declined. The receipts stay in this clone. Allow this ref on the server, or let CI judge the change.',
      ],
    })
    repo.git('remote', 'set-url', 'origin', 'https://user:secret@127.0.0.1:9/x.git')
    const { isDone, warnings } = await notesOf(repo).push('origin', never)
    expect(isDone).toBe(false)
    expect(warnings.join()).toMatch(/^receipts could not be pushed to origin: fatal: .*127\.0\.0\.1/)
    expect(warnings.join()).not.toContain('secret')
    for (const name of ['--all', bare.folder, '.git'])
      expect(await notesOf(repo).fetch(name, never)).toMatchObject({ isDone: false })
    expect(await readLines(repo, A)).toEqual(['1'])
  }, 40_000)
})

describe('the fetch setting', () => {
  it('is added once to every remote, and removed so that not a byte remains', async () => {
    const repo = Repo.init()
    repo.git('remote', 'add', 'origin', 'https://example.org/x.git')
    repo.git('remote', 'add', 'up/stream', 'https://example.org/y.git')
    const config = repo.path('.git/config')
    const texts = [
      readFileSync(config, 'utf8'),
      `; mine\n${readFileSync(config, 'utf8')}[other]\n\tkey = 1\n# end`,
    ]
    for (const before of texts) {
      writeFileSync(config, before)
      expect(await addNotesFetch(startOf(repo), never)).toEqual(['origin', 'up/stream'])
      expect(await addNotesFetch(startOf(repo), never)).toEqual([])
      expect(repo.git('config', '--get-all', 'remote.origin.fetch').trim().split('\n')).toEqual([
        '+refs/heads/*:refs/remotes/origin/*',
        '+refs/notes/warrant*:refs/notes/remotes/origin/warrant*',
      ])
      expect(await removeNotesFetch(startOf(repo), never)).toEqual(['origin', 'up/stream'])
      expect(readFileSync(config, 'utf8')).toBe(before)
    }
    await addNotesFetch(startOf(repo), never)
    repo.git('remote', 'rename', 'origin', 'renamed')
    expect(await removeNotesFetch(startOf(repo), never)).toEqual(['renamed', 'up/stream'])
    expect(readFileSync(config, 'utf8')).not.toContain('notes')
  }, 20_000)
})
