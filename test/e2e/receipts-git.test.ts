import { readFileSync, realpathSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeFolder } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { Repo } from '../support/repository.ts'
import { SignedProject } from '../support/signed-project.ts'

/** What keeps the receipts of commits, and what loses them. */

const text = (name: string) => `export const ${name} = 1\n`
const project = new SignedProject()
const { repo } = project
const git = (...args: readonly string[]) => project.git(...args)
const change = (name: string) => repo.stage({ [`src/${name}.ts`]: text(name) })

beforeAll(() => {
  // Two commits that were judged, and a target that moved meanwhile.
  project.branch('work')
  for (const name of ['a', 'b']) {
    change(name)
    git('commit', '-q', '-m', name)
  }
  project.branch('moved').commit({ 'src/m.ts': text('m') })
})

interface Row {
  readonly name: string
  readonly make: () => void
  /** For each commit since the base, oldest first. */
  readonly says: readonly string[]
  readonly base?: string
}

const KEPT = 'covered'
const LOST = 'missing'

/** A target with a commit of its own, so that no row finds the receipts of another one. */
const moveTarget = (name: string) => {
  git('switch', '-q', '-C', 'target', 'moved')
  repo.commit({ [`src/${name}.ts`]: text(name) })
}

const amend = (...options: readonly string[]) => git('commit', '-q', '--amend', '-m', 'again', ...options)

const ROWS: readonly Row[] = [
  { name: 'amend: message', make: () => amend(), says: [KEPT, KEPT] },
  { name: 'amend: message, without the hook', make: () => amend('--no-verify'), says: [KEPT, KEPT] },
  {
    name: 'amend: content',
    make: () => {
      change('amended')
      amend()
    },
    says: [KEPT, KEPT],
  },
  {
    name: 'amend: content, without the hook',
    make: () => {
      change('sneaked')
      amend('--no-verify')
    },
    says: [KEPT, LOST],
  },
  {
    name: 'rebase: same base',
    make: () => git('rebase', '-q', '--force-rebase', 'origin/main'),
    says: [KEPT, KEPT],
  },
  { name: 'rebase: moved base', make: () => git('rebase', '-q', 'moved'), says: [LOST, LOST], base: 'moved' },
  {
    name: 'rebase: other order',
    make: () => {
      git('reset', '-q', '--hard', 'origin/main')
      git('cherry-pick', 'work', 'work^')
    },
    says: [LOST, KEPT],
  },
  {
    name: 'squash',
    make: () => {
      git('reset', '-q', '--soft', 'origin/main')
      git('commit', '-q', '--no-verify', '-m', 'squashed')
    },
    says: [KEPT],
  },
  {
    name: 'fixup of the last commit, autosquash',
    make: () => {
      change('fixed')
      git('commit', '-q', '--fixup', 'HEAD')
      git('-c', 'sequence.editor=true', 'rebase', '-q', '-i', '--autosquash', 'origin/main')
    },
    says: [KEPT, KEPT],
  },
  {
    name: 'fixup of an earlier commit, autosquash',
    make: () => {
      change('fixed2')
      git('commit', '-q', '--fixup', 'HEAD^')
      git('-c', 'sequence.editor=true', 'rebase', '-q', '-i', '--autosquash', 'origin/main')
    },
    says: [LOST, KEPT],
  },
  {
    name: 'cherry-pick to the same parent',
    make: () => {
      git('reset', '-q', '--hard', 'origin/main')
      git('cherry-pick', 'work^')
    },
    says: [KEPT],
  },
  {
    name: 'cherry-pick to another parent',
    make: () => {
      moveTarget('picked')
      git('switch', '-q', '--detach')
      git('cherry-pick', 'work^')
    },
    says: [LOST],
    base: 'target',
  },
  {
    name: 'merge: fast-forward',
    make: () => {
      git('reset', '-q', '--hard', 'origin/main')
      git('merge', '-q', '--ff-only', 'work')
    },
    says: [KEPT, KEPT],
  },
  {
    name: 'merge: merge commit, target not moved',
    make: () => {
      git('reset', '-q', '--hard', 'origin/main')
      git('merge', '-q', '--no-ff', '-m', 'merge', 'work')
    },
    says: [KEPT, KEPT, KEPT],
  },
  {
    name: 'merge: merge commit, both sides changed',
    make: () => {
      moveTarget('merged')
      git('switch', '-q', '--detach', 'work')
      git('merge', '-q', '-m', 'merge', 'target')
    },
    says: [KEPT, KEPT, LOST],
    base: 'target',
  },
  {
    name: 'merge: conflict, resolved and committed',
    make: () => {
      git('reset', '-q', '--hard', 'moved')
      repo.commit({ 'src/a.ts': text('other') })
      repo.git('branch', '-qf', 'conflict')
      git('reset', '-q', '--hard', 'work')
      expect(project.tryGit(['merge', '-q', 'conflict']).status).not.toBe(0)
      repo.stage({ 'src/a.ts': text('both') })
      git('commit', '-q', '-m', 'merged')
    },
    says: [KEPT, KEPT, KEPT],
    base: 'conflict',
  },
  {
    name: 'revert of the last commit',
    make: () => git('revert', '--no-edit', 'HEAD'),
    says: [KEPT, KEPT, KEPT],
  },
  {
    name: 'revert of an earlier commit',
    make: () => {
      change('third')
      git('commit', '-q', '-m', 'third')
      git('revert', '--no-edit', 'HEAD^')
    },
    says: [KEPT, KEPT, KEPT, LOST],
  },
  {
    name: 'detached head',
    make: () => {
      git('switch', '-q', '--detach')
      change('detached')
      git('commit', '-q', '-m', 'detached')
    },
    says: [KEPT, KEPT, KEPT],
  },
  {
    name: 'empty commit, without the hook',
    make: () => git('commit', '-q', '--no-verify', '--allow-empty', '-m', 'empty'),
    says: [KEPT, KEPT, KEPT],
  },
  {
    name: '`git commit -a`, with a new file that is not staged',
    make: () => {
      repo.write({ 'src/a.ts': text('changed'), 'src/new.ts': text('later') })
      git('commit', '-q', '-a', '-m', 'all')
      git('clean', '-qf', 'src')
    },
    says: [KEPT, KEPT, KEPT],
  },
  {
    name: '`git commit PATH`, with other files staged',
    make: () => {
      change('staged')
      repo.write({ 'src/b.ts': text('partial') })
      git('commit', '-q', '-m', 'partial', 'src/b.ts')
    },
    says: [KEPT, KEPT, KEPT],
  },
]

