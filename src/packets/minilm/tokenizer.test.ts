import { Tokenizer as Reference } from '@huggingface/tokenizers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTokenizerFile, readVocabulary } from '../../../test/support/minilm.ts'
import { makeTokenizer } from './tokenizer.ts'
import { packVocabulary } from './vocabulary.ts'

const vocabulary = await readVocabulary()
const tokenizer = makeTokenizer(packVocabulary(vocabulary))
const reference = new Reference({ ...(await readTokenizerFile()), truncation: null, padding: null }, {})
const referenceIds = (text: string): number[] => reference.encode(text, { add_special_tokens: false }).ids

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  // UTF-16 units with lone surrogates.
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
    .map((units) => String.fromCharCode(...units)),
  // Sigmas, marks and spaces, whose treatment depends on their neighbours.
  fc
    .array(fc.constantFrom(..."ΑΣσ\u0301\u0345'. a\u00adİẞ가\u3164漢字\ufeff\v\f\u2028"), { maxLength: 30 })
    .map((chars) => chars.join('')),
)

describe('tokenizer', () => {
  it('gives the ids of the reference implementation for random texts of all of Unicode', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(tokenizer.encode(text).ids).toEqual(referenceIds(text))
      }),
      { numRuns: 2000, seed: 19 },
    )
  })

  it('gives the ids of the reference implementation for every kind of character', () => {
    for (let code = 0; code < 0x11_0000; code += code < 0x3000 ? 1 : 97) {
      const char = String.fromCodePoint(code)
      const text = `a${char}b ${char}`
      const [ours, theirs] = [tokenizer.encode(text).ids, referenceIds(text)]
      if (ours.join() !== theirs.join()) expect(ours, code.toString(16)).toEqual(theirs)
    }
  })

  it('says where each token is', () => {
    const text = 'Ça  va, İstanbul?'
    const { ids, starts, ends } = tokenizer.encode(text)
    expect(ids.map((id, i) => [vocabulary[id], text.slice(starts[i], ends[i])])).toEqual([
      ['ca', 'Ça'],
      ['va', 'va'],
      [',', ','],
      ['istanbul', 'İstanbul'],
      ['?', '?'],
    ])
  })

  it('takes text that looks like a special token as text', () => {
    expect(tokenizer.encode('[SEP]').ids.map((id) => vocabulary[id])).toEqual(['[', 'sep', ']'])
  })

  it('reads a word of a million characters, and half a million words, in linear time', () => {
    expect(tokenizer.encode('a'.repeat(1e6)).ids).toHaveLength(1)
    expect(tokenizer.encode('\ud800'.repeat(1e6)).ids).toHaveLength(0)
    expect(tokenizer.encode('x,'.repeat(2.5e5)).ids).toHaveLength(5e5)
    expect(tokenizer.encode('é漢'.repeat(5e4)).ids).toHaveLength(1e5)
  })
})
