import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { writeScript } from '../support/openspec.ts'
import { Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

describe('a hook that no longer runs the gate', () => {
  const repo = Repo.init().commit({ a: '1' })
  const hook = (name: string) => repo.path('.git/hooks', name)
  const states = () =>
    runJson(repo.folder, ['doctor', '--port', '0']).value.state.hooks.map(
      ({ state }: { state: string }) => state,
    )

  it('because of an exit before the block, or because it is not executable, or for a planted program, is told by doctor', () => {
    runJson(repo.folder, ['init', '--yes', '--clients', 'none'])
    expect(states()).toEqual(['managed', 'managed'])
    const text = readFileSync(hook('pre-commit'), 'utf8')
    writeFileSync(hook('pre-commit'), text.replace('\n', '\nexit 0\n'))
    chmodSync(hook('pre-push'), 0o644)
    expect(states()).toEqual(['idle', 'idle'])
    writeScript(repo.path('node_modules/.bin/warrant'), 'exit 0')
    const { value } = runJson(repo.folder, ['doctor', '--port', '0'])
    expect(value.verdict).toBe('WARN')
    const details = value.findings.filter(({ check }: { check: string }) => check === 'hooks')
    expect(details).toMatchObject([
      { severity: 'warning', detail: expect.stringContaining('before the block') },
      { severity: 'warning', detail: expect.stringContaining('not executable') },
      { severity: 'warning', detail: expect.stringContaining('node_modules/.bin/warrant') },
    ])
  })

  it('because its result is thrown away is told, and `warrant init` mends what it can', () => {
    const text = readFileSync(hook('pre-commit'), 'utf8').replace('exit 0\n', '')
    writeFileSync(hook('pre-commit'), text.replaceAll('|| exit $?', '|| true'))
    expect(states()).toEqual(['outdated', 'idle'])
    runJson(repo.folder, ['init', '--yes', '--clients', 'none'])
    expect(states()).toEqual(['managed', 'idle'])
    chmodSync(hook('pre-push'), 0o755)
    expect(states()).toEqual(['managed', 'managed'])
  })
})
