import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findKinds, makePrefilter, requiredLiterals } from './prefilter.ts'

const literals = (rule: Record<string, unknown>, utils?: Record<string, unknown>) =>
  requiredLiterals({ rule, ...(utils && { utils }) }, 'typescript')

describe('the required literals of a rule', () => {
  it.each([
    [{ pattern: 'console.log($$$A)' }, [['console']]],
    [{ pattern: '$A + 1' }, []],
    [{ regex: '^(exec|spawn)$' }, [['exec', 'spawn']]],
    [{ regex: '^(?:node:)?child_process$' }, [['child_process']]],
    [{ regex: '^(x|spawn)$' }, []],
    [{ regex: '(?i)token' }, []],
    [{ regex: '(?=token)' }, []],
    [{ regex: 'ab?c' }, []],
    [{ regex: 'abc?d' }, [['ab']]],
    [{ regex: 'abcde+fghij' }, [['abcde'], ['fghij']]],
    [{ regex: 'abcde+?fghij' }, [['abcde'], ['fghij']]],
    [{ regex: 'ab{0}c' }, []],
    [{ regex: 'ab{2}{0}c' }, []],
    [{ regex: '<{4}|>{4}' }, [['<<<<', '>>>>']]],
    [{ regex: '[abc]def|ghi' }, [['def', 'ghi']]],
    [{ regex: '[]a]def' }, []],
    [{ regex: '[a&&[b]]def' }, []],
    [{ regex: 'foo(bar)?baz' }, [['foo']]],
    [{ regex: 'foo(bar|qux)+' }, [['foo']]],
    [{ regex: '\\b(TODO|FIXME)\\b' }, [['TODO', 'FIXME']]],
    [{ regex: '(@ts-(ignore|nocheck)|noqa)' }, [['ignore', 'nocheck', 'noqa']]],
    [{ regex: '^Task\\s*\\.\\s*detached$' }, [['detached']]],
    [{ regex: 'a\\(bcd' }, [['a(bcd']]],
    [{ regex: '\\x41bc' }, []],
    [{ regex: '\\x{202e}|\\x{2066}' }, [['\u202e', '\u2066']]],
    [{ regex: '\\x{ffffff}bc' }, []],
    [{ regex: '(?:abc|def)ghi' }, [['ghi']]],
    [{ kind: 'class_declaration' }, [['class']]],
    [{ kind: 'catch_clause' }, [['catch']]],
    [{ not: { pattern: 'foo()' } }, []],
    [{ any: [{ pattern: 'foo()' }, { regex: '^bar$' }] }, [['foo', 'bar']]],
    [{ any: [{ pattern: 'foo()' }, { kind: 'x' }] }, []],
    [{ all: [{ pattern: 'foo()' }, { has: { regex: '^bar$' } }] }, [['foo']]],
    [{ pattern: { context: 'foo(bar)', selector: 'identifier' } }, []],
    [{ pattern: { context: 'foo()', strictness: 'signature' } }, []],
  ])('%j asks for %j', (rule, wanted) => {
    expect(literals(rule)).toEqual(wanted)
  })

  it('are found through utilities, also those that refer to each other', () => {
    expect(
      literals(
        { matches: 'a' },
        { a: { has: { matches: 'b' } }, b: { pattern: 'foo()', inside: { matches: 'a' } } },
      ),
    ).toEqual([['foo']])
    const wide = { all: Array.from({ length: 50 }, () => ({ matches: 'next' })) }
    const chain = Object.fromEntries(
      Array.from({ length: 60 }, (_, level) => [
        `u${level}`,
        JSON.parse(JSON.stringify(wide).replaceAll('next', `u${level + 1}`)),
      ]),
    )
    expect(literals({ matches: 'u0' }, { ...chain, u60: { pattern: 'foo()' } })).toEqual([['foo']])
  })

  it('are in every text that a regex of the simple kind matches', () => {
    const atom = fc.constantFrom(
      'ab',
      'cd',
      'x',
      'fo',
      '[ab]',
      '\\w',
      '(ab|cd)',
      '(?:xy)?',
      'z*',
      'q+',
      '\\.',
      'k{2}',
      '^',
      '$',
    )
    const regex = fc.array(fc.array(atom, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(
        regex,
        fc.array(fc.constantFrom('ab', 'cd', 'x', 'fo', 'a', 'xy', 'z', 'q', '.', 'k', 'kk'), {
          maxLength: 8,
        }),
        (branches, parts) => {
          const source = branches.map((one) => one.join('')).join('|')
          const text = parts.join('')
          if (!new RegExp(source).test(text)) return
          for (const words of literals({ regex: source }))
            expect(words.some((word) => text.includes(word))).toBe(true)
        },
      ),
      { numRuns: 3_000 },
    )
  })
})

describe('the kinds a rule names', () => {
  it.each([
    [{ kind: 'a' }, ['a']],
    [{ kind: 'a > b' }, undefined],
    [{ pattern: 'a' }, undefined],
    [{ any: [{ kind: 'a' }, { kind: 'b' }] }, ['a', 'b']],
    [{ any: [{ kind: 'a' }, { pattern: 'b' }] }, undefined],
    [{ all: [{ pattern: 'b' }, { kind: 'a' }] }, ['a']],
  ])('%j: %j', (rule, kinds) => {
    expect(findKinds(rule)).toEqual(kinds)
  })
})

describe('the prefilter', () => {
  it('lets through what a search for each word would let through', () => {
    const word = fc.stringMatching(/^[ab]{1,4}$/)
    const list = fc.array(fc.array(fc.array(word, { minLength: 1, maxLength: 3 }), { maxLength: 3 }), {
      maxLength: 6,
    })
    // After so much text the words are searched in one pass.
    const longText = 'c'.repeat(20_000)
    fc.assert(
      fc.property(list, fc.stringMatching(/^[abc]{0,30}$/), (all, text) => {
        const wanted = all.flatMap((needs, index) =>
          needs.every((choices) => choices.some((one) => text.includes(one))) ? [index] : [],
        )
        const prefilter = makePrefilter(all)
        expect(prefilter(text)).toEqual(wanted)
        prefilter(longText)
        expect(prefilter(text)).toEqual(wanted)
      }),
      { numRuns: 2_000 },
    )
  })
})
