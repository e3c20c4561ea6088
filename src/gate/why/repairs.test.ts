import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Reason } from './explanation.ts'
import { smallestRepairs } from './repairs.ts'

const context = { stage: 'PRE_COMMIT' as const, worktree: false, base: 'a'.repeat(40) }
const RUN = 'warrant gate --stage PRE_COMMIT'

let made = 0
const finding = (more: Partial<Reason> = {}): Reason => ({
  severity: 'CRITICAL',
  code: 'C',
  message: 'it is wrong',
  fix: 'Repair it.',
  file: 'src/a.ts',
  line: 1,
  rule: 'some.rule',
  fingerprint: String(made++).padStart(32, '0'),
  blocks: true,
  ...more,
})
const brief = (reasons: readonly Reason[], more: object = {}) =>
  smallestRepairs(reasons, { ...context, ...more }).map(
    ({ file, line, command, action, removes }) =>
      `${removes} ${command ?? [file, line, action].filter((part) => part !== undefined).join(' ')}`,
  )

describe('the smallest set of repairs', () => {
  it.each<[string, readonly Reason[], readonly string[]]>([
    ['nothing', [], []],
    ['findings that do not block', [finding({ blocks: false })], []],
    ['one finding', [finding()], ['1 src/a.ts 1 Repair it.', `0 ${RUN}`]],
    [
      'two rules on one line',
      [finding(), finding({ rule: 'other.rule', fix: 'And that.' })],
      ['2 src/a.ts 1 And that. Repair it.', `0 ${RUN}`],
    ],
    [
      'two lines',
      [finding({ line: 2 }), finding()],
      ['1 src/a.ts 1 Repair it.', '1 src/a.ts 2 Repair it.', `0 ${RUN}`],
    ],
    [
      'syntax errors of one file',
      [finding({ rule: 'gate.parse-error', line: 3 }), finding({ rule: 'gate.parse-error', line: 9 })],
      ['2 src/a.ts Repair it.', `0 ${RUN}`],
    ],
    [
      'a finding that blocks beside one that does not',
      [finding(), finding({ line: 7, severity: 'WARN', blocks: false })],
      ['1 src/a.ts 1 Repair it.', `0 ${RUN}`],
    ],
    [
      'checks that no person allowed',
      [2, 6].map((line) => finding({ rule: 'gate.check-not-allowed', file: '.warrant/checks.yml', line })),
      ['2 warrant checks allow', `0 ${RUN}`],
    ],
    [
      'checks with the same missing program',
      [2, 6].map((line) =>
        finding({ rule: 'gate.check-missing', file: '.warrant/checks.yml', line, fix: 'Install it: npm ci' }),
      ),
      ['2 Install it: npm ci', `0 ${RUN}`],
    ],
    [
      'failed tests without a place, which are no common repair',
      ['a', 'b'].map((name) =>
        finding({
          rule: `unit/${name}`,
          check: 'unit',
          file: '.warrant/checks.yml',
          line: 2,
          fix: `Fix ${name}.`,
        }),
      ),
      ['1 .warrant/checks.yml 2 Fix a.', '1 .warrant/checks.yml 2 Fix b.', `0 ${RUN}`],
    ],
    [
      'a weakened policy',
      [
        finding({
          rule: 'gate.policy-changed',
          file: '.warrant/rules/my rule.yml',
          line: undefined as never,
        }),
      ],
      [
        `1 git restore --source=${'a'.repeat(12)} --staged --worktree -- '.warrant/rules/my rule.yml'`,
        `0 ${RUN}`,
      ],
    ],
    [
      'a manifest that takes a platform away, which is not restored as a whole',
      [finding({ rule: 'gate.policy-changed', file: 'package.json', line: undefined as never })],
      ['1 package.json Repair it.', `0 ${RUN}`],
    ],
    [
      'a protected branch',
      [finding({ rule: 'gate.protected-branch', file: '.' })],
      ['1 git switch -c feature/NAME', `0 ${RUN}`],
    ],
    [
      'what the gate repairs itself',
      [1, 2].map((line) => finding({ line, safe_edit: true })),
      [`2 ${RUN} --fix`],
    ],
  ])('for %s', (_, reasons, expected) => {
    expect(brief(reasons)).toEqual(expected)
    expect(brief(reasons.toReversed())).toEqual(expected)
  })

  it('asks to stage edits only where the index was judged', () => {
    const action = (more: object) => smallestRepairs([finding()], { ...context, ...more }).at(-1)?.action
    expect(action({})).toBe('Stage the edits, then run the gate.')
    expect(action({ worktree: true })).toBe('Run the gate.')
  })

  it('has edits of commits committed, and leaves them to a person', () => {
    const [edit, run] = smallestRepairs([finding({ safe_edit: true })], { ...context, stage: 'PRE_PUSH' })
    expect(edit).toMatchObject({ file: 'src/a.ts', removes: 1 })
    expect(run).toMatchObject({
      action: 'Commit the edits, then run the gate.',
      command: 'warrant gate --stage PRE_PUSH',
    })
  })

  it('removes every reason that blocks, once, and holds nothing that could be left out', () => {
    const place = fc.record({
      rule: fc.constantFrom('some.rule', 'other.rule', 'gate.parse-error', 'gate.check-not-allowed'),
      file: fc.constantFrom('src/a.ts', 'src/b.ts'),
      line: fc.integer({ min: 1, max: 3 }),
      blocks: fc.boolean(),
    })
    const weakened = fc
      .constantFrom('skills.policy.json', '.warrant/checks.yml')
      .map((file) => finding({ rule: 'gate.policy-changed', file }))
    fc.assert(
      fc.property(fc.array(fc.oneof(place.map(finding), weakened), { maxLength: 12 }), (reasons) => {
        const blocking = reasons.filter(({ blocks }) => blocks)
        const repairs = smallestRepairs(reasons, context)
        expect(repairs.reduce((sum, { removes }) => sum + removes, 0)).toBe(blocking.length)
        expect(repairs.slice(0, -1).filter(({ removes }) => removes === 0)).toEqual([])
        expect(repairs.at(-1)?.command).toBe(blocking.length === 0 ? undefined : RUN)
        const places = repairs.map(({ file, line, command }) => JSON.stringify([file, line, command]))
        expect(new Set(places).size).toBe(places.length)
      }),
    )
  })
})
