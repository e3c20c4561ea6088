import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { caseCount } from '../../../test/support/case-count.ts'
import { cosine, readModelFiles, readReferenceTexts } from '../../../test/support/minilm.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { SentenceModel } from './model.ts'
import { MODEL_MAGIC, MODEL_PLACES } from './model-layout.ts'
import { makeTokenizer } from './tokenizer.ts'

const files = await readModelFiles()
const model = new SentenceModel((into, at) => into.set(files['minilm.bin'].subarray(at, at + into.length)))
const tokenizer = makeTokenizer(files['vocabulary.bin'])
const embed = (text: string): Float32Array => model.embed(tokenizer.encode(text).ids)
// The long tests take all of them.
const references = readReferenceTexts().filter((_, i) => i % 9 === 0)

describe('the sentence model', () => {
  const digest = createHash('sha256')

  it('gives the vectors of TensorFlow.js for texts of many kinds', () => {
    const far = references.flatMap(({ kind, text, vector }) => {
      const row = embed(text)
      digest.update(new Uint8Array(row.buffer))
      const near = cosine(row, vector)
      return near > 0.99999 ? [] : [{ kind, text, near }]
    })
    expect(far).toEqual([])
  })

  it('gives the same bytes on every machine and with every version of Node.js', () => {
    expect(digest.digest('hex')).toBe('e06f72fcec120c780c259a04000195b449921c976b93a58a81d6e1c24d17bcc0')
  })

  it('gives the same bytes whatever it embedded before', () => {
    const [short, long] = ['retry', 'a much longer text about something else '.repeat(40)]
    const before = embed(short)
    embed(long)
    expect(embed(short)).toEqual(before)
  })

  it('finds what a question means without a word of it in the answer', () => {
    const question = embed('how do I undo a mistake')
    const [near, far] = ['Restore the previous release with one command.', 'The server listens on a port.']
    expect(cosine(question, embed(near as string))).toBeGreaterThan(cosine(question, embed(far as string)))
  })

  it('gives vectors of length one for any text', () => {
    for (const text of ['', '\ud800', 'a'.repeat(1e6), '\u{10ffff}'.repeat(300), '漢'.repeat(1000), '\0'])
      expect(cosine(embed(text), embed(text))).toBeCloseTo(1, 6)
  })
})

describe('the name of the model', () => {
  it('stands for these files and no others', () => {
    expect({
      weights: digestBytes(files['minilm.bin']),
      vocabulary: digestBytes(Buffer.from(files['vocabulary.txt'])),
    }).toEqual({
      weights: 'sha256:1762c1fd97283da7aa7acedb719dd1815083c6e3fa6046f8aef7b78c6d424a0b',
      vocabulary: 'sha256:07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3',
    })
  })
})

describe('damaged weights', () => {
  const whole = files['minilm.bin']
  /** Opens the weights with some bytes replaced. In a copy: words are read when a text has them. */
  const openWith = (at: number, bytes: Uint8Array): SentenceModel => {
    const copy = Buffer.from(whole)
    copy.set(bytes, at)
    return new SentenceModel((into, from) => into.set(copy.subarray(from, from + into.length)))
  }
  const number = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeFloatLE(value)
    return bytes
  }
  const anyFloat = fc
    .constantFrom(...MODEL_PLACES.floats)
    .chain(({ at, count }) => fc.nat(count - 1).map((i) => at + 4 * i))

  it('are refused with another head, and when a number is NaN or infinite, wherever it is', () => {
    const bad = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)
    fc.assert(
      fc.property(anyFloat, bad, (at, value) => {
        expect(() => openWith(at, number(value))).toThrow(`the number at byte ${at} is not finite`)
      }),
      { numRuns: caseCount(3, 200) },
    )
    expect(() => openWith(MODEL_MAGIC.length - 3, Buffer.from('2'))).toThrow('not a model of this version')
  })

  it('never crash, whatever their bytes and numbers are', () => {
    const noise = fc.oneof(
      fc.tuple(fc.nat(whole.length - 4096), fc.uint8Array({ minLength: 1, maxLength: 4096 })),
      fc.tuple(
        anyFloat,
        fc.constantFrom(0, -0, 3.4e38, -3.4e38, 1e-40, -1).map((value) => Uint8Array.from(number(value))),
      ),
    )
    fc.assert(
      fc.property(noise, ([at, bytes]) => {
        let opened: SentenceModel
        try {
          opened = openWith(at, bytes)
        } catch (thrown) {
          expect((thrown as Error).message).toMatch(/is not finite$|not a model of this version/)
          return
        }
        expect(opened.embed(tokenizer.encode('a question').ids)).toHaveLength(384)
      }),
      { numRuns: caseCount(4, 300) },
    )
  })
})
