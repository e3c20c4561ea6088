import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { cosine, readModelFiles, readReferenceTexts } from '../../../test/support/minilm.ts'
import { SentenceModel } from './model.ts'
import { makeTokenizer } from './tokenizer.ts'

const files = await readModelFiles()
const model = new SentenceModel((into, at) => into.set(files['minilm.bin'].subarray(at, at + into.length)))
const tokenizer = makeTokenizer(files['vocabulary.bin'])
const embed = (text: string): Float32Array => model.embed(tokenizer.encode(text).ids)
// The long tests take all of them.
const references = readReferenceTexts().filter((_, i) => i % 3 === 0)

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
    expect(digest.digest('hex')).toBe('843a92c94ee839c726325a51e8f732b09835b58438a5ea3927a0f7d78ba5e8fc')
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
