import { describe, expect, it } from 'vitest'
import * as yaml from 'yaml'
import { readYaml, YamlError, type YamlLimits } from './safe-yaml.ts'

const LIMITS: YamlLimits = { aliases: 2, depth: 4, nodes: 20 }

const problem = (text: string, limits = LIMITS): string | undefined => {
  try {
    readYaml(yaml, text, limits)
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof YamlError)) throw thrown
    return thrown.problem
  }
}

describe('YAML of an untrusted author', () => {
  it('is read as plain data', () => {
    expect(readYaml(yaml, 'a: [1, two, null]\nb: {c: true}', LIMITS)).toEqual({
      a: [1, 'two', null],
      b: { c: true },
    })
    expect(readYaml(yaml, '', LIMITS)).toBeNull()
  })

  it.each([
    ['broken', 'a: [', 'syntax'],
    ['with a key twice', 'a: 1\na: 2', 'syntax'],
    ['with a list as a key', '? [a]\n: b', 'syntax'],
    ['nested too deep', '[[[[[[]]]]]]', 'limit'],
    ['too long', `[${'1,'.repeat(30)}]`, 'limit'],
    ['with too many aliases', 'a: &a [1]\nb: [*a, *a, *a]', 'limit'],
    ['with __proto__ as a key', '__proto__: {x: 1}', 'key'],
  ])('is refused when it is %s', (_, text, expected) => {
    expect(problem(text)).toBe(expected)
  })

  it('may use aliases only as often as the limit says', () => {
    expect(problem('a: &a 1\nb: *a')).toBeUndefined()
    expect(problem('a: &a 1\nb: *a', { ...LIMITS, aliases: 0 })).toBe('limit')
  })

  it('may have warnings unless they are rejected', () => {
    expect(problem('a: !unknown b')).toBeUndefined()
    expect(problem('a: !unknown b', { ...LIMITS, rejectWarnings: true })).toBe('syntax')
  })
})
