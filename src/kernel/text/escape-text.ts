/** Control characters, line separators and bidirectional controls: all that can forge or repaint a terminal line. */
const HOSTILE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** `\uXXXX` for each UTF-16 unit of the text. */
export const toUnicodeEscape = (char: string): string =>
  char.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Escapes all invisible characters, for names and log lines. */
export const escapeInvisible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, toUnicodeEscape)

/** Escapes untrusted text for use inside one line, so that it cannot forge another line or repaint the terminal. */
export const escapeLineBreaks = (text: string): string => text.replace(HOSTILE, toUnicodeEscape)

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what we look for
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\ufffd\p{Cf}\p{Zl}\p{Zp}]/u

const PRINTABLE_ASCII = /^[ -~]*$/

/** A name as one line of text. A newline inside of it is escaped, so that it does not look like two names. */
export const showName = (name: string): string => {
  if (PRINTABLE_ASCII.test(name) || !UNPRINTABLE.test(name)) return name
  return escapeInvisible(JSON.stringify(name))
}
