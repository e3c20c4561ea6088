const WORD = /[\p{L}\p{N}]+/gu
/** The same words in a text of ASCII, which is normalized already; several times faster. */
const ASCII_WORD = /[A-Za-z0-9]+/g
const ASCII = /^[\0-\x7f]*$/
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
const MAX_WORD = 64

/** The words of a text in lower case. `parseHTTPHeader` gives the whole word and its parts. */
export const splitWords = (text: string): string[] => {
  const words: string[] = []
  const found = ASCII.test(text) ? text.match(ASCII_WORD) : text.normalize('NFKC').match(WORD)
  for (const whole of found ?? []) {
    // Longer tokens are data, not words, and would only fill the index.
    if (whole.length > MAX_WORD) continue
    const lower = whole.toLowerCase()
    words.push(lower)
    if (lower === whole) continue
    const parts = whole.split(HUMP)
    if (parts.length > 1) words.push(...parts.map((part) => part.toLowerCase()))
  }
  return words
}

/** Scripts without spaces between words, with their marks. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u30fc]+/gu

/**
 * The search terms of a text: its words, and for scripts without spaces single characters and bigrams. The
 * built-in embedder does not use the latter, because its vectors are fixed.
 */
export const searchTerms = (text: string): string[] => {
  const terms = splitWords(text)
  if (ASCII.test(text)) return terms
  for (const [run] of text.normalize('NFKC').matchAll(UNSPACED)) {
    const signs = [...run]
    if (signs.length === 1) continue
    signs.forEach((sign, at) => {
      terms.push(sign)
      if (at > 0) terms.push(`${signs[at - 1]}${sign}`)
    })
  }
  return terms
}

/** Suffixes and their replacements. */
const ENDINGS: readonly (readonly [ending: string, instead: string])[] = [
  ['ies', 'y'],
  ['ied', 'y'],
  ['ing', ''],
  ['ed', ''],
  ['es', ''],
  ['e', ''],
  ['s', ''],
]
const MIN_ROOT = 4

/** A light stemmer: `verifies` and `verified` become `verify`. */
export const stem = (word: string): string => {
  const found = ENDINGS.find(([ending]) => word.endsWith(ending) && word.length - ending.length >= MIN_ROOT)
  return found === undefined ? word : word.slice(0, -found[0].length) + found[1]
}
