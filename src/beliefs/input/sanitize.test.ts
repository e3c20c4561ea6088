import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../kernel/encoding/json.ts'
import { FORBIDDEN_NAMES, isForbidden, sanitize } from './sanitize.ts'

const PATTERNS = Object.values(FORBIDDEN_NAMES).flat()

const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
const each = (name: string, letter: (one: string) => string) => [...name].map(letter).join('')
const swap = (from: string, to: string) => (name: string) =>
  each(name, (one) => {
    const index = [...from].indexOf(one)
    return index < 0 ? one : ([...to][index] ?? one)
  })

const mathematical = (one: string): string =>
  /[a-z]/.test(one) ? String.fromCodePoint(0x1d41a + one.charCodeAt(0) - 97) : one

const fullWidth = (one: string): string =>
  /[!-~]/.test(one) ? String.fromCharCode(one.charCodeAt(0) + 0xfee0) : one

const DISGUISES: readonly (readonly [string, (name: string) => string])[] = [
  ['as it is', (name) => name],
  ['in capitals', (name) => name.toUpperCase()],
  ['in camel case', camel],
  ['in Pascal case', (name) => camel(`_${name}`)],
  ['with hyphens', (name) => name.replaceAll('_', '-')],
  ['with dots', (name) => name.replaceAll('_', '.')],
  ['with spaces', (name) => name.replaceAll('_', ' ')],
  ['with slashes', (name) => name.replaceAll('_', '/')],
  ['run together', (name) => name.replaceAll('_', '')],
  ['inside a longer name', (name) => `my_${name}_v2`],
  ['with zero-width spaces', (name) => [...name].join('\u200b')],
  ['with joiners', (name) => [...name].join('\u200d')],
  ['with word joiners', (name) => [...name].join('\u2060')],
  ['with soft hyphens', (name) => [...name].join('\u00ad')],
  ['with a byte order mark', (name) => `\ufeff${name}`],
  ['with a Mongolian vowel separator', (name) => [...name].join('\u180e')],
  ['with variation selectors', (name) => [...name].join('\ufe0f')],
  ['with supplementary selectors', (name) => [...name].join('\u{e0100}')],
  ['with tag characters', (name) => [...name].join('\u{e0041}')],
  ['with grapheme joiners', (name) => [...name].join('\u034f')],
  ['with Hangul fillers', (name) => [...name].join('\u3164')],
  ['with accents', (name) => each(name, (one) => (/[a-z]/.test(one) ? `${one}\u0301` : one))],
  ['in full width', (name) => each(name, fullWidth)],
  ['in mathematical letters', (name) => each(name, mathematical)],
  ['in small Cyrillic', swap('aeopcyxijshdlqwbkmt', 'аеорсухіјѕһԁӏԛԝькмт')],
  ['in capital Cyrillic', (name) => swap('ABEKMHOPCTYXISJ', 'АВЕКМНОРСТУХІЅЈ')(name.toUpperCase())],
  ['in small Greek', swap('aeioptuvxykwn', 'αειορτυνχγκωη')],
  ['in capital Greek', (name) => swap('ABEZHIKMNOPTYX', 'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ')(name.toUpperCase())],
  ['with a dotless i and a script l', swap('il', 'ıℓ')],
  ['with a capital I for every l', (name) => name.replaceAll('l', 'I')],
  ['with a one for every l', (name) => name.replaceAll('l', '1')],
  ['with a zero for every o', (name) => name.replaceAll('o', '0')],
]

/** Every name that may appear in an answer, and words that look close to a forbidden one. */
const VOCABULARY = [
  'node_id belief energy timestamp edge_id src dst weight drift coherent node_count edge_count checksum seq',
  'checksum_valid drift_epsilon drift_ok esv_valid quarantined healthy lineage_length tick server_version',
  'nodes_updated edges_processed max_belief_change converged valid result status path count head stability',
  'entries truncated from_seq limit influences history source moved ticks operation change claim evidence',
  'content type text structuredContent isError jsonrpc id code message data code_string error method params',
  'name title description version sideEffects dependencies inputSchema outputSchema properties required',
  'protocolVersion capabilities serverInfo tools resources prompts resourceTemplates annotations',
  'energy_drift coherence sequence payload_hash pre_delta post_delta attempted_correction cycle_number',
].flatMap((line) => line.split(' '))

const WORDS = ['INTERNAL_ERROR', 'energy_allocation', 'topology_change', 'state_mutation', 'lineage_append']

