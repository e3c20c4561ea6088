import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { gate, gateJson } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

const FRONTEND = JSON.stringify({ dependencies: { react: '19' } })
const rule = `id: project.no-todo
language: typescript
severity: error
message: Not here.
rule: { pattern: todo() }
fix: done()
metadata: { severity: WARN, safeFix: true }
`
const CODE = 'export const a = 1;\nexport const f = () => {\n  debugger;\n  return a;\n};\n'
const REPAIRED = CODE.replace('  debugger;\n', '')

describe('warrant gate --fix', () => {
  const repo = Repo.init().commit({
    'package.json': FRONTEND,
    '.warrant/rules/todo.yml': rule,
    'src/ok.ts': '',
  })
  const read = (path: string) => readFileSync(repo.path(path), 'utf8')
  const inIndex = (path: string) => repo.git('show', `:${path}`)
  const start = (files: Readonly<Record<string, string>>) => {
    repo.git('reset', '-q', '--hard')
    repo.git('clean', '-qfd')
    return repo.stage(files)
  }

  it('repairs staged files in the index and in the working tree, with their mode and their line ends', () => {
    start({ 'src/a.ts': CODE, 'src/windows.ts': CODE.replaceAll('\n', '\r\n') })
    chmodSync(repo.path('src/a.ts'), 0o755)
    repo.git('add', '-A')
    const { findings } = gateJson(repo, ['--no-evidence'])
    const edit = { range: { line: 3, column: 1, endLine: 4, endColumn: 1 }, text: '', safe: true }
    expect(findings).toContainEqual(expect.objectContaining({ file: 'src/a.ts', edit }))
    const { stderr } = gate(repo, ['--fix'])
    expect(stderr).toContain('1 edit in src/a.ts\n')
    expect([read('src/a.ts'), inIndex('src/a.ts')]).toEqual([REPAIRED, REPAIRED])
    expect(statSync(repo.path('src/a.ts')).mode & 0o777).toBe(0o755)
    expect(repo.git('ls-files', '--stage', 'src/a.ts')).toMatch(/^100755 /)
    expect(read('src/windows.ts')).toBe(REPAIRED.replaceAll('\n', '\r\n'))
    expect(repo.git('status', '--porcelain', 'src')).toBe('A  src/a.ts\nA  src/windows.ts\n')
  })

  it('shows a diff that git applies, and changes nothing, in a dry run', () => {
    start({ 'src/a.ts': CODE })
    const { stdout } = gate(repo, ['--fix', '--dry-run'])
    expect(stdout).toContain('-  debugger;\n')
    expect([read('src/a.ts'), inIndex('src/a.ts')]).toEqual([CODE, CODE])
    execFileSync('git', ['apply', '-'], { cwd: repo.folder, input: stdout })
    expect(read('src/a.ts')).toBe(REPAIRED)
  })

  it('leaves changes alone that are not staged, and refuses a file where they are in the way', () => {
    start({ 'src/a.ts': CODE, 'src/b.ts': CODE })
    repo.write({
      'src/a.ts': `${CODE}export const mine = 1;\n`,
      'src/b.ts': CODE.replace('debugger', 'debugger // why'),
    })
    const { stderr } = gate(repo, ['--fix', '--stage', 'PRE_COMMIT'])
    expect(read('src/a.ts')).toBe(`${REPAIRED}export const mine = 1;\n`)
    expect(inIndex('src/a.ts')).toBe(REPAIRED)
    expect(stderr).toContain(
      'src/b.ts was not repaired: it has changes that are not staged around the same lines',
    )
    expect(inIndex('src/b.ts')).toBe(CODE)
    expect(read('src/b.ts')).toContain('debugger // why')
  })

  it('does not apply what could change the program, what rules of the repository offer, or anything through a link', () => {
    const body = 'export const g = (a: boolean) => {\n  if (a)\n    debugger;\n  return a;\n};\n'
    start({ 'src/if.ts': body, 'src/todo.ts': 'todo()\n' })
    const { findings } = gateJson(repo, ['--fix', '--no-evidence'])
    expect([read('src/if.ts'), read('src/todo.ts')]).toEqual([body, 'todo()\n'])
    expect(findings.find(({ ruleId }) => ruleId === 'project.no-todo')).toMatchObject({
      edit: { text: 'done()', safe: false },
    })
    start({ 'src/a.ts': CODE })
    expect(gate(repo, ['--fix', '--read-only']).stderr).toContain('read-only')
    expect(inIndex('src/a.ts')).toBe(CODE)
    renameSync(repo.path('src/a.ts'), repo.path('kept.ts'))
    symlinkSync('../kept.ts', repo.path('src/a.ts'))
    expect(gate(repo, ['--fix', '--stage', 'PRE_COMMIT']).stderr).toContain('src/a.ts is a symbolic link')
    expect(read('kept.ts')).toBe(CODE)
  })
})
