import { describe, expect, it } from 'vitest'
import { gate, gateJson, places, readEvidence } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

const RULE = `id: project.no-todo
language: typescript
severity: error
message: Not here.
rule: { pattern: todo() }
metadata: { severity: CRITICAL }
`
// Put together here, so that no scanner takes this file for a leak.
const KEY = `const key = '${['AKIA', 'Z7QXN4RTP2LKW6HD'].join('')}'
`
const filler = Array.from({ length: 20 }, (_, at) => `export const a${at} = ${at}\n`).join('')
const OLD = `todo()\n${filler}`

describe('changed lines', () => {
  const repo = Repo.init().commit({ '.warrant/rules/todo.yml': RULE, 'src/old.ts': OLD, 'src/key.ts': KEY })
  const stageAll = (files: Readonly<Record<string, string>>) => {
    repo.git('reset', '-q', '--hard')
    return repo.stage(files)
  }
  const known = (report: ReturnType<typeof gateJson>) =>
    places({ ...report, findings: report.findings.filter(({ state }) => state === 'known') })

  it('let a comment be added to a file with an old finding, and count that finding', () => {
    stageAll({ 'src/old.ts': `${OLD}// a comment\n` })
    const report = gateJson(repo, ['--stage', 'PRE_COMMIT'])
    expect(report).toMatchObject({ code: 0, changed_lines: true, counts: { judged: 0, known: 1 } })
    expect(known(report)).toEqual(['project.no-todo src/old.ts:1'])
    expect(readEvidence(repo).snapshot).toMatchObject({ changed_lines: true, findings: [] })
    expect(gate(repo, ['--stage', 'PRE_COMMIT', '--no-changed-lines']).status).toBe(1)
  })

  it('judge what was added, what is next to it, and new files', () => {
    stageAll({
      'src/old.ts': `${OLD}todo()\n`,
      'src/new.ts': OLD,
    })
    expect(gateJson(repo)).toMatchObject({ code: 1, counts: { judged: 2, known: 1 } })
    stageAll({ 'src/old.ts': OLD.replace('a0 = 0', 'a0 = 1') })
    expect(gateJson(repo)).toMatchObject({ code: 1, counts: { judged: 1, known: 0 } })
  })

  it('compare a moved file with its old path', () => {
    stageAll({})
    repo.git('mv', 'src/old.ts', 'src/moved.ts')
    repo.stage({ 'src/moved.ts': `${OLD}// moved\n` })
    expect(gateJson(repo)).toMatchObject({ code: 0, counts: { judged: 0, known: 1 } })
  })

  it('never excuse a secret or a syntax error', () => {
    stageAll({ 'src/key.ts': `${KEY}${filler}const broken = (1 +\n` })
    const { findings, code } = gateJson(repo)
    expect(code).toBe(1)
    const judged = findings.filter(({ state }) => state === 'new')
    expect(judged.map(({ file, region, severity }) => [file, region?.line, severity])).toContainEqual([
      'src/key.ts',
      1,
      'CRITICAL',
    ])
    expect(judged.map(({ ruleId }) => ruleId)).toContain('gate.parse-error')
  })

  it('are not the measure of a push, nor of the whole repository', () => {
    stageAll({})
    const base = repo.git('rev-parse', 'HEAD').trim()
    repo.commit({ 'src/old.ts': `${OLD}// a comment\n` })
    const range = ['--stage', 'PRE_PUSH', '--range', `${base}..HEAD`]
    expect(gateJson(repo, range)).toMatchObject({ code: 1, counts: { judged: 1 } })
    expect(gateJson(repo, [...range, '--changed-lines'])).toMatchObject({ code: 0, counts: { known: 1 } })
    expect(gate(repo, ['--all', '--changed-lines']).stderr).toContain(
      '--changed-lines cannot be combined with --all',
    )
  })
})
