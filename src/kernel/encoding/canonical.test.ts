import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Fault } from '../fault.ts'
import { canonicalFaults, canonicalJson } from './canonical.ts'
import { digestJson } from './hash.ts'

describe('canonical JSON', () => {
  it.each([
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    // The number and string examples of RFC 8785, section 3.2.2.
    [
      // biome-ignore lint/correctness/noPrecisionLoss: the RFC's own example
      { numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001] },
      '{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}',
    ],
    [{ string: '€$\u000F\u000aA\'B"\\\\"/' }, '{"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'],
    // Section 3.2.3: sorted by UTF-16 code units, so the emoji comes before the Hebrew letter.
    [
      { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 },
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"\ud83d\ude00":5,"\ufb33":3}',
    ],
    [-0, '0'],
    [{ gone: undefined, kept: null }, '{"kept":null}'],
  ])('writes %j as RFC 8785 does', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  it('agrees with an independent implementation on any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value))
      }),
    )
  })

  it('does not depend on the order of keys, and survives a round trip', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const turned = Object.fromEntries(Object.entries(object).reverse())
        expect(digestJson(turned)).toBe(digestJson(object))
        expect(canonicalJson(JSON.parse(canonicalJson(object)))).toBe(canonicalJson(object))
      }),
    )
  })

  it.each([
    ['NaN', Number.NaN],
    ['infinity', { deep: [Number.POSITIVE_INFINITY] }],
    ['a lone surrogate', 'x\ud800'],
    ['a lone surrogate as key', { '\udc00': 1 }],
    ['a function', () => 1],
    ['undefined alone', undefined],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a map', new Map()],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(Fault)
    expect(() => canonicalJson(value)).toThrow(/no canonical JSON form/)
  })

  it('refuses with a code a program can read', () => {
    expect(canonicalFaults.not_json('x')).toMatchObject({ code: 'canonical.not_json', kind: 'invalid' })
  })
})

describe('digests', () => {
  it('are SHA-256 of the canonical bytes', () => {
    expect(digestJson({})).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a')
  })
})
