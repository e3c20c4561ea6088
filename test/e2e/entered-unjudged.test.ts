import { rmSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { gate, gateJson } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'
import { SignedProject, TIMES } from '../support/signed-project.ts'

const EVAL = 'export const run = (text) => eval(text)\n'
const CLEAN = 'export const one = 1\n'
/** Its second line looks like an answer of git that names another commit. */
const BAD = `${CLEAN}export const run = (text) => eval(text) /* \u2028${'0'.repeat(40)} 1 2\u2028*/\n`
const RULE = `id: project.no-todo
language: javascript
severity: error
message: Not here.
rule: { pattern: todo() }
metadata: { severity: ERROR }
`

describe('what entered unjudged', () => {
  const project = new SignedProject()
  const { repo, machine } = project
  const head = () => repo.git('rev-parse', 'HEAD').trim()
  const list = (options: readonly string[] = ['--all']) =>
    gateJson(repo, options, { env: machine }).findings.flatMap(({ file, entered }) =>
      entered === undefined ? [] : [`${file} ${entered}`],
    )
  const say = (...options: readonly string[]) => gate(repo, ['--all', ...options], { env: machine }).stdout
  let bad = ''

  beforeAll(() => {
    // Setting up left the receipt of its first run.
    rmSync(repo.path('.warrant/receipts'), { recursive: true })
    repo.commit({ 'src/old.js': EVAL, '.warrant/rules/todo.yml': RULE })
    repo.git('switch', '-q', '-c', 'work')
    project.commit({ 'src/a.js': CLEAN })
    project.commit({ 'src/bad.js': BAD.replace('eval(text)', 'text') })
    project.commit({ 'src/bad.js': BAD }, '--no-verify')
    bad = head()
    project.commit({ 'src/bad.js': `${BAD}// judged\n` })
  }, 120_000)

  it('is listed with its commit, and what was there before the first receipt is not', () => {
    expect(list()).toEqual([`src/bad.js ${bad}`])
    const id = bad.slice(0, 12)
    const text = say()
    expect(text.match(/entered unjudged with .*/g)).toEqual([`entered unjudged with ${id}`])
    expect(text).toContain(
      `\n1 finding entered unjudged: warrant gate --range ${id}^..${id} judges a commit again.\n`,
    )
    const { results } = JSON.parse(say('--sarif')).runs[0]
    expect(results.flatMap((one: { properties: object }) => one.properties)).toContainEqual({
      severity: 'CRITICAL',
      entered: bad,
    })
  })

  it('is looked up for the whole repository alone, and only in files that are committed as they are', () => {
    expect(list(['--scope', 'worktree'])).toEqual([])
    expect(list(['--range', `${bad}^..${bad}`])).toEqual([])
    repo.write({ 'src/bad.js': `// moved\n${BAD}` })
    expect(list()).toEqual([])
    repo.git('checkout', '-q', '--', 'src/bad.js')
  })

  it('does not hide behind settings of the repository, which run no program', () => {
    repo.write({ 'ignored-commits': `${bad}\n`, '.git/info/attributes': '*.js diff=js\n' })
    repo.git('config', 'blame.ignoreRevsFile', 'ignored-commits')
    repo.git('config', 'diff.js.textconv', 'touch started; cat')
    expect(list()).toEqual([`src/bad.js ${bad}`])
    repo.git('config', '--unset', 'blame.ignoreRevsFile')
    expect(repo.git('status', '--porcelain')).toBe('?? ignored-commits\n')
    repo.git('clean', '-q', '-f')
  })

  it('stops nobody, and no later verdict about something else changes it', () => {
    project.commit({ 'src/c.js': CLEAN })
    project.commit({ 'src/d.js': CLEAN }, '--no-verify')
    expect(project.check('--judge', `${head()}^`)).toEqual(['covered'])
    // An amended commit has the receipt of its last version.
    repo.stage({ 'src/e.js': CLEAN })
    project.git('commit', '-q', '-m', 'amended', '--no-verify')
    repo.stage({ 'src/e.js': `${CLEAN}// changed\n` })
    project.git('commit', '-q', '--amend', '-m', 'again')
    expect(list()).toEqual([`src/bad.js ${bad}`])
  })

  it('stays listed when the look itself blocks nothing', () => {
    project.commit({ 'src/allowed.js': 'todo()\n' })
    project.commit({ 'src/todo.js': 'todo()\n', 'src/old.js': CLEAN, 'src/bad.js': CLEAN }, '--no-verify')
    for (const _ of ['first', 'second']) {
      expect(list()).toEqual([`src/todo.js ${head()}`])
      expect(say()).toContain('ALLOWED')
    }
  })

  it('is gone once it is repaired or judged', () => {
    expect(list(['--range', `${head()}^..${head()}`])).toEqual([])
    expect(list()).toEqual([])
    expect(say()).not.toContain('unjudged')
  })
})

it('a repository whose commits have no receipts says nothing; without listed keys those of this machine count', () => {
  const repo = Repo.init().commit({ 'a.js': CLEAN }).commit({ 'b.js': EVAL })
  for (const _ of ['first', 'second']) {
    const { notes = [], findings } = gateJson(repo, ['--all'])
    expect([notes.join().includes('unjudged'), findings[0]?.entered]).toEqual([false, undefined])
  }
  repo.stage({ 'c.js': CLEAN })
  expect(gate(repo, [], { env: TIMES }).status).toBe(0)
  repo.git('commit', '-q', '-m', 'judged')
  repo.commit({ 'd.js': EVAL })
  const { findings } = gateJson(repo, ['--all'])
  const entered = findings.map((one) => [one.file, one.entered])
  expect(entered).toEqual([
    ['b.js', undefined],
    ['d.js', repo.git('rev-parse', 'HEAD').trim()],
  ])
  // The verdict does not depend on what cannot be looked up.
  repo.commit({ '.warrant/keys.yml': 'keys: [' })
  const { status, stderr } = gate(repo, ['--all'])
  expect([status, stderr]).toEqual([1, expect.stringContaining('what entered unjudged is not known')])
})
