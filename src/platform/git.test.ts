import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gitRepository } from './git.ts'

const clock = { now: () => 0, elapsed: () => 0, after: () => () => {} }
const at = '1970-01-01T00:00:00.000Z'
const never = new AbortController().signal

const makeRepository = () => {
  const folder = mkdtempSync(join(tmpdir(), 'warrant-git-'))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
  git('init', '-q', '-b', 'main')
  return { folder, git }
}

describe('freshness', () => {
  it('is silent where there is no repository', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'warrant-git-'))
    expect(await gitRepository(folder, clock, process.env).freshness(never)).toEqual({ at })
  })

  it('is silent where there is no git', async () => {
    const { folder } = makeRepository()
    expect(await gitRepository(folder, clock, { PATH: '/nowhere' }).freshness(never)).toEqual({ at })
  })

  it('is not fooled by names with newlines, spaces and leading hashes', async () => {
    const { folder } = makeRepository()
    writeFileSync(join(folder, '# branch.head evil\n'), '')
    expect(await gitRepository(folder, clock, process.env).freshness(never)).toEqual({
      branch: 'main',
      dirty: true,
      at,
    })
  })

  it('runs nothing the repository configures', async () => {
    const { folder, git } = makeRepository()
    const trap = join(folder, 'trap.sh')
    const sprung = join(folder, 'sprung')
    writeFileSync(trap, `#!/bin/sh\ntouch '${sprung}'\n`)
    chmodSync(trap, 0o755)
    git('config', 'core.fsmonitor', trap)
    git('config', 'core.hooksPath', folder)
    git('config', 'alias.status', `!${trap}`)
    git('config', 'core.pager', trap)
    await gitRepository(folder, clock, process.env).freshness(never)
    expect(existsSync(sprung)).toBe(false)
  })

  it('looks at its own folder, whatever GIT_DIR says', async () => {
    const { folder } = makeRepository()
    const other = makeRepository()
    other.git('checkout', '-q', '-b', 'elsewhere')
    const environment = { ...process.env, GIT_DIR: join(other.folder, '.git') }
    expect(await gitRepository(folder, clock, environment).freshness(never)).toMatchObject({ branch: 'main' })
  })
})
