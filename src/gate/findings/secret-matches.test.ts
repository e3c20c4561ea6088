import { expect, it } from 'vitest'
import type { Match } from '../ports.ts'
import type { CompiledRule } from '../rules/compiled-rule.ts'
import { keepReported, redactSecrets, traceSecret } from './secret-matches.ts'

const rule = (id: string, severity: 'CRITICAL' | 'ERROR', secret = true): readonly [string, CompiledRule] => [
  id,
  {
    id,
    severity,
    secret,
    covers: () => true,
    trusted: true,
    message: '',
    code: '',
    text: { regex: 'a' },
    everyFile: true,
    everyKind: true,
    pack: 'secrets',
  },
]
const RULES = new Map([
  rule('secrets.key', 'CRITICAL'),
  rule('secrets.generic', 'ERROR'),
  rule('secrets.url', 'ERROR'),
  rule('other', 'ERROR', false),
])
const match = (ruleId: string, column: number, endColumn: number, line = 1): Match => ({
  ruleId,
  message: '',
  line,
  column,
  endLine: line,
  endColumn,
})

it('reports a text that several rules take for a secret once, by the strongest', () => {
  const [key, generic, url, other] = [
    match('secrets.key', 5, 20),
    match('secrets.generic', 3, 20),
    match('secrets.url', 3, 8, 2),
    match('other', 1, 30),
  ]
  const below = match('secrets.generic', 5, 20, 2)
  expect(keepReported([other, generic, key], RULES)).toEqual([other, key])
  expect(keepReported([url, below, key], RULES)).toEqual([url, key])
  const apart = match('secrets.generic', 20, 30)
  expect(keepReported([key, apart], RULES)).toEqual([key, apart])
})

it('reports a call that logs a secret once', () => {
  const named = (
    id: string,
    category: string,
    severity: 'ERROR' | 'CRITICAL',
    aliases: string[] = [],
  ): readonly [string, CompiledRule] => [id, { ...rule(id, severity, false)[1], category, aliases }]
  const rules = new Map([
    named('a.logged-secret', 'security', 'CRITICAL'),
    named('a.print', 'logging', 'ERROR', ['old.print']),
    named('old.print', 'logging', 'ERROR'),
  ])
  const [secret, output, former] = [
    match('a.logged-secret', 1, 9),
    match('a.print', 1, 9),
    match('old.print', 1, 9),
  ]
  expect(keepReported([secret, output], rules)).toEqual([secret])
  expect(keepReported([secret, former], rules)).toEqual([secret, former])
  const wider = match('a.print', 1, 12)
  expect(keepReported([secret, wider], rules)).toEqual([secret, wider])
})

it('makes fingerprints that do not single out a secret', () => {
  const trace = (value: string, name = 'PASSWORD=') => {
    const region = { line: 1, column: name.length + 1, endLine: 1, endColumn: name.length + value.length + 1 }
    const lines = [`${name}${value}`]
    return traceSecret(lines, redactSecrets(lines, [{ ...region, continues: false }]), region)
  }
  const guesses = Array.from({ length: 5_000 }, (_, at) => `password${at}`)
  const traces = guesses.map((guess) => trace(guess))
  expect(new Set(traces).size).toBeLessThanOrEqual(256)
  expect(traces.join(' ')).not.toContain('password1')
  expect(trace('password1')).not.toBe(trace('password2'))
  expect(trace('a')).not.toBe(trace('a', 'TOKEN='))
})
