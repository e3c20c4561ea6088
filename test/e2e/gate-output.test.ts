import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BINARY, cleanEnvironment } from '../support/binary.ts'
import { gate, gateJson, places } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

const rule = (name: string, severity: string) => `id: project.${name}
language: typescript
severity: error
message: Not here.
rule: { pattern: ${name}() }
metadata: { severity: ${severity} }
`

describe('the output of the gate', () => {
  const repo = Repo.init().commit({
    '.warrant/rules/worst.yml': rule('worst', 'CRITICAL'),
    '.warrant/rules/mild.yml': rule('mild', 'WARN'),
    '.warrant/rules/hint.yml': rule('hint', 'INFO'),
    'src/a.ts': 'mild()\nhint()\n',
    'src/z.ts': 'worst()\n',
    'lib/b.ts': 'worst()\n',
  })

  it('has the worst first, by file, and ends with what to do', () => {
    const { stdout, status } = gate(repo, ['--all', '--no-evidence'])
    expect(status).toBe(1)
    expect(stdout.match(/^\S+\.ts$/gm)).toEqual(['lib/b.ts', 'src/z.ts', 'src/a.ts'])
    expect(stdout).not.toContain('project.hint')
    expect(stdout).toContain('1 finding below WARN not shown: --severity INFO.')
    expect(stdout.trimEnd().split('\n').slice(-3)).toEqual([
      expect.stringMatching(/^BLOCKED .*: 4 findings \(2 CRITICAL, 1 WARN, 1 INFO\) in \d+ files/),
      'Repair what is CRITICAL (2), then run the gate again.',
      'Or give a reason in a comment on the line above: warrant-ignore project.worst: <reason>',
    ])
    const few = gate(repo, ['--all', '--no-evidence', '--max', '1', '--severity', 'critical']).stdout
    expect(few).toContain('1 more finding not shown')
    expect(few).not.toContain('src/z.ts')
  })

  it('shows names on a terminal without what they would paint', () => {
    const named = Repo.init().commit({ '.warrant/rules/worst.yml': rule('worst', 'CRITICAL') })
    named.stage({ 'evil\u001b]0;owned\u0007\u001b[2J.ts': 'worst()\n' })
    const words = [process.execPath, BINARY, 'gate', '--no-evidence'].join(' ')
    const { stdout } = spawnSync('script', ['-qec', words, '/dev/null'], {
      cwd: named.folder,
      env: cleanEnvironment({ NO_COLOR: '1' }),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(stdout).toContain('evil\\u001b]0;owned\\u0007\\u001b[2J.ts')
    // A slow run draws its progress.
    expect(stdout.replaceAll('\u001b[K', '')).not.toContain('\u001b')
  })

  it('blocks a change on a branch that the operator protects, and on no other', () => {
    const named = (branches: string) =>
      gateJson(repo, ['--no-evidence', '--stage', 'PRE_COMMIT', '--protected-branches', branches])
    expect(places(named('release,Feature/X'))).toEqual(['gate.protected-branch .'])
    expect(named('release')).toMatchObject({ code: 0, findings: [] })
  })

  it('is about the named files and folders alone, which leaves no evidence', () => {
    const report = gateJson(repo, ['lib', './src/a.ts', '--severity', 'WARN'])
    expect(report).toMatchObject({ code: 1, paths: ['lib', 'src/a.ts'], evidence: null, not_shown: 1 })
    expect(report).toMatchObject({ recorded: false, files: { changed: 2 }, counts: { judged: 3 } })
    expect(places(report)).toEqual(['project.worst lib/b.ts:1', 'project.mild src/a.ts:1'])
    expect(existsSync(repo.path('.ai_evidence.json'))).toBe(false)
    // The change of a stage, as far as it lies below the folder.
    repo.write({ 'src/a.ts': 'mild()\nhint()\nworst()\n' })
    expect(gate(repo, ['lib', '--stage', 'PRE_WRITE']).status).toBe(0)
    expect(gate(repo, ['absent.ts']).stderr).toContain('there is no file or folder "absent.ts"')
  })
})
