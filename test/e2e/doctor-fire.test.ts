import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { BINARY, eventually } from '../support/binary.ts'
import { Repo } from '../support/repository.ts'
import { environment, run, takePicture, user } from '../support/setup-user.ts'

interface Row {
  readonly point: string
  readonly result: string
  readonly detail: string
  readonly found?: readonly string[]
}

/** The canaries and the file system of this user: nothing else writes to these folders. */
const temporary = user.path('temporary')
mkdirSync(temporary, { recursive: true })
const env = (extra: Readonly<Record<string, string>> = {}) => environment({ TMPDIR: temporary, ...extra })

const repo = Repo.init('main').commit({ 'src/a.ts': 'export const a = 1\n' })
const refs = () =>
  repo.git('for-each-ref') + repo.git('rev-parse', 'HEAD') + repo.git('status', '--porcelain')
const log = () => run(repo, ['log', 'entries'], env()).value.entries.length
const fire = (extra: Readonly<Record<string, string>> = {}) => {
  const { status, stderr, value } = run(repo, ['doctor', '--fire'], env(extra))
  const rows: readonly Row[] = value?.canaries ?? []
  return {
    status,
    stderr,
    results: Object.fromEntries(rows.map(({ point, result }) => [point, result])),
    rows,
  }
}

beforeAll(() => {
  expect(run(repo, ['init', '--yes', '--sandbox', '--clients', 'claude,codex'], env()).status).toBe(0)
})

/** What a sandbox shows depends on the machine: bubblewrap may be absent, or not be allowed to run. */
const { error, status: ran } = spawnSync('bwrap', ['--dev-bind', '/', '/', 'true'])
const SANDBOXED = error !== undefined ? 'does not block' : ran === 0 ? 'blocks' : 'cannot be shown'

/** It starts some eighty programs, one after the other. */
const FIRE_MS = 120_000

describe('doctor --fire', { timeout: FIRE_MS }, () => {
  it('shows what blocks, and leaves nothing behind', () => {
    const before = [takePicture(repo), refs(), log()]
    const { status, stderr, results, rows } = fire()
    expect([status, stderr]).toEqual([SANDBOXED === 'does not block' ? 1 : 0, ''])
    expect(results, JSON.stringify(rows)).toEqual({
      'agent claude': 'blocks',
      'sandbox claude': SANDBOXED,
      'after claude': 'found',
      'agent codex': 'skipped until trusted',
      'sandbox codex': SANDBOXED,
      'after codex': 'found',
      'git commit': 'blocks',
      'git push': 'blocks',
      CI: 'not set up',
    })
    expect(rows.filter(({ found }) => found !== undefined).map(({ found }) => found?.length)).toEqual([
      10, 10,
    ])
    expect([takePicture(repo), refs(), log()]).toEqual(before)
    expect(readdirSync(temporary)).toEqual([])
  })

  it('is not deceived by a hook that does nothing, an edited line, and a program that allows everything', () => {
    const liar = new Repo().write({
      'warrant.js': '#!/bin/sh\nexit 0\n',
      'bin/warrant': '#!/bin/sh\nexit 0\n',
    })
    chmodSync(liar.path('bin/warrant'), 0o755)
    const settings = spawnSync('cat', [repo.path('.claude/settings.json')], { encoding: 'utf8' }).stdout
    const hook = spawnSync('cat', [repo.path('.git/hooks/pre-commit')], { encoding: 'utf8' }).stdout
    repo.write({
      '.claude/settings.json': settings.replaceAll('warrant hook', 'true warrant hook'),
      '.git/hooks/pre-commit': '#!/bin/sh\nexit 0\n',
    })
    const { status, results, rows } = fire({ PATH: `${liar.path('bin')}:${env().PATH}` })
    repo.write({ '.claude/settings.json': settings, '.git/hooks/pre-commit': hook })
    expect(status).toBe(1)
    expect(results, JSON.stringify(rows)).toMatchObject({
      'agent claude': 'does not block',
      'agent codex': 'does not block',
      'git commit': 'does not block',
      'git push': 'blocks',
    })
    expect(rows.find(({ point }) => point === 'agent codex')?.detail).toContain(
      'a commit with --no-verify: allowed',
    )
    rmSync(liar.folder, { recursive: true })
  })

  it('does not write through a link that is committed', () => {
    const outside = new Repo().write({ 'one/package.json': '{}' })
    const hostile = Repo.init('main').commit({ 'src/a.ts': 'export {}\n' })
    symlinkSync(outside.folder, hostile.path('node_modules'))
    hostile.git('add', 'node_modules')
    hostile.git('commit', '-q', '--no-verify', '-m', 'link')
    rmSync(hostile.path('node_modules'))
    hostile.write({ 'node_modules/two/package.json': '{}' })
    expect(run(hostile, ['doctor', '--fire'], env()).status).toBe(3)
    expect(readdirSync(outside.folder)).toEqual(['one'])
    expect(readdirSync(temporary)).toEqual([])
  })

  it('removes its copy when it is interrupted', async () => {
    const before = [takePicture(repo), refs()]
    const child = spawn(process.execPath, [BINARY, 'doctor', '--fire'], { cwd: repo.folder, env: env() })
    const ended = new Promise((resolve) => child.once('close', resolve))
    await eventually('a copy', () => readdirSync(temporary).length > 0)
    await sleep(300)
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(readdirSync(temporary)).toEqual([])
    expect([takePicture(repo), refs()]).toEqual(before)
  })
})
