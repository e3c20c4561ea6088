import { statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BACKEND, gate, gateJson, LOG, places, readEvidence, useSeedProfile } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

useSeedProfile()

/** Ways in which gates are known to fail. Each test fails on the failure it is named after. */

const backend = () => Repo.init().commit({ 'package.json': BACKEND, 'src/ok.ts': 'export {}\n' })
const rule = (body: string) => `id: project.no-todo
language: typescript
severity: error
message: Not here.
rule: { pattern: todo() }
${body}`

describe('a gate that can be relied on', () => {
  it('reports every file and every place at once, not one a run', () => {
    const repo = backend().stage({ 'src/a.ts': `${LOG}${LOG}`, 'src/b.ts': LOG, 'src/c.ts': LOG })
    expect(places(gateJson(repo))).toEqual([
      'backend.no-console-log src/a.ts:1',
      'backend.no-console-log src/a.ts:2',
      'backend.no-console-log src/b.ts:1',
      'backend.no-console-log src/c.ts:1',
    ])
    expect(readEvidence(repo).snapshot.findings).toHaveLength(4)
  })

  it('reads patterns of files whole: rules look where they should and nowhere else', () => {
    const queue = 'let queue = DispatchQueue.main\n'
    const repo = Repo.init().stage({
      'Package.swift': '// swift-tools-version:5.9\n',
      'Sources/App/a.swift': queue,
      'Tests/AppTests/a.swift': queue,
      'Sources/App/Legacy/old.swift': queue,
      'tools/build.ts': `const text = 1\n${LOG}`,
    })
    const swift = places(gateJson(repo)).filter((place) => place.startsWith('ios.no-gcd'))
    expect(swift).toEqual(['ios.no-gcd Sources/App/a.swift:1'])
  })

  it('does not lose files whose names git quotes', () => {
    expect(gateJson(backend().stage({ 'src/ñandu.ts': LOG }))).toMatchObject({
      code: 1,
      counts: { judged: 1 },
    })
  })

  it('does not take comments, strings and exclamation marks for code', () => {
    const repo = Repo.init().stage({
      'package.json': BACKEND,
      'src/a.ts': '// console.log(1)\nexport const a = "console.log(1)"\nexport const b = /x/.exec("x")\n',
      'Sources/a.swift':
        'func f(_ a: Bool) -> Bool { return !a && a != true } // x! print(1)\nlet s = "print(1)!"\n',
    })
    expect(gateJson(repo, ['--stage', 'PRE_COMMIT'])).toMatchObject({ code: 0, counts: { judged: 0 } })
  })

  it('says that a file does not parse, and what it found in it all the same', () => {
    const repo = backend().stage({ 'src/a.ts': `${LOG}const broken = (1 +\n` })
    const report = gateJson(repo)
    expect(report.code).toBe(1)
    expect(report.findings.map(({ ruleId }) => ruleId)).toEqual(
      expect.arrayContaining(['backend.no-console-log', 'gate.parse-error']),
    )
  })

  it('takes what its parser does not know for no syntax error, and judges the rest of the file', () => {
    const repo = backend().stage({
      'src/a.ts': `const a = await load<typeof import('a')>()\n${LOG}`,
      'src/b.ts': 'const b = = 1\n',
      'src/A.kt': 'fun interface A { fun a() }\n',
      'src/B.kt': 'class B {\n  val a = "$' + '{b(' + '"\n}\n',
    })
    const found = gateJson(repo, ['--stage', 'PRE_COMMIT']).findings
    const ofGate = found.filter(({ ruleId }) => ruleId.startsWith('gate.'))
    expect(ofGate.map(({ ruleId, severity, file }) => [file, ruleId, severity])).toEqual([
      ['src/A.kt', 'gate.unknown-syntax', 'INFO'],
      ['src/B.kt', 'gate.parse-error', 'ERROR'],
      ['src/a.ts', 'gate.unknown-syntax', 'INFO'],
      ['src/b.ts', 'gate.parse-error', 'ERROR'],
    ])
    expect(found.map(({ ruleId, file }) => `${file} ${ruleId}`)).toContain('src/a.ts backend.no-console-log')
  })

  it('follows rules of the repository with any severity and their own codes', () => {
    const own = rule('metadata: { severity: CRITICAL, code: OWN_CODE, fix: Do it now. }\n')
    const repo = Repo.init().commit({ '.warrant/rules/no-todo.yml': own }).stage({ 'a.ts': 'todo()\n' })
    expect(gateJson(repo)).toMatchObject({
      code: 1,
      findings: [{ ruleId: 'project.no-todo', severity: 'CRITICAL', code: 'OWN_CODE', fix: 'Do it now.' }],
    })
    expect(readEvidence(repo).rulesets).toEqual(
      expect.arrayContaining([expect.objectContaining({ platform: 'project', bundle: 'project-rules' })]),
    )
  })

  it('runs no code of the repository, and lets no user rule replace a shipped rule', () => {
    const trap = "require('node:fs').writeFileSync('sprung', '')\n"
    const repo = backend().commit({
      '.pumuki/rules.ts': trap,
      'pumuki.rules.ts': trap,
      'warrant.config.js': trap,
    })
    expect(gate(repo, ['--all', '--stage', 'PRE_WRITE']).status).toBe(0)
    expect(statSync(repo.path('sprung'), { throwIfNoEntry: false })).toBeUndefined()
    repo.write({ '.warrant/rules/a.yml': rule('').replace('project.no-todo', 'backend.no-console-log') })
    expect(gateJson(repo)).toMatchObject({ code: 5, error: { code: 'rule.duplicate' } })
  })

  it('stops at a rule it cannot read instead of leaving it out', () => {
    const repo = backend().commit({ '.warrant/rules/a.yml': 'id: [' })
    expect(gateJson(repo)).toMatchObject({ code: 2, error: { code: 'rule.unreadable' } })
  })

  it('writes down which rules were outweighed by another that says the same of the line', () => {
    const repo = backend().stage({ 'src/a.ts': LOG })
    expect(places(gateJson(repo))).toEqual(['backend.no-console-log src/a.ts:1'])
    expect(readEvidence(repo).consolidation?.suppressed).toEqual([
      expect.objectContaining({
        ruleId: 'heuristics.ts.console-log.ast',
        file: 'src/a.ts',
        replacedByRuleId: 'backend.no-console-log',
        reason: 'semantic-family-precedence',
      }),
    ])
  })

  it('counts a lone unstaged change as unstaged', () => {
    const repo = backend().write({ 'src/ok.ts': 'export const a = 1\n' })
    gate(repo)
    expect(readEvidence(repo).repo_state?.git).toMatchObject({ dirty: true, staged: 0, unstaged: 1 })
  })

  it('knows platforms by what is there and says how sure it is', () => {
    const repo = Repo.init().stage({
      'services/api/package.json': BACKEND,
      'services/api/main.ts': LOG,
      'tool/helper.swift': 'let a = 1\n',
      'go.mod': 'module x\n',
    })
    expect(gateJson(repo).platforms).toEqual({
      backend: { detected: true, confidence: 'HIGH' },
      go: { detected: true, confidence: 'MEDIUM' },
      ios: { detected: true, confidence: 'LOW' },
    })
    expect(places(gateJson(repo))).toContain('backend.no-console-log services/api/main.ts:1')
  })
})
