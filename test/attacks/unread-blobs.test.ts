import { rmSync, symlinkSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { LOG } from '../support/gate.ts'
import { SignedProject } from '../support/signed-project.ts'

/** Ways to have the gate judge other bytes than those that are committed afterwards. */

const CLEAN = `${' '.repeat(LOG.length - 1)}\n`
const project = new SignedProject()
const { repo } = project
afterAll(sweep)

/** Puts `LOG` under the path into the index, and something that the gate passes on the disk. */
const HIDE: Readonly<Record<string, (path: string) => void>> = {
  'skip-worktree': (path) => {
    repo.stage({ [path]: LOG }).git('update-index', '--skip-worktree', path)
    repo.write({ [path]: CLEAN })
  },
  'assume-unchanged': (path) => {
    repo.stage({ [path]: LOG }).git('update-index', '--assume-unchanged', path)
    repo.write({ [path]: CLEAN })
  },
  'skip-worktree and no file': (path) => {
    repo.stage({ [path]: LOG }).git('update-index', '--skip-worktree', path)
    rmSync(repo.path(path))
  },
  'assume-unchanged and no file': (path) => {
    repo.stage({ [path]: LOG }).git('update-index', '--assume-unchanged', path)
    rmSync(repo.path(path))
  },
  'a sparse checkout': (path) => {
    repo.stage({ [path]: LOG })
    repo.git('sparse-checkout', 'set', '--no-cone', '/*', `!/${path}`)
  },
}
const PATHS = ['src/a.ts', 'src/deep/er/b.js', 'src/c d.tsx', 'src/\u00e9.ts', 'e.mjs']
const LOOKS: Readonly<Record<string, readonly string[]>> = {
  'the working tree': ['--scope', 'worktree'],
  'all files': ['--all'],
}
const ROWS = Object.keys(HIDE).flatMap((way) =>
  PATHS.flatMap((path) => Object.keys(LOOKS).map((look) => [way, path, look] as const)),
)

let branches = 0
const begin = () => {
  repo.git('sparse-checkout', 'disable')
  branches += 1
  project.branch(`hidden-${branches}`)
  repo.git('clean', '-qfd')
}

describe('a receipt covers no blob that the gate did not read', () => {
  it.each(someRows(ROWS, 7))('behind %s, as %s, in a look at %s', (way, path, look) => {
    begin()
    HIDE[way]?.(path)
    const { status, value } = project.warrant(['gate', '--stage', 'PRE_COMMIT', ...(LOOKS[look] ?? [])])
    project.git('commit', '-q', '--no-verify', '-m', 'hidden')
    expect(repo.git('show', `HEAD:${path}`)).toBe(LOG)
    expect(project.check()).not.toEqual(['covered'])
    if (status === 0) expect(JSON.stringify(value.notes)).toContain('receipt is partial')
  })

  it.each(Object.entries(LOOKS))('behind a link that git does not know, in a look at %s', (_, look) => {
    begin()
    symlinkSync(LOG.trim(), repo.path('linked.ts'))
    project.warrant(['gate', '--stage', 'PRE_COMMIT', ...look])
    repo.git('add', '-A')
    project.git('commit', '-q', '--no-verify', '-m', 'link')
    expect(project.check()).toEqual(['missing'])
  })

  it('in a text that is too large to be read', () => {
    begin()
    const key = ['AKIA', 'Z7QXN4RTP2LKW6HD'].join('')
    repo.stage({ 'data.txt': `${'x\n'.repeat(9 * 1024 * 1024)}${key}\n` })
    const { said } = project.tryGit(['commit', '-q', '-m', 'large'], { WARRANT_PROFILE: 'default' })
    expect(said).toContain(
      'The receipt is partial and covers no commit: rules did not read what the tree has of data.txt.',
    )
    expect(project.check()).toEqual(['missing'])
  })

  it('and is not partial for ordinary work, whatever the ends of its lines', () => {
    begin()
    repo.git('config', 'core.autocrlf', 'true')
    repo.write({
      'src/a.ts': 'export {}\r\nexport {}\r\n',
      'docs/b c.md': '# B\n',
      'src/\u00e9.ts': 'export {}\n',
    })
    const { status, value } = project.warrant(['gate', '--stage', 'PRE_COMMIT'])
    expect([status, value.source, value.notes]).toEqual([0, 'git:worktree', undefined])
    repo.git('add', '-A')
    project.git('commit', '-q', '--no-verify', '-m', 'ordinary')
    repo.git('config', '--unset', 'core.autocrlf')
    expect(repo.git('show', 'HEAD:src/a.ts')).not.toContain('\r')
    expect(project.check()).toEqual(['covered'])
  })
})
