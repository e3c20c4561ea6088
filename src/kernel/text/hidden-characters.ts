import { toUnicodeEscape } from './escape-text.ts'

/**
 * Characters that a person does not see and a model or a terminal acts on: control characters, a carriage return
 * inside of a line, bidirectional controls, zero-width and tag characters, line separators. Not tabs, and not the
 * joiners and variation selectors of an emoji.
 */
const HIDDEN =
  /\r(?!\n)|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}](?<!(?:\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?|[0-9#*])[\u200d\ufe0f])/gu

/** All that may be hidden. Most texts are ASCII with a few other characters: only those are looked at closely. */
const UNUSUAL = /[^\t\n\r\x20-\x7e]+|\r(?!\n)/g

/** One class without alternatives is searched in two thirds of the time. */
const ANY_UNUSUAL = /[^\t\n\x20-\x7e]/

const hasHidden = (text: string): boolean => {
  if (!ANY_UNUSUAL.test(text)) return false
  for (const { index, 0: run } of text.matchAll(UNUSUAL)) {
    // With the character before it: a digit, too, may begin an emoji.
    if (run === '\r' || text.slice(Math.max(0, index - 1), index + run.length).search(HIDDEN) !== -1)
      return true
  }
  return false
}

/** The text with hidden characters as `\uXXXX`; the same text when there are none. */
export const escapeHidden = (text: string): string =>
  hasHidden(text) ? text.replace(HIDDEN, toUnicodeEscape) : text

const MAX_LINES = 5
const MAX_CODES = 4

const codePointsOf = (line: string): string => {
  const codes = [...new Set(line.match(HIDDEN))].map(
    (char) => `U+${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`,
  )
  const more = codes.length > MAX_CODES ? ' …' : ''
  return `${codes.slice(0, MAX_CODES).join(' ')}${more}`
}

/** Which lines have hidden characters, and which: `line 3 (U+202E), line 9 (U+200B)`. Undefined when none has. */
export const describeHidden = (text: string, firstLine: number): string | undefined => {
  if (!hasHidden(text)) return undefined
  const found: string[] = []
  let total = 0
  // Split at both kinds of line ends: the carriage return of one is not hidden.
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (!hasHidden(line)) continue
    total += 1
    if (found.length < MAX_LINES) found.push(`line ${firstLine + at} (${codePointsOf(line)})`)
  }
  const more = total > MAX_LINES ? ` and ${total - MAX_LINES} more lines` : ''
  return `${found.join(', ')}${more}`
}