describe('the forbidden names', () => {
  it('are 64, and all different', () => {
    expect(PATTERNS).toHaveLength(64)
    expect(new Set(PATTERNS).size).toBe(64)
  })

  it.each(DISGUISES)('are recognised %s', (_, disguise) => {
    expect(PATTERNS.map(disguise).filter((name) => !isForbidden(name))).toEqual([])
  })

  it('are recognised in disguises laid over one another', () => {
    const missed = DISGUISES.flatMap(([one, first]) =>
      DISGUISES.flatMap(([two, second]) =>
        PATTERNS.filter(
          // In one order or the other: a small nu is a v, but its capital no longer is.
          (name) => !isForbidden(first(second(name))) && !isForbidden(second(first(name))),
        ).map((name) => `${name}: ${one}, ${two}`),
      ),
    )
    expect(missed).toEqual([])
  })

  it('are none of the names we answer with', () => {
    expect(VOCABULARY.filter(isForbidden)).toEqual([])
    expect(VOCABULARY.map(camel).filter(isForbidden)).toEqual([])
  })
})

describe('sanitizing', () => {
  it.each(DISGUISES)('takes members out at any depth, their names %s', (_, disguise) => {
    for (const name of PATTERNS) {
      const bad = { [disguise(name)]: { deep: 1 }, kept: 1 }
      const { value, removed } = sanitize({ list: [bad, [bad]], inner: { bad } })
      const good = { kept: 1 }
      expect(value).toEqual({ list: [good, [good]], inner: { bad: good } })
      expect(removed).toHaveLength(3)
    }
  })

  it.each(DISGUISES)('looks into texts that are JSON, names %s', (_, disguise) => {
    for (const name of PATTERNS) {
      const bad = JSON.stringify([{ [disguise(name)]: 1, kept: [1.5, 'x'] }])
      const twice = JSON.stringify({ text: bad })
      const { value, removed } = sanitize({ text: bad, again: twice })
      const good = JSON.stringify([{ kept: [1.5, 'x'] }])
      expect(value).toEqual({ text: good, again: JSON.stringify({ text: good }) })
      expect(removed).toEqual([`text[0].${disguise(name)}`, `again.text[0].${disguise(name)}`])
    }
  })

  it('keeps every name and word of ours', () => {
    const answer = Object.fromEntries(VOCABULARY.map((name) => [name, WORDS]))
    const text = JSON.stringify(answer, null, 2)
    expect(sanitize({ ...answer, text })).toEqual({ value: { ...answer, text }, removed: [] })
  })

  it('leaves a text that hides nothing exactly as it was written', () => {
    const text = '{ "weight": 1.0,\t"seq": 18446744073709551615 }'
    expect(sanitize({ text }).value).toEqual({ text })
  })

  it('leaves texts that only look like JSON', () => {
    for (const text of ['{ topology', '[internal_error', '"', '{"a":1} topology', 'topology', '']) {
      expect(sanitize([text])).toEqual({ value: [text], removed: [] })
    }
  })

  it('keeps the layout of a text it had to change', () => {
    const text = JSON.stringify({ seq: 1, topology: 2 }, null, 2)
    expect(sanitize(text).value).toBe(JSON.stringify({ seq: 1 }, null, 2))
  })

  it('is not misled by names that come twice or are escaped', () => {
    for (const text of [
      '{"a":{"esv_raw":1},"a":2}',
      '{"a":{"\\u0065sv_r\\u0061w":1},"a":2}',
      '{"a":{"esv\\nraw":1},"a":2}',
    ]) {
      expect(sanitize(text).value).toBe('{"a":2}')
    }
    expect(sanitize('"{\\"topology\\":1}"').value).toBe('"{}"')
  })

  it('does not cut arrays', () => {
    const list = Array.from({ length: 1_000 }, (_, seq) => ({ seq }))
    expect(sanitize(list).value).toEqual(list)
  })

  it('cannot be made to exhaust the stack', () => {
    const text = `${'['.repeat(500_000)}{"topology":1}${']'.repeat(500_000)}`
    const { value, removed } = sanitize({ text })
    expect(JSON.stringify(value)).not.toContain('topology')
    expect(removed).toHaveLength(1)
  })

  it('keeps a member called __proto__ a member', () => {
    const { value } = sanitize(JSON.parse('{"__proto__":{"topology":1,"seq":2}}') as Json)
    expect(Object.entries(value as object)).toEqual([['__proto__', { seq: 2 }]])
  })

  it('leaves nothing forbidden in any JSON', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom(...PATTERNS))
    const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue().map((value) => value as Json),
        fc.array(tie('tree')),
        fc.dictionary(name, tie('tree')),
        fc.dictionary(name, tie('tree')).map((value) => JSON.stringify(value)),
      ),
    }))
    fc.assert(
      fc.property(tree, (value) => {
        const once = sanitize(value).value
        expect(sanitize(once)).toEqual({ value: once, removed: [] })
      }),
    )
  })
})
