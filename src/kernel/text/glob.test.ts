import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyGlob, compileBraceGlob, compileGlob, expandBraces } from './glob.ts'

const matches = (pattern: string, path: string): boolean => compileGlob(pattern)(path.split('/'))

describe('a glob', () => {
  it.each([
    ['a.java', 'a.java', true],
    ['a.java', 'b/a.java', false],
    ['*.java', 'a.java', true],
    ['*.java', '.java', true],
    ['*.java', 'd/a.java', false],
    ['**/*.java', 'a.java', true],
    ['**/*.java', 'd/e/a.java', true],
    ['src/**', 'src/a/b', true],
    ['src/**', 'src', false],
    ['src/**/t/*.ts', 'src/t/a.ts', true],
    ['src/**/t/*.ts', 'src/x/t/y/t/a.ts', true],
    ['src/**/t/*.ts', 'src/x/a.ts', false],
    ['**/a/**/b/**', 'a/b/c', true],
    ['**/a/**/b/**', 'x/a/y/b/z/w', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a?c', 'a\u{1f600}c', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[]]x', ']x', true],
    ['[ab', '[ab', true],
    ['a\\*b', 'a*b', true],
    ['a\\*b', 'axb', false],
    ['*a*b*c*', 'xxaxxbxxcxx', true],
    ['*a*b*c*', 'xxaxxcxxbxx', false],
    ['a.b', 'axb', false],
    ['(a|b)+', '(a|b)+', true],
  ])('%j of %j is %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected)
  })

  it('is not slowed down by a pattern made for it', () => {
    const pattern = `${'*a'.repeat(2_000)}b`
    expect(matches(pattern, 'a'.repeat(4_000))).toBe(false)
    const deep = `${'**/a/'.repeat(300)}b`
    expect(matches(deep, Array(600).fill('a').join('/'))).toBe(false)
  })

  it('writes braces out, within a bound', () => {
    expect([...expandBraces('{a,b}/{c,d{e,f}}.ts')].sort()).toEqual([
      'a/c.ts',
      'a/de.ts',
      'a/df.ts',
      'b/c.ts',
      'b/de.ts',
      'b/df.ts',
    ])
    expect(expandBraces('{a,b}'.repeat(40)).length).toBeLessThanOrEqual(64)
    expect(expandBraces('{a}{')).toEqual(['{a}{'])
  })

  it('without a slash means a name at any depth', () => {
    expect(anyGlob(['*.{yml,yaml}'])(['a', 'b.yaml'])).toBe(true)
    expect(anyGlob(['/b.yaml'])(['a', 'b.yaml'])).toBe(false)
    expect(anyGlob([])(['a'])).toBe(false)
  })
})

describe('a glob with braces', () => {
  it('matches what one of its alternatives matches', () => {
    const pieces = fc.constantFrom(
      'a',
      'b',
      '.',
      '*',
      '?',
      '[a-b]',
      '{',
      '}',
      ',',
      '{a,b.}',
      '{aa,*}',
      '/',
      '**/',
      '/**',
    )
    const globs = fc.array(pieces, { minLength: 1, maxLength: 8 }).map((all) => all.join(''))
    const paths = fc
      .array(fc.constantFrom('a', 'b', 'aa', 'bb', '.', '{', '}', ',', '/'), { maxLength: 8 })
      .map((all) => all.join(''))
    let matched = 0
    fc.assert(
      fc.property(globs, paths, (glob, path) => {
        const segments = path.split('/')
        const alternatives = expandBraces(glob)
        const wanted = alternatives.some((one) => compileGlob(one)(segments))
        expect(compileBraceGlob(glob)(segments)).toBe(wanted)
        if (wanted && alternatives.length > 1) matched += 1
      }),
      { numRuns: 3_000 },
    )
    expect(matched).toBeGreaterThan(30)
  })
})

describe('a glob without regard to case', () => {
  const PIECES = ['a', 'B', 'é', 'Ñ', 'ß', '.', '*', '?', '[a-c]', '[!X-Z]', '{a,B}', '/', '**/']
  const globs = fc
    .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 })
    .map((all) => all.join(''))
  const paths = fc
    .array(fc.constantFrom('a', 'A', 'b', 'B', 'é', 'É', 'ñ', 'x', 'Z', '.', '/'), { maxLength: 12 })
    .map((all) => all.join(''))
  const ignoringCase = (glob: string, path: string) =>
    compileBraceGlob(glob, { nocase: true })(path.split('/'))

  it('gives every spelling of a path the same answer', () => {
    let matched = 0
    fc.assert(
      fc.property(globs, paths, (glob, path) => {
        const found = ignoringCase(glob, path)
        expect(ignoringCase(glob, path.toUpperCase())).toBe(found)
        expect(ignoringCase(glob, path.toLowerCase())).toBe(found)
        if (found) matched += 1
      }),
      { numRuns: 1_000 },
    )
    expect(matched).toBeGreaterThan(10)
  })

  it('gives every spelling of a glob without ranges the same answer', () => {
    let matched = 0
    fc.assert(
      fc.property(
        globs.filter((glob) => !glob.includes('[')),
        paths,
        (glob, path) => {
          const lower = compileBraceGlob(glob.toLowerCase())(path.toLowerCase().split('/'))
          expect(ignoringCase(glob, path)).toBe(lower)
          if (lower) matched += 1
        },
      ),
      { numRuns: 1_000 },
    )
    expect(matched).toBeGreaterThan(10)
  })

  it('matches whatever the same glob matches with regard to case, unless a range is negated', () => {
    let matched = 0
    fc.assert(
      fc.property(
        globs.filter((glob) => !glob.includes('[!')),
        paths,
        (glob, path) => {
          if (!compileBraceGlob(glob)(path.split('/'))) return
          expect(ignoringCase(glob, path)).toBe(true)
          matched += 1
        },
      ),
      { numRuns: 1_000 },
    )
    expect(matched).toBeGreaterThan(10)
  })

  it.each([
    ['**/*.TS', 'src/a.ts', true],
    ['readme*', 'README.md', true],
    ['[a-c]x', 'BX', true],
    ['[!a-c]x', 'BX', false],
    ['[Z-a]', 'A', true],
    ['?', 'İ', true],
    ['a', 'b', false],
  ])('%j of %j is %s', (glob, path, expected) => {
    expect(ignoringCase(glob, path)).toBe(expected)
  })
})
