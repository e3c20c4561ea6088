import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { BACKEND, gate, gateJson } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

const EVAL = 'export const run = (text: string) => eval(text)\n'
const BROKEN = 'const b = (1 +\n'
const IGNORED = '// warrant-ignore rule.unknown: kept\n'

/** More files than are scanned before the cache is opened. */
const files = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => [
    `src/f${at}.${at % 7 === 0 ? 'py' : 'ts'}`,
    `const a${at} = ${at}\n${at % 5 === 0 ? EVAL : ''}${at % 11 === 0 ? BROKEN : ''}${at % 13 === 0 ? IGNORED : ''}`,
  ]),
)

const folder = mkdtempSync(join(tmpdir(), 'warrant-scans-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ALL = ['--all', '--clock', 'deterministic', '--profile', 'seed']

/** Judges as one does, and returns what was printed and written. */
const judge = (repo: Repo, args: readonly string[], state = 'none') => {
  const evidence = repo.path('.ai_evidence.json')
  rmSync(evidence, { force: true })
  const env = { XDG_STATE_HOME: join(folder, state) }
  const { stdout, stderr, status } = gate(repo, [...args, ...ALL, '--json'], { env })
  // Each run leaves a receipt of its own.
  const report = stdout.replace(/,"receipt":"sha256:[0-9a-f]{64}"/, '')
  return { stdout: report, stderr, status, evidence: readFileSync(evidence, 'utf8') }
}

describe('results of earlier scans', () => {
  const repo = Repo.init().commit({ 'package.json': BACKEND, ...files })
  const whole = judge(repo, ['--no-cache'])

  it('give the same report and the same evidence, from the cache or not', () => {
    expect(JSON.parse(whole.stdout).counts.judged).toBeGreaterThan(10)
    const filled = judge(repo, [], 'cache')
    const [name = ''] = readdirSync(join(folder, 'cache/warrant/scans'))
    const cached = judge(repo, [], 'cache')
    for (const one of [filled, cached]) {
      expect(one.stdout).toBe(whole.stdout)
      expect(one.evidence).toBe(whole.evidence)
    }
    // That the cache is used shows when it lies: all files after the first ones are clean.
    const path = join(folder, 'cache/warrant/scans', name)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^(\S+) .*$/gm, '$1'))
    expect(judge(repo, [], 'cache').stdout).not.toBe(whole.stdout)
    expect(judge(repo, ['--no-cache'], 'cache').stdout).toBe(whole.stdout)
  })

  it('are not used on a build server', () => {
    const env = { CI: 'true', XDG_STATE_HOME: join(folder, 'cache') }
    const report = gateJson(repo, [...ALL, '--no-evidence', '--stage', 'PRE_COMMIT'], { env })
    expect(report.counts).toEqual(JSON.parse(whole.stdout).counts)
  })
})
