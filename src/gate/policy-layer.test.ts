import { expect, it } from 'vitest'
import { resolvePolicy, stricterPolicy } from './policy.ts'
import { joinUserRules, type UserRules } from './rules/join-rules.ts'
import type { ShippedRules } from './rules/packs.ts'
import type { RuleFile } from './rules/rule.ts'
import { joinOverrides } from './rules/severity-overrides.ts'

/** What two versions of a policy give together: never less than the stricter one. */

const skills = (block: string, warn: string) =>
  JSON.stringify({
    stages: Object.fromEntries(
      ['PRE_COMMIT', 'PRE_PUSH', 'CI'].map((stage) => [
        stage,
        { blockOnOrAbove: block, warnOnOrAbove: warn },
      ]),
    ),
  })

it('thresholds: the lower of each, with the trace of the policy they come from', () => {
  const [fallback, hard] = [resolvePolicy('CI'), resolvePolicy('CI', { hardMode: '1' })]
  expect(stricterPolicy(fallback, hard)).toBe(hard)
  expect(stricterPolicy(hard, fallback)).toBe(hard)
  const one = resolvePolicy('CI', { skillsFile: skills('WARN', 'WARN') })
  const other = resolvePolicy('CI', { skillsFile: skills('ERROR', 'INFO') })
  expect(stricterPolicy(one, other)).toMatchObject({
    block_on_or_above: 'WARN',
    warn_on_or_above: 'INFO',
    trace: { source: 'skills.policy', bundle: 'gate-policy.skills.policy.CI' },
  })
})

const rule = (id: string, extra: object = {}): RuleFile =>
  ({
    id,
    language: 'typescript',
    severity: 'error',
    message: 'm',
    rule: { pattern: 'a()' },
    ...extra,
  }) as RuleFile
const rules = (...files: readonly RuleFile[]): UserRules => ({
  pack: { name: 'project', version: '0', digest: '', rules: [...files], changes: [] },
  paths: new Map(files.map(({ id }) => [id, `.warrant/rules/${id}.yml`])),
})

interface Expected {
  readonly severities: readonly string[]
  readonly weaker: boolean
  readonly effect: string
}

it.each<[string, RuleFile | undefined, RuleFile | undefined, Expected]>([
  ['new', undefined, rule('x'), { severities: ['error'], weaker: false, effect: 'x is new' }],
  ['removed', rule('x'), undefined, { severities: ['error'], weaker: true, effect: 'x is removed' }],
  [
    'lighter',
    rule('x'),
    rule('x', { severity: 'hint' }),
    { severities: ['error'], weaker: true, effect: 'x: ERROR → INFO' },
  ],
  [
    'off',
    rule('x'),
    rule('x', { severity: 'off' }),
    { severities: ['error'], weaker: true, effect: 'x: ERROR → OFF' },
  ],
  [
    'heavier',
    rule('x'),
    rule('x', { metadata: { severity: 'CRITICAL' } }),
    { severities: ['CRITICAL'], weaker: false, effect: 'x: ERROR → CRITICAL' },
  ],
  [
    'with another matcher',
    rule('x'),
    rule('x', { rule: { pattern: 'b()' } }),
    { severities: ['error', 'error'], weaker: true, effect: 'x matches other code' },
  ],
  [
    'for fewer files',
    rule('x'),
    rule('x', { ignores: ['**/*.ts'] }),
    { severities: ['error', 'error'], weaker: true, effect: 'x matches other code' },
  ],
  [
    'with another message',
    rule('x'),
    rule('x', { message: 'n' }),
    { severities: ['error'], weaker: false, effect: 'x is reworded' },
  ],
])('a user rule that is %s', (_, before, after, { severities, ...change }) => {
  const joined = joinUserRules(before && rules(before), after && rules(after))
  expect(joined.changes).toEqual([{ file: '.warrant/rules/x.yml', ...change }])
  const levels = joined.userRules?.pack.rules.map(({ severity, metadata }) => metadata?.severity ?? severity)
  expect(levels?.map((one) => (one === 'ERROR' ? 'error' : one))).toEqual(severities)
})

const SHIPPED = {
  packs: [
    {
      name: 'p',
      version: '1',
      digest: '',
      rules: [
        rule('heuristics.ts.a.ast', { metadata: { severity: 'WARN' } }),
        rule('b', { metadata: { severity: 'CRITICAL' } }),
      ],
      changes: [],
    },
  ],
  aliases: [],
  literals: {},
} as ShippedRules
const overrides = (entries: Record<string, 'INFO' | 'WARN' | 'CRITICAL' | 'OFF'>) => ({
  byRule: new Map(Object.entries(entries)),
  list: [],
  digest: '',
})

it.each([
  ['CI', {}, { b: 'OFF' }, {}, true],
  ['CI', { b: 'OFF' }, {}, {}, false],
  ['CI', { b: 'INFO' }, { b: 'WARN' }, { b: 'WARN' }, false],
  ['CI', { b: 'WARN' }, { b: 'INFO' }, { b: 'WARN' }, true],
  // A severity that is set is not raised at CI, so the same word is a weaker one.
  ['CI', {}, { 'heuristics.ts.a.ast': 'WARN' }, {}, true],
  ['PRE_COMMIT', {}, { 'heuristics.ts.a.ast': 'WARN' }, { 'heuristics.ts.a.ast': 'WARN' }, true],
] as const)('severities at %s: %j and then %j give %j', (stage, before, after, expected, weaker) => {
  const joined = joinOverrides(
    overrides(before),
    overrides(after),
    { stage, profile: 'seed' as const, shippedRules: SHIPPED },
    'f',
  )
  expect(Object.fromEntries(joined.overrides.byRule)).toEqual(expected)
  expect(joined.changes).toMatchObject([{ file: 'f', weaker }])
})
