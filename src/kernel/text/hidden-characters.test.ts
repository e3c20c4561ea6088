import { describe, expect, it } from 'vitest'
import { describeHidden, escapeHidden } from './hidden-characters.ts'

const HIDDEN: readonly (readonly [what: string, char: string, code: string])[] = [
  ['an escape sequence', '\u001b', 'U+001B'],
  ['a backspace', '\b', 'U+0008'],
  ['a C1 control', '\u009b', 'U+009B'],
  ['a carriage return inside of a line', '\r', 'U+000D'],
  ['a right-to-left override', '\u202e', 'U+202E'],
  ['an isolate', '\u2066', 'U+2066'],
  ['a zero-width space', '\u200b', 'U+200B'],
  ['a joiner between letters', '\u200d', 'U+200D'],
  ['a byte order mark inside of a line', '\ufeff', 'U+FEFF'],
  ['a soft hyphen', '\u00ad', 'U+00AD'],
  ['a line separator', '\u2028', 'U+2028'],
  ['a tag character', '\u{e0041}', 'U+E0041'],
  ['a variation selector of the supplement', '\u{e0100}', 'U+E0100'],
  ['a Hangul filler', '\u3164', 'U+3164'],
]

describe('hidden characters', () => {
  it.each(HIDDEN)('%s is found and escaped', (_, char, code) => {
    expect(describeHidden(`one\nt${char}wo\n`, 7)).toBe(`line 8 (${code})`)
    expect(escapeHidden(`t${char}wo`)).toMatch(/^t(\\u[0-9a-f]{4}){1,2}wo$/)
  })

  it.each([
    ['plain text', 'a\tb\n'],
    ['Windows lines', 'a\r\nb\r\n'],
    ['letters of any script', 'naïve 日本語 עברית\n'],
    ['an emoji with a variation selector', '❤\ufe0f\n'],
    ['a keycap', '1\ufe0f\u20e3\n'],
    ['a family', '👩\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 👩🏽\u200d💻\n'],
  ])('%s has none', (_, text) => {
    expect(describeHidden(text, 1)).toBeUndefined()
    expect(escapeHidden(text)).toBe(text)
  })

  it('names five lines and counts the rest', () => {
    expect(describeHidden('\u200b\n'.repeat(7), 1)).toMatch(
      /^line 1 \(U\+200B\), .*line 5 \(U\+200B\) and 2 more lines$/,
    )
  })

  it('does not count the end of a Windows line, and counts a carriage return at the end of the text', () => {
    expect(describeHidden('a\u200b\r\nb\r\n', 1)).toBe('line 1 (U+200B)')
    expect(describeHidden('a\r\nb\r', 1)).toBe('line 2 (U+000D)')
  })

  it('names four characters of a line', () => {
    expect(describeHidden('\u0001\u0002\u0003\u0004\u0005', 1)).toBe('line 1 (U+0001 U+0002 U+0003 U+0004 …)')
  })
})
