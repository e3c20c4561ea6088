import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readVocabulary } from '../../../test/support/minilm.ts'
import { makeTokenizer } from './tokenizer.ts'
import { packVocabulary } from './vocabulary.ts'
import { splitWindows, WINDOW_TOKENS } from './windows.ts'

const tokenizer = makeTokenizer(packVocabulary(await readVocabulary()))
const count = (text: string): number => tokenizer.encode(text).ids.length
const sentence = 'The client tries again after a second, unless the server says when.\n'

describe('windows', () => {
  it('leaves a short passage whole and puts path and headings in front', () => {
    const text = 'Wait a second.'
    expect(splitWindows(tokenizer, { path: 'docs/retry.md', headings: ['Guide', 'Retries'], text })).toEqual([
      { start: 0, end: text.length, input: 'docs/retry.md\nGuide > Retries\nWait a second.' },
    ])
  })

  it('gives one window for a passage without words', () => {
    expect(splitWindows(tokenizer, { path: '', headings: [], text: '' })).toEqual([
      { start: 0, end: 0, input: '' },
    ])
  })

  it('cuts a long passage at the end of a line into windows of about the same size', () => {
    const windows = splitWindows(tokenizer, { path: 'a.md', headings: [], text: sentence.repeat(40) })
    expect(windows.length).toBe(Math.ceil((count(sentence) * 40) / 122))
    for (const { input } of windows) {
      expect(input).toMatch(/^a\.md\nThe client/)
      expect(input).toMatch(/says when\.$/)
    }
    const sizes = windows.map(({ input }) => count(input))
    expect(Math.min(...sizes)).toBeGreaterThan(60)
  })

  it('bounds the front: the file name and the innermost headings stay', () => {
    const path = `${'very/long/folder/'.repeat(40)}retry.md`
    const headings = ['Handbook of everything '.repeat(30), 'Network', 'Retries']
    const [first] = splitWindows(tokenizer, { path, headings, text: sentence.repeat(40) })
    const front = first?.input.slice(0, first.input.indexOf('The client')) ?? ''
    expect(front).toMatch(/retry\.md\nNetwork > Retries\n$/)
    expect(count(front)).toBeLessThanOrEqual(42)
  })

  it('covers every token of any text in order, in inputs that fit', () => {
    const word = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('\n', '. ', 'word ', 'ο'),
    )
    const long = fc.array(word, { minLength: 0, maxLength: 150 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(
        long,
        fc.string({ maxLength: 200 }),
        fc.array(fc.string(), { maxLength: 4 }),
        (text, path, headings) => {
          const { starts, ends } = tokenizer.encode(text)
          const windows = splitWindows(tokenizer, { path, headings, text })
          let next = 0
          for (const { start, end, input } of windows) {
            expect(input.endsWith(text.slice(start, end))).toBe(true)
            // A cut inside of a word can change its tokens.
            expect(count(input)).toBeLessThanOrEqual(WINDOW_TOKENS)
            while (next < starts.length && (ends[next] as number) <= end) {
              if ((starts[next] as number) < start) throw new Error(`token ${next} is before its window`)
              next++
            }
          }
          expect(next).toBe(starts.length)
        },
      ),
      { numRuns: 25, seed: 19 },
    )
  })
})
