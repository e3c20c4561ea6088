import { describe, expect, it } from 'vitest'
import { quotePath } from '../jail.ts'
import { escapeInvisible } from './escape-text.ts'

/** Newline, CSI, right-to-left override, line separator, and two characters outside the basic plane. */
const HIDDEN = ['\n', '\u009b', '\u202e', '\u2028', '\u{e0001}', '\u{1d173}']

describe('hidden characters', () => {
  it.each(HIDDEN)('are escaped in a form that JSON parses back: %j', (char) => {
    expect(escapeInvisible(char)).toMatch(/^(\\u[0-9a-f]{4})+$/)
    expect(JSON.parse(`"${escapeInvisible(char)}"`)).toBe(char)
  })

  it.each(HIDDEN)('in a path are escaped within quotes: %j', (char) => {
    const shown = quotePath(`a${char}b`)
    expect(shown).toMatch(/^"[\x20-\x7e]*"$/)
    expect(JSON.parse(shown)).toBe(`a${char}b`)
  })
})