/** The first two cells of a row in docs/receipts.md. */
const cellsOf = ({ name, says }: Row): string => {
  const lost = says.filter((one) => one === LOST).length
  const worth =
    lost === 0 ? 'kept' : lost === says.length ? 'lost' : `lost by ${lost} of ${says.length} commits`
  return `| ${name} | ${worth} |`
}

describe('the receipts of commits', () => {
  it('are described by the same rows in docs/receipts.md', () => {
    const page = readFileSync(new URL('../../docs/receipts.md', import.meta.url), 'utf8')
    expect(ROWS.map(cellsOf).filter((cells) => !page.includes(cells))).toEqual([])
  })

  it.each(someRows(ROWS, 3))('are as the table says after $name', ({ make, says, base }) => {
    repo.git('reset', '-q', '--hard')
    repo.git('switch', '-q', '-C', 'row', 'work')
    make()
    expect(project.check(undefined, base)).toEqual(says)
    if (says.includes(LOST)) expect(project.check('--judge', base)).toEqual(says.map(() => KEPT))
  })

  it('are found in every worktree, wherever the commits were made', async () => {
    const folder = realpathSync(await makeFolder())
    repo.git('worktree', 'add', '-q', '--detach', folder, 'work')
    const tree = new Repo(folder)
    tree.stage({ 'src/w.ts': text('w') })
    expect(project.tryGit(['commit', '-q', '-m', 'w'], {}, folder).status).toBe(0)
    expect(project.check(undefined, undefined, folder)).toEqual([KEPT, KEPT, KEPT])
    repo.git('reset', '-q', '--hard')
    repo.git('switch', '-q', '--detach', tree.git('rev-parse', 'HEAD').trim())
    expect(project.check()).toEqual([KEPT, KEPT, KEPT])
    const { status } = project.tryGit(['push', '-q', 'origin', 'HEAD:refs/heads/w'], {}, folder)
    expect(status).toBe(0)
    expect(project.build('w').code).toBe(0)
  })

  it('of a superproject cover the commit of a submodule by its id', () => {
    const inner = Repo.init('main').commit({ 'src/i.ts': text('i') })
    repo.git('reset', '-q', '--hard')
    repo.git('switch', '-q', '-C', 'submodule', 'work')
    repo.git('submodule', '--quiet', 'add', inner.folder, 'inner')
    git('commit', '-q', '-m', 'submodule')
    expect(project.check(undefined, 'work')).toEqual([KEPT])
  })

  it('are found in a shallow clone and on another machine, once they are fetched', () => {
    repo.git('reset', '-q', '--hard')
    repo.git('switch', '-q', 'work')
    git('push', '-q', 'origin', 'work')
    expect(project.build('work')).toMatchObject({ code: 0, findings: [] })
    const shallow = new Repo()
    shallow.git('clone', '-q', '--depth', '2', '-b', 'work', `file://${project.remote.folder}`, '.')
    shallow.git('fetch', '-q', 'origin', '+refs/notes/warrant*:refs/notes/remotes/origin/warrant*')
    expect(project.check(undefined, 'HEAD^', shallow.folder)).toEqual([KEPT])
  })

  it('are the same in a repository with SHA-256', () => {
    const wide = new SignedProject(['--object-format=sha256'])
    wide.branch('wide').commit({ 'src/a.ts': text('a') })
    wide.commit({ 'src/b.ts': text('b') }, '--no-verify')
    expect(wide.check()).toEqual([KEPT, LOST])
    expect(wide.check('--judge')).toEqual([KEPT, KEPT])
    wide.git('push', '-q', 'origin', 'wide')
    expect(wide.build('wide')).toMatchObject({ code: 0, findings: [] })
  })
})
