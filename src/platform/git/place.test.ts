import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Repo } from '../../../test/support/repository.ts'
import { gitReader } from './reader.ts'

const never = new AbortController().signal
const newPath = (name: string) => join(mkdtempSync(join(tmpdir(), 'warrant-place-')), name)

/** The staged paths, or the code of the fault. */
const staged = async (folder: string, gitFolders: readonly string[] = [], environment = process.env) => {
  const git = gitReader({ folder, environment, gitFolders })
  const set = git.changes({ kind: 'staged' }, never)
  return set.then(
    ({ changes }) => changes.map(({ path }) => path),
    ({ code }: { code: string }) => code,
  )
}

const project = () => Repo.init().commit({ a: '1' })

describe('a repository whose git folder lies elsewhere and belongs to it', () => {
  it('is a linked worktree, also of a bare repository and of a submodule', async () => {
    const repo = project()
    const bare = new Repo()
    bare.git('clone', '-q', '--bare', repo.folder, '.')
    repo.git('submodule', '--quiet', 'add', repo.folder, 'module')
    for (const owner of [repo, bare, new Repo(repo.path('module'))]) {
      const tree = new Repo(newPath('tree'))
      owner.git('worktree', 'add', '-q', '-b', 'tree', tree.folder)
      expect(await staged(tree.stage({ b: '1' }).folder)).toEqual(['b'])
    }
    const inside = new Repo(repo.path('.worktrees/one'))
    repo.git('worktree', 'add', '-q', '-b', 'inside', inside.folder)
    expect(await staged(inside.stage({ c: '1' }).folder)).toEqual(['c'])
  })

  it('is a submodule', async () => {
    const repo = project()
    repo.git('submodule', '--quiet', 'add', repo.folder, 'deep/module')
    expect(await staged(new Repo(repo.path('deep/module')).stage({ b: '1' }).folder)).toEqual(['b'])
  })

  it('is reached by a link to the project', async () => {
    const link = newPath('link')
    symlinkSync(project().stage({ b: '1' }).folder, link)
    expect(await staged(link)).toEqual(['b'])
  })

  it('has a separate git folder, or borrows objects, that the operator allows', async () => {
    const repo = project()
    const separate = newPath('separate')
    const one = new Repo(newPath('one'))
    mkdirSync(one.folder)
    one.git('init', '-q', '--separate-git-dir', separate)
    one.stage({ b: '1' })
    expect(await staged(one.folder)).toBe('git.foreign_folder')
    expect(await staged(one.folder, [separate])).toEqual(['b'])
    const two = new Repo(newPath('two'))
    repo.git('clone', '-q', '--shared', repo.folder, two.folder)
    two.stage({ b: '1' })
    expect(await staged(two.folder)).toBe('git.foreign_folder')
    expect(await staged(two.folder, [repo.path('.git')])).toEqual(['b'])
  })
})

describe.runIf(process.getuid?.() === 0)('a repository of another user', () => {
  it('is read when safe.directory of the user allows it, and else not', async () => {
    const repo = project().stage({ b: '1' })
    const config = newPath('config')
    writeFileSync(config, '')
    const environment = { ...process.env, GIT_CONFIG_GLOBAL: config, GIT_CONFIG_NOSYSTEM: '1' }
    execFileSync('chown', ['-R', '65534', repo.folder])
    expect(await staged(repo.folder, [], environment)).toBe('git.failed')
    writeFileSync(config, `[safe]\ndirectory = ${repo.folder}\n`)
    expect(await staged(repo.folder, [], environment)).toEqual(['b'])
  })
})

describe('a repository whose git folder was put together by someone else', () => {
  it('does not pass for a worktree because it says so', async () => {
    const victim = project().stage({ secret: '1' })
    const root = new Repo()
    root.write({
      '.git': 'gitdir: fake/worktrees/x\n',
      'fake/worktrees/x/gitdir': `${root.path('.git')}\n`,
      'fake/worktrees/x/commondir': `${victim.path('.git')}\n`,
      'fake/worktrees/x/HEAD': 'ref: refs/heads/feature/x\n',
    })
    expect(await staged(root.folder)).toBe('git.foreign_folder')
  })

  it('does not use the worktree of another folder', async () => {
    const victim = project()
    const tree = newPath('tree')
    victim.git('worktree', 'add', '-q', tree)
    const root = new Repo().write({ '.git': `gitdir: ${victim.path('.git/worktrees/tree')}\n` })
    expect(await staged(root.folder)).toBe('git.foreign_folder')
  })

  it('has no dangling link that git would write through, and no link in its alternates', async () => {
    const dangling = project()
    renameSync(dangling.path('.git/config'), dangling.path('.git/old'))
    symlinkSync(newPath('nothing'), dangling.path('.git/config'))
    expect(await staged(dangling.folder)).toBe('git.foreign_folder')
    const linked = project()
    const list = newPath('list')
    writeFileSync(list, `${project().path('.git/objects')}\n`)
    symlinkSync(list, linked.path('.git/objects/info/alternates'))
    expect(await staged(linked.folder)).toBe('git.foreign_folder')
  })
})
