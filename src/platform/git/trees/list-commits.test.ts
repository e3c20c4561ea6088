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
