/** What ends a line, moves the cursor, paints, or turns the direction of writing. */
const HOSTILE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** A character by its number, as JSON and JavaScript write it: by two where it lies outside the first plane. */
export const toUnicodeEscape = (char: string): string =>
  char.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The same of everything that is not seen itself: hostile or not, it has no business in a name or a line of a log. */
export const escapeInvisible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, toUnicodeEscape)

/** Text from outside within one line of ours: it forges no other, and paints nothing. */
export const escapeLineBreaks = (text: string): string => text.replace(HOSTILE, toUnicodeEscape)
