import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { SentenceModel } from '../src/packets/minilm/model.ts'
import { makeTokenizer } from '../src/packets/minilm/tokenizer.ts'
import { cosine, readModelFiles, readReferenceTexts } from './support/minilm.ts'

it('the sentence model gives the vectors of TensorFlow.js for 200 texts, and the same bytes everywhere', async () => {
  const files = await readModelFiles()
  const model = new SentenceModel((into, at) => into.set(files['minilm.bin'].subarray(at, at + into.length)))
  const tokenizer = makeTokenizer(files['vocabulary.bin'])
  const texts = readReferenceTexts()
  expect(texts).toHaveLength(200)
  const digest = createHash('sha256')
  const far = texts.flatMap(({ kind, text, vector }) => {
    const row = model.embed(tokenizer.encode(text).ids)
    digest.update(new Uint8Array(row.buffer))
    const near = cosine(row, vector)
    return near > 0.99999 ? [] : [{ kind, text, near }]
  })
  expect(far).toEqual([])
  expect(digest.digest('hex')).toBe('3f48be2b0c279e8a23f95b2602b859361245dcf60f186fd70084bf540f04e11b')
})
