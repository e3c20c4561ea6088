import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseCount } from '../../../test/support/case-count.ts'
import { readTokens } from './token-list.ts'
import { makeTokenizer } from './tokenizer.ts'
import { packVocabulary } from './vocabulary.ts'

const tokens = Array.from({ length: 30_522 }, (_, i) => `t${i}`)
for (const [i, token] of ['[UNK]', '[CLS]', '[SEP]'].entries()) tokens[100 + i] = token

const file = (lines: readonly string[]) => Buffer.from(`${lines.join('\n')}\n`)
const changed = (at: number, token: string) => file(tokens.map((one, i) => (i === at ? token : one)))

describe('a file of tokens', () => {
  it('has each token in its line', () => {
    expect(readTokens(file(tokens))).toEqual(tokens)
  })

  it.each<readonly [string, Uint8Array, string]>([
    ['too few', file(tokens.slice(1)), '30521 tokens and not 30522'],
    ['one more, which would be a row behind the weights', file([...tokens, 'more']), '30523 tokens'],
    ['a token twice', changed(5, 't6'), 'twice'],
    ['another token where the model expects [SEP]', changed(102, 'x'), 'token 102 is not [SEP]'],
    ['bytes that are no text', Buffer.concat([file(tokens), Buffer.from([0xff])]), 'encoded'],
    ['a token of a megabyte', changed(7, 'x'.repeat(1024 * 1024)), 'more than 1048576 bytes'],
    ['nothing', Buffer.alloc(0), '1 tokens'],
  ])('is refused with %s', (_, bytes, said) => {
    expect(() => readTokens(bytes)).toThrow(said)
  })

  it('gives ids inside of the weights for any text, or is refused, whatever its tokens are', () => {
    const other = fc.array(fc.tuple(fc.nat(30_521), fc.string({ maxLength: 12, unit: 'binary' })), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(other, fc.string({ maxLength: 40, unit: 'grapheme' }), (changes, text) => {
        const lines = [...tokens]
        for (const [at, token] of changes) lines[at] = token
        let read: readonly string[]
        try {
          read = readTokens(file(lines))
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(Error)
          return
        }
        for (const id of makeTokenizer(packVocabulary(read)).encode(text).ids) expect(read[id]).toBeDefined()
      }),
      { numRuns: caseCount(6, 300) },
    )
  })
})
