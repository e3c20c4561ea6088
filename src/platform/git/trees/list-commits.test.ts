import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { deflateSync, inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { Repo } from '../../../../test/support/repository.ts'
import { EMPTY_TREE } from '../../../gate/ports.ts'
import { gitReader } from '../reader.ts'

const never = new AbortController().signal
const commitsOf = ({ folder }: Repo, from: readonly string[], to: readonly string[]) =>
  gitReader({ folder, environment: process.env }).commits({ from, to }, never)
const idOf = (repo: Repo, name: string): string => repo.git('rev-parse', name).trim()

it('lists the commits of a range with their trees, and no replacement of them', async () => {
  const repo = Repo.init('main').commit({ a: '1' }).commit({ a: '2' })
  repo.git('checkout', '-q', '-b', 'side', 'HEAD~1')
  repo.commit({ b: '1' })
  repo.git('merge', '-q', '--no-ff', '-m', 'merge', 'main')
  const [first, main, head] = [idOf(repo, 'main~1'), idOf(repo, 'main'), idOf(repo, 'HEAD')]
  repo.git('replace', head, first)
  const commits = await commitsOf(repo, [main], [head])
  const git = (id: string) => repo.git('--no-replace-objects', 'rev-parse', `${id}^{tree}`).trim()
  expect(commits.map(({ id, parents }) => [id, parents])).toEqual([
    [commits[0]?.id, [first]],
    [head, [commits[0]?.id, main]],
  ])
  expect(commits.map(({ tree }) => tree)).toEqual(commits.map(({ id }) => git(id)))
  expect(commits[0]?.committed).toBe(Date.parse('2026-01-01T00:00:00Z'))
  expect(await commitsOf(repo, [EMPTY_TREE], [main])).toHaveLength(2)
  expect(await commitsOf(repo, [head], [main])).toEqual([])
})

it('refuses names, unknown commits, and commits whose content is not that of their id', async () => {
  const repo = Repo.init('main').commit({ a: '1' }).commit({ a: '2' })
  const [before, head] = [idOf(repo, 'HEAD~1'), idOf(repo, 'HEAD')]
  await expect(commitsOf(repo, [], ['--all'])).rejects.toMatchObject({ code: 'git.revision' })
  await expect(commitsOf(repo, [], ['1'.repeat(40)])).rejects.toMatchObject({ code: 'git.revision' })
  const object = repo.path('.git/objects', head.slice(0, 2), head.slice(2))
  const text = inflateSync(readFileSync(object)).toString('latin1')
  const forged = text.replace(/tree [0-9a-f]{40}/, `tree ${idOf(repo, 'HEAD~1^{tree}')}`)
  chmodSync(object, 0o644)
  writeFileSync(object, deflateSync(Buffer.from(forged, 'latin1')))
  await expect(commitsOf(repo, [before], [head])).rejects.toMatchObject({ code: 'git.revision' })
})

it('lists the newest commits alone, and which of a range changed lines or files last', async () => {
  const repo = Repo.init('main').commit({ 'a b': '1\n2\n3\n', ':x': '1\n' })
  for (const text of ['1\ntwo\n3\n', '1\ntwo\nthree\n']) repo.commit({ 'a b': text })
  const [start, two, three] = ['HEAD~2', 'HEAD~1', 'HEAD'].map((name) => idOf(repo, name))
  const git = gitReader({ folder: repo.folder, environment: process.env })
  const newest = await git.commits({ from: [], to: [`${three}`], newest: 2 }, never)
  expect(newest.map(({ id }) => id)).toEqual([two, three])
  const changes = async (path: string, ...lines: number[]) => [
    ...(await git.lastChanges(path, lines, `${start}..${three}`, never)),
  ]
  expect(await changes('a b', 3, 1, 2, 2)).toEqual([
    [1, start],
    [2, two],
    [3, three],
  ])
  expect(await changes('a b')).toEqual([[0, three]])
  // Not changed in the range, not a pattern, not there.
  for (const path of [':x', 'a*', '--all', 'none']) expect(await changes(path)).toEqual([])
  expect(await changes('none', 1)).toEqual([])
})
