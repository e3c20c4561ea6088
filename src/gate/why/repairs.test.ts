import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NO_LIFECYCLE } from '../facts/repo-state.ts'
import type { Reason } from './explanation.ts'
import { smallestRepairs } from './repairs.ts'

const state = (git: { readonly staged?: number; readonly dirty?: boolean } = {}) => ({
  repo_root: '.',
  git: {
    available: true,
    branch: 'feature/x',
    upstream: null,
    ahead: 0,
    behind: 0,
    dirty: true,
    staged: 1,
    unstaged: 0,
    ...git,
  },
  lifecycle: NO_LIFECYCLE,
})

const context = { stage: 'PRE_COMMIT' as const, state: state(), present: undefined, base: 'a'.repeat(40) }
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
const violation = (code: string): Reason => ({
  severity: 'ERROR',
  code,
  message: code,
  fix: 'x',
  blocks: true,
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
      'everything that is wrong with the evidence itself',
      ['EVIDENCE_STALE', 'EVIDENCE_TREE_MISMATCH', 'EVIDENCE_STAGE_MISMATCH', 'EVIDENCE_SUPERSEDED'].map(
        violation,
      ),
      [`4 ${RUN}`],
    ],
    [
      'a protected branch, named by the check and by the gate',
      [violation('GITFLOW_PROTECTED_BRANCH'), finding({ rule: 'gate.protected-branch', file: '.' })],
      ['2 git switch -c feature/NAME', `0 ${RUN}`],
    ],
    [
      'a clock',
      [violation('EVIDENCE_TIMESTAMP_FUTURE')],
      ['1 Correct the clock of this machine.', `0 ${RUN}`],
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

  it('asks for a run that judges what the stage judges', () => {
    const stale = [violation('EVIDENCE_STALE')]
    const run = (more: object) => brief(stale, more).at(-1)?.slice(2)
    expect(run({ state: state({ staged: 0 }) })).toBe(`${RUN} --scope worktree`)
    expect(run({ state: state({ staged: 0, dirty: false }) })).toBe(RUN)
    const tree = (paths: readonly string[]) => ({
      digest: '',
      entries: paths.map((path) => ({ path, id: '1' })),
    })
    const present = { scope: tree([]), worktree: tree(['a.ts']), knownHead: true }
    expect(run({ stage: 'PRE_PUSH', present })).toBe('warrant gate --stage PRE_PUSH --scope worktree')
    expect(run({ stage: 'PRE_PUSH', present: { ...present, scope: tree(['a.ts']) } })).toBe(
      'warrant gate --stage PRE_PUSH',
    )
    expect(run({ present: { problem: 'no base' } })).toBe(RUN)
  })

  it('has edits of commits committed, and leaves them to a person', () => {
    const [edit, run] = smallestRepairs([finding({ safe_edit: true })], { ...context, stage: 'PRE_PUSH' })
    expect(edit).toMatchObject({ file: 'src/a.ts', removes: 1 })
    expect(run).toMatchObject({
      action: 'Commit the edits, then run the gate, which writes the evidence.',
      command: 'warrant gate --stage PRE_PUSH',
    })
  })

  it('replaces invalid evidence by a run, and has it removed where it cannot be opened', () => {
    const invalid = [violation('EVIDENCE_INVALID')]
    expect(brief(invalid)).toEqual([`1 ${RUN}`])
    expect(brief(invalid, { unreadable: true })).toEqual([
      '1 Remove or restore the evidence file.',
      `0 ${RUN}`,
    ])
  })

  it('has the key listed that signed, and lets a run sign what nothing signed', () => {
    const unsigned = [violation('EVIDENCE_UNSIGNED')]
    expect(brief(unsigned, { receipt: 'foreign' })).toEqual(['1 warrant keys add --owner NAME', `0 ${RUN}`])
    expect(brief(unsigned, { receipt: 'invalid' })).toEqual([`1 ${RUN}`])
    expect(brief(unsigned, { receipt: 'revoked' })[0]).toMatch(/^1 Have a person list a valid key/)
  })

  it('first repairs what would stop the gate', () => {
    const [first] = smallestRepairs([violation('EVIDENCE_MISSING')], {
      ...context,
      problem: 'x.yml is broken.',
    })
    expect(first?.action).toBe('A run of the gate would fail. x.yml is broken.')
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
    const wrong = fc
      .constantFrom('EVIDENCE_STALE', 'GITFLOW_PROTECTED_BRANCH', 'EVIDENCE_MISSING')
      .map(violation)
    fc.assert(
      fc.property(fc.array(fc.oneof(place.map(finding), weakened, wrong), { maxLength: 12 }), (reasons) => {
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
