import { beforeAll, describe, expect, it } from 'vitest'
import { judgeCommand } from '../../src/hooks/shell/judge-command.ts'
import { GuardedRepository, HUSKY } from '../support/guarded-repository.ts'
import { ORDINARY_COMMANDS, ORDINARY_WORK } from '../support/ordinary-work.ts'

/** Two agents and a person work in one repository: nothing of it is told, refused or asked about. */

const STEPS = 125
const OWN_PATHS = ['.git/hooks', '.git/config', '.warrant', '.claude/settings.json'].map(
  (path) => `/home/me/project/${path}`,
)
const kinds = Object.entries(ORDINARY_WORK)

describe.each([
  ['plain hooks', 'true', 'warrant init --yes --clients none >/dev/null'],
  ['husky', HUSKY, HUSKY],
])('with %s', (_, prepare, install) => {
  const guarded = new GuardedRepository(prepare)
  const other = guarded.home.path('other')
  beforeAll(() => guarded.shell(`git clone -q ${guarded.remote.folder} ${other}`))

  it('a thousand events are answered with nothing', async () => {
    const told: string[] = []
    for (let at = 0; at < STEPS; at++) {
      // The number of kinds has no divisor with 7, so each one comes after another one.
      const [name = '', script = ''] = kinds[(at * 7) % kinds.length] ?? []
      const text = script
        .replace('OTHER', `cd ${other}; git switch -q main; git pull -q; git reset -q --hard origin/main`)
        .replace('INSTALL', install)
      guarded.shell(`N=${at}; ${text}`)
      for (const command of ['git status', 'npm test', 'ls', 'cat README.md']) {
        const answers = ['one', 'two'].map((session) => guarded.meanwhile(command, session))
        for (const answer of await Promise.all(answers)) if (answer !== '') told.push(`${name}: ${answer}`)
      }
    }
    expect(told).toEqual([])
  })
})

describe('ordinary commands', () => {
  const places = {
    root: '/home/me/project',
    home: '/home/me',
    folder: '/home/me/project',
    ownPaths: OWN_PATHS,
  }

  it('are allowed, all 500 of them', () => {
    expect(ORDINARY_COMMANDS.length).toBeGreaterThanOrEqual(500)
    expect(
      ORDINARY_COMMANDS.filter((command) => judgeCommand(command, places).verdict !== undefined),
    ).toEqual([])
  })
})
