import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readVocabulary } from '../../../test/support/minilm.ts'
import { makeTokenizer } from './tokenizer.ts'
import { packVocabulary } from './vocabulary.ts'
import { blankMarkup, splitSections } from './windows.ts'

const tokenizer = makeTokenizer(packVocabulary(await readVocabulary()))
const split = (text: string, headings: readonly string[], path = 'a.md') =>
  splitSections(tokenizer, { path, headings, text })
const fronts = (text: string, headings: readonly string[]) =>
  split(text, headings).map(({ input }) => input.split('\n')[1])
/** Marks of Markdown, line ends, letters of several scripts, half a surrogate pair. */
const sign = fc.constantFrom(...'[]()#`<>/!|-=: "\n\r\tab1é中', '\ud800', '\u{1f600}', '```', '<a ', '](')
const sentence = 'The client tries again after a second, unless the server says when.\n'

describe('windows of sections', () => {
  it('have the headings of their own section in front', () => {
    const text = '### Wait\nOne second.\n#### Longer\nTwo seconds.\n### Stop\nNever.\n## Logs\nEvery line.'
    expect(fronts(text, ['Guide', 'Retries', 'Wait'])).toEqual([
      'Guide > Retries > Wait',
      'Guide > Retries > Wait > Longer',
      'Guide > Retries > Stop',
      'Guide > Logs',
    ])
  })

  it('have the text before the first heading without it, and a heading without text with what follows', () => {
    expect(fronts('Notes first.\nMore of them.\n# Guide\nText.', ['Guide'])).toEqual([
      'Notes first.',
      'Guide',
    ])
    const windows = split('# Guide\n\n## Wait\n<a id="wait"></a>\n\n### Short\nOne second.', ['Guide'])
    expect(windows).toMatchObject([{ start: 0, input: expect.stringContaining('\nGuide > Wait > Short\n') }])
  })

  it('have shorter vectors where they continue a section', () => {
    const lengths = (text: string) => split(text, ['Wait']).map(({ length }) => length)
    expect(lengths(`# Wait\n${sentence.repeat(20)}`)).toEqual([undefined, 0.85, 0.85])
    expect(lengths(sentence.repeat(20))).toEqual([0.85, 0.85, 0.85])
    // The passage begins inside a code fence.
    expect(fronts('# install\nnpm ci\n```\nThen start it.', ['Wait'])).toEqual(['Wait'])
    expect(lengths('# install\nnpm ci\n```\nThen start it.')).toEqual([0.85])
  })

  it('leave out markup, and say where their words are in the text', () => {
    const text =
      '## The `wait` option\n\n```js\nwait(1)\n```\n\nSee [retries](https://example.com/long#address).'
    const [window] = split(text, ['Guide', 'The `wait` option'])
    expect(window?.input.replace(/\s+/g, ' ')).toBe(
      'a.md Guide > The wait option The wait option wait(1) See retries .',
    )
    expect(text.slice(window?.start, window?.end)).toBe(text)
  })

  it('are those of the whole passage without headings, as in program code', () => {
    const text = '# a comment\nprint(1)\n# another\nprint(2)'
    expect(split(text, [], 'a.py')).toEqual([{ start: 0, end: text.length, input: `a.py\n${text}` }])
  })

  it('are in order, never overlap, and lose no word of any text', () => {
    const line = fc.oneof(
      fc.constantFrom('# A', '## B', '### A', '```', '---', '===', '', '[x]: y', sentence, '`', '\r'),
      fc.string({ unit: sign, maxLength: 30 }),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom('A', 'B', 'C'), (lines, heading) => {
        const text = lines.join('\n')
        const windows = split(text, ['Top', heading])
        expect(windows.length).toBeGreaterThan(0)
        let [end, outside] = [0, '']
        for (const window of windows) {
          expect(window.start).toBeGreaterThanOrEqual(end)
          outside += blankMarkup(text).slice(end, window.start)
          end = window.end
        }
        outside += blankMarkup(text).slice(end)
        expect(tokenizer.encode(outside).ids).toEqual([])
      }),
      { numRuns: 50 },
    )
  })
})

describe('markup', () => {
  it.each([
    ['## Title', '   Title'],
    ['a `b` <br/> <a id="x">c</a> Map<string>', 'a  b                  c     Map<string>'],
    ['![image](x.png "t") [text][ref] [kept]', '  image              text       [kept]'],
    ['| a | b |\n|---|:-:|\n})', '| a | b |\n         \n  '],
    ['[ref]: https://example.com', ' '.repeat(26)],
  ])('of %j is replaced by spaces', (text, expected) => {
    expect(blankMarkup(text)).toBe(expected)
  })

  it('never changes the length of a text, nor takes long', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: sign, maxLength: 60 }),
        (text) => blankMarkup(text).length === text.length,
      ),
    )
    for (const part of ['[', '<a ', '![x](', '[x][', '#', '`', '[x]: ', ' ']) {
      const text = part.repeat(20_000)
      expect(blankMarkup(text)).toHaveLength(text.length)
    }
  })
})
