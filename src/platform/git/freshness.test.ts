import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gitFreshness } from './freshness.ts'

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
    expect(await gitFreshness(folder, clock, process.env).freshness(never)).toEqual({ at })
  })

  it('is silent where there is no git', async () => {
    const { folder } = makeRepository()
    expect(await gitFreshness(folder, clock, { PATH: '/nowhere' }).freshness(never)).toEqual({ at })
  })

  it('is not fooled by names with newlines, spaces and leading hashes', async () => {
    const { folder } = makeRepository()
    writeFileSync(join(folder, '# branch.head evil\n'), '')
    expect(await gitFreshness(folder, clock, process.env).freshness(never)).toEqual({
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
    await gitFreshness(folder, clock, process.env).freshness(never)
    expect(existsSync(sprung)).toBe(false)
  })

  describe('of a folder from an untrusted author', () => {
    const commit = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'one']
    /** A program to be run on each file, and the file that shows it was. */
    const trapFilter = (git: (...args: string[]) => string, folder: string, scope = '--local') => {
      const sprung = join(mkdtempSync(join(tmpdir(), 'warrant-trap-')), 'sprung')
      writeFileSync(join(folder, '.gitattributes'), '* filter=a=b\n')
      writeFileSync(join(folder, 'a.txt'), 'one')
      git('add', '.')
      git('config', scope, 'filter.a=b.clean', `touch '${sprung}'; cat`)
      // The same length at another time: git has to look inside.
      writeFileSync(join(folder, 'a.txt'), 'two')
      utimesSync(join(folder, 'a.txt'), 1, 1)
      return sprung
    }
    const freshness = (folder: string, environment = process.env) =>
      gitFreshness(folder, clock, environment).freshness(never)

    it.each(['--local', '--worktree'])('runs no filter of its %s configuration', async (scope) => {
      const { folder, git } = makeRepository()
      git('config', 'extensions.worktreeConfig', 'true')
      const sprung = trapFilter(git, folder, scope)
      expect(await freshness(folder)).toMatchObject({ dirty: true })
      expect(existsSync(sprung)).toBe(false)
    })

    it('runs no filter that its configuration includes', async () => {
      const { folder, git } = makeRepository()
      const sprung = trapFilter(git, folder)
      const config = join(folder, '.git', 'config')
      writeFileSync(join(folder, '.git', 'more'), readFileSync(config))
      writeFileSync(config, '[INCLUDE]\npath = more\n')
      await freshness(folder)
      expect(existsSync(sprung)).toBe(false)
    })

    it('runs no filter of a linked working tree', async () => {
      const { git } = makeRepository()
      git(...commit, '--allow-empty')
      const linked = join(mkdtempSync(join(tmpdir(), 'warrant-git-')), 'linked')
      git('worktree', 'add', '-q', linked)
      const sprung = trapFilter((...args) => git('-C', linked, ...args), linked)
      expect(await freshness(linked)).toMatchObject({ dirty: true })
      expect(existsSync(sprung)).toBe(false)
    })

    it('runs no filter of a submodule', async () => {
      const { folder, git } = makeRepository()
      const inner = join(folder, 'inner')
      const gitInner = (...args: string[]) => git('-C', inner, ...args)
      git('init', '-q', inner)
      gitInner(...commit, '--allow-empty')
      git('-c', 'advice.addEmbeddedRepo=false', 'add', 'inner')
      const sprung = trapFilter(gitInner, inner)
      await freshness(folder)
      expect(existsSync(sprung)).toBe(false)
    })

    it('takes files that look like a bare repository for files', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'warrant-git-'))
      const git = (...args: string[]) =>
        execFileSync('git', ['--git-dir=.', '--work-tree=.', ...args], { cwd: folder, encoding: 'utf8' })
      execFileSync('git', ['init', '-q', '--bare', folder])
      git('config', 'core.bare', 'false')
      git('config', 'core.worktree', folder)
      const sprung = trapFilter(git, folder)
      expect(await freshness(folder)).toEqual({ at })
      expect(existsSync(sprung)).toBe(false)
    })

    it('goes by no repository further up than the one it looked at', async () => {
      const { folder, git } = makeRepository()
      const sprung = trapFilter(git, folder)
      const decoy = join(folder, 'decoy')
      mkdirSync(join(decoy, '.git'), { recursive: true })
      writeFileSync(join(decoy, '.git', 'config'), '')
      expect(await freshness(decoy)).toEqual({ at })
      expect(existsSync(sprung)).toBe(false)
    })

    it('starts no git that is in the folder', async () => {
      const { folder } = makeRepository()
      const sprung = join(folder, 'sprung')
      writeFileSync(join(folder, 'git'), `#!/bin/sh\ntouch '${sprung}'\n`)
      chmodSync(join(folder, 'git'), 0o755)
      await freshness(folder, { ...process.env, PATH: ['.', '', process.env.PATH].join(delimiter) })
      expect(existsSync(sprung)).toBe(false)
    })
  })

  it("runs the user's own filter, whatever the repository says of it", async () => {
    const { folder, git } = makeRepository()
    const home = mkdtempSync(join(tmpdir(), 'warrant-home-'))
    const global = join(home, 'config')
    git('config', '--file', global, 'filter.mine.clean', 'tr a-z A-Z')
    writeFileSync(join(folder, '.git', 'info', 'attributes'), 'a.txt filter=mine\n')
    writeFileSync(join(folder, 'a.txt'), 'ONE')
    git('-c', 'filter.mine.clean=cat', 'add', '.')
    git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'one')
    git('config', 'filter.mine.clean', 'false')
    writeFileSync(join(folder, 'a.txt'), 'one')
    utimesSync(join(folder, 'a.txt'), 1, 1)
    const environment = { ...process.env, GIT_CONFIG_GLOBAL: global }
    expect(await gitFreshness(folder, clock, environment).freshness(never)).toMatchObject({ dirty: false })
  })

  it('looks at its own folder, whatever GIT_DIR says', async () => {
    const { folder } = makeRepository()
    const other = makeRepository()
    other.git('checkout', '-q', '-b', 'elsewhere')
    const environment = { ...process.env, GIT_DIR: join(other.folder, '.git') }
    expect(await gitFreshness(folder, clock, environment).freshness(never)).toMatchObject({ branch: 'main' })
  })
})
