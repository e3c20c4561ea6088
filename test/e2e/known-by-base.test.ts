import { describe, expect, it } from 'vitest'
import { gate, gateJson, places, readEvidence } from '../support/gate.ts'
import { findDifferences } from '../support/known-oracle.ts'
import { Repo } from '../support/repository.ts'

const RULE = `id: project.no-todo
language: typescript
severity: error
message: Not here.
rule: { pattern: todo() }
metadata: { severity: CRITICAL }
`
// Put together here, so that no scanner takes this file for a leak.
const key = (tail: string) => `export const key = '${['AKIA', 'Z7QXN4RTP2LKW6', tail].join('')}'\n`
const filler = Array.from({ length: 20 }, (_, at) => `export const a${at} = ${at}\n`).join('')
const OLD = `function first() {\n  todo()\n}\n${filler}function second() {\n  return 1\n}\n`

describe('what the base has', () => {
  const repo = Repo.init().commit({
    '.warrant/rules/todo.yml': RULE,
    'src/old.ts': OLD,
    'src/key.ts': key('HD'),
    'test/key.ts': key('AB'),
    'src/broken.ts': 'const broken = (1 +\n',
  })
  const base = repo.git('rev-parse', 'HEAD').trim()
  const propose = (files: Readonly<Record<string, string>>) => {
    repo.git('reset', '-q', '--hard', base)
    return repo.stage(files)
  }
  const list = (state: string) => {
    const report = gateJson(repo)
    return places({ ...report, findings: report.findings.filter((one) => one.state === state) })
  }

  it('is known, also on a line that the change moves or indents, and stops nothing at any stage', () => {
    propose({ 'src/old.ts': `// a comment\n${OLD.replace('  todo()', '  if (a)\n    todo()')}` })
    const report = gateJson(repo, ['--stage', 'PRE_COMMIT'])
    expect(report).toMatchObject({ code: 0, counts: { judged: 0, known: 1 } })
    expect(readEvidence(repo).snapshot).toMatchObject({ known_findings: 1, findings: [] })
    repo.git('commit', '-q', '--no-verify', '-m', 'change')
    for (const stage of ['PRE_PUSH', 'CI'])
      expect(gateJson(repo, ['--stage', stage, '--range', `${base}..HEAD`])).toMatchObject({
        code: 0,
        counts: { judged: 0, known: 1 },
      })
    expect(gateJson(repo, ['--all']).counts).toMatchObject({ known: 0 })
    expect(gate(repo, ['--all']).status).toBe(1)
  })

  it('is not what a change adds: one more of the same, or the same in another function', () => {
    propose({ 'src/old.ts': OLD.replace('  todo()', '  todo()\n  todo()') })
    expect(list('new')).toEqual(['project.no-todo src/old.ts:3'])
    propose({ 'src/old.ts': OLD.replace('  todo()\n', '').replace('  return 1', '  todo()\n  return 1') })
    expect(list('new')).toEqual(['project.no-todo src/old.ts:24'])
  })

  it('stays known when its function gets another name', () => {
    propose({ 'src/old.ts': OLD.replace('function first', 'function renamed') })
    expect([list('new'), list('known')]).toEqual([[], ['project.no-todo src/old.ts:2']])
  })

  it('is looked up under the old name of a file; a copy is new', () => {
    propose({})
    repo.git('mv', 'src/old.ts', 'src/moved.ts')
    repo.stage({ 'src/moved.ts': `${OLD}// moved\n` })
    expect([list('new'), list('known')]).toEqual([[], ['project.no-todo src/moved.ts:2']])
    propose({ 'src/copy.ts': OLD })
    expect(list('new')).toEqual(['project.no-todo src/copy.ts:2'])
  })

  it('compares a secret by its whole value, and where it is used', () => {
    propose({ 'src/key.ts': `// moved\n${key('HD')}` })
    expect([list('new'), list('known').length]).toEqual([[], 1])
    propose({ 'src/key.ts': key('HE') })
    expect(list('new')).toHaveLength(1)
    propose({})
    repo.git('mv', 'test/key.ts', 'src/live.ts')
    expect(list('new')).toHaveLength(1)
  })

  it('covers a syntax error that stands, and no other one', () => {
    propose({ 'src/broken.ts': '// a comment\nconst broken = (1 +\n' })
    expect([list('new'), list('known')]).toEqual([[], ['gate.parse-error src/broken.ts:2']])
    propose({ 'src/broken.ts': 'const other = [1\nconst broken = (1 +\n' })
    expect(list('new')).toHaveLength(1)
  })

  it('covers what either parent of a merge has', () => {
    propose({})
    repo.git('switch', '-q', '-c', 'other', base)
    repo.commit({ 'src/theirs.ts': OLD })
    repo.git('switch', '-q', '-c', 'ours', base)
    repo.commit({ 'src/ours.ts': 'export {}\n' })
    repo.git('merge', '-q', '--no-commit', 'other')
    expect([list('new'), list('known')]).toEqual([[], ['project.no-todo src/theirs.ts:2']])
    repo.stage({ 'src/theirs.ts': `${OLD}todo()\n` })
    expect(list('new')).toEqual(['project.no-todo src/theirs.ts:27'])
    repo.git('reset', '-q', '--hard')
  })

  it('is nothing where there is no base', () => {
    const empty = Repo.init().stage({ '.warrant/rules/todo.yml': RULE, 'src/old.ts': OLD })
    expect(gateJson(empty)).toMatchObject({ code: 1, counts: { judged: 1, known: 0 } })
  })
})

describe('generated changes', () => {
  it('have exactly the new findings that two whole scans tell apart', async () => {
    const { differences, seen } = await findDifferences(7, 12)
    expect(differences).toEqual([])
    // Or the generator has dried up.
    expect(seen.known).toBeGreaterThan(30)
    expect(seen.new).toBeGreaterThan(10)
  }, 120_000)
})
