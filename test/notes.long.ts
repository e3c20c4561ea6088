import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { gitNotes } from '../src/platform/git/notes/git-notes.ts'
import { GIT_ENVIRONMENT, Repo } from './support/repository.ts'

const never = new AbortController().signal
const environment = { ...process.env, ...GIT_ENVIRONMENT }
const notesOf = ({ folder }: Repo) => gitNotes({ folder, environment }, () => 0)
const OBJECT = 'a'.repeat(40)
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const readLines = async (repo: Repo) =>
  (await notesOf(repo).read('warrant', [OBJECT], never)).notes.get(OBJECT)

it('lose no line of eight processes that write at the same time', async () => {
  const repo = Repo.init()
  const writers = Array.from({ length: 8 }, (_, at) =>
    spawn(
      process.execPath,
      [pathOf('../scripts/run.mjs'), pathOf('support/notes-writer.ts'), repo.folder, OBJECT, `w${at}`, '12'],
      { env: environment, stdio: ['ignore', 'ignore', 'inherit'] },
    ),
  )
  const codes = await Promise.all(writers.map(async (child) => (await once(child, 'exit'))[0]))
  expect(codes).toEqual(writers.map(() => 0))
  const all = writers.flatMap((_, writer) => Array.from({ length: 12 }, (__, at) => `w${writer}:${at}`))
  expect(await readLines(repo)).toEqual(all.sort())
})

it('lose no line of five clones that push at the same time, again and again', async () => {
  const bare = new Repo()
  bare.git('init', '-q', '--bare')
  const clones = Array.from({ length: 5 }, (_, at) => {
    const copy = new Repo(`${bare.folder}-${at}`)
    bare.git('clone', '-q', bare.folder, copy.folder)
    return copy
  })
  const written: string[] = []
  for (let round = 0; round < 6; round += 1) {
    const work = clones.map(async (repo, at) => {
      written.push(`${at}:${round}`)
      await notesOf(repo).append('warrant', new Map([[OBJECT, [`${at}:${round}`]]]), never)
      return notesOf(repo).push('origin', never)
    })
    // A push can lose against the others four times; then the next one brings its lines.
    for (const { warnings } of await Promise.all(work))
      for (const one of warnings) expect(one).toContain('at the same time')
  }
  for (const repo of clones) expect((await notesOf(repo).push('origin', never)).isDone).toBe(true)
  expect(bare.git('notes', '--ref=warrant', 'show', OBJECT).trim().split('\n').sort()).toEqual(written.sort())
})

it('give up on a remote that never answers', async () => {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const repo = Repo.init()
  repo.git('remote', 'add', 'origin', `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`)
  await notesOf(repo).append('warrant', new Map([[OBJECT, ['1']]]), never)
  const start = performance.now()
  const { isDone, warnings } = await notesOf(repo).push('origin', never)
  const seconds = (performance.now() - start) / 1000
  for (const socket of sockets) socket.destroy()
  server.close()
  expect([isDone, warnings.join()]).toEqual([false, expect.stringContaining('it took too long')])
  expect(seconds).toBeLessThan(30)
})
