import { describe, expect, it } from 'vitest'
import { parseChecks } from './parse-checks.ts'

const problem = async (text: string): Promise<string> =>
  parseChecks(text).then(
    () => 'accepted',
    (thrown: { code: string; message: string }) => `${thrown.code} ${thrown.message}`,
  )

const check = (member: string) => `checks:\n  a: { run: x, reads: exit, ${member} }\n`

describe('a checks file', () => {
  it('is read with defaults, and knows the line of each check', async () => {
    const { checks, digest } = await parseChecks(
      '# why\nchecks:\n  types:\n    run: npx tsc --noEmit\n    reads: tsc\n    timeout: 10m\n    severity: { Error: CRITICAL }\n  "unit": { run: "t > $OUT", reads: junit, stages: [CI] }\n',
    )
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(checks).toMatchObject([
      {
        name: 'types',
        line: 3,
        stages: ['PRE_PUSH', 'CI'],
        timeoutMs: 600_000,
        only: 'all',
        severity: { error: 'CRITICAL' },
      },
      { name: 'unit', line: 8, stages: ['CI'], timeoutMs: 300_000 },
    ])
  })

  it.each([
    ['not YAML', 'checks: [', 'gate.checks_invalid .warrant/checks.yml: '],
    ['empty', '', 'the document: '],
    ['longer than it may be', `# ${'x'.repeat(70_000)}`, 'longer than 65536 bytes'],
    ['with an unknown member', check('runs: y'), 'checks.a: Unrecognized key: "runs"'],
    ['beside other things', 'checks: {}\nhooks: {}', 'the document: Unrecognized key: "hooks"'],
    ['of an unknown format', 'checks: { a: { run: x, reads: pdf } }', 'checks.a.reads: '],
    ['at an unknown stage', check('stages: [NIGHT]'), 'checks.a.stages.0: '],
    ['with an endless time', check('timeout: 99h'), 'checks.a.timeout: must be at most 1h'],
    ['with a time without a unit', check('timeout: 10'), 'checks.a.timeout: '],
    [
      'with a hidden character in a command',
      'checks: { a: { run: "x \u202e y", reads: exit } }',
      'checks.a.run: ',
    ],
    ['that wants our variables', check('env: [WARRANT_STORE]'), 'checks.a.env.0: is not passed to checks'],
    ['with a path outside', check('paths: [/etc/*]'), 'checks.a.paths.0: '],
    ['with a name for a shell', 'checks: { "a b;c": { run: x, reads: exit } }', 'checks.a b;c: '],
    ['of coverage without thresholds', 'checks: { a: { run: x, reads: lcov } }', 'checks.a.thresholds: '],
    ['of no coverage with thresholds', check('thresholds: { lines: 80 }'), 'checks.a.thresholds: '],
  ])('is refused when it is %s', async (_, text, expected) => {
    expect(await problem(text)).toContain(expected)
  })

  it('may use aliases, but not so often that a small file stands for a large one', async () => {
    const file = (count: number, paths: string) =>
      `checks:\n  first: { run: x, reads: exit, paths: &paths [src/**] }\n${Array.from(
        { length: count },
        (_, at) => `  c${at}: { run: x, reads: exit, paths: ${paths} }\n`,
      ).join('')}`
    expect(await problem(file(10, '*paths'))).toBe('accepted')
    expect(await problem(file(30, '[src/**]'))).toBe('accepted')
    expect(await problem(file(30, '*paths'))).toMatch(/^gate\.checks_invalid .*Excessive alias count/)
  })
})
