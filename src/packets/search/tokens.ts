import type { Doc } from '../format/docs.ts'

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

/**
 * How the words of a packet are ranked: `plain` is BM25 over the text, `fields` is BM25F over five fields with
 * positions. A packet keeps the ranking it was built for.
 */
export type RankingKind = 'plain' | 'fields'

/** The name of the ranking in `manifest.json`. Packets without it are ranked as before. */
export const FIELD_RANKING = 'bm25f-1'

/** Fields of a chunk; the number of a field is its place here. */
const FIELDS = ['text', 'heading', 'chain', 'path', 'symbol'] as const
export const FIELD_COUNT = FIELDS.length
export const TEXT_FIELD = 0
/** A field and a position share 32 bits. */
export const FIELD_SHIFT = 28
const MAX_POSITION = 2 ** FIELD_SHIFT - 1

const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The fields besides the text, in the order of `FIELDS`. */
const titleFields = ({ metadata }: Doc): readonly string[] => {
  const headings = strings(metadata.headings)
  const heading = headings.at(-1) ?? ''
  const symbol = textOf(metadata.symbol)
  // The symbol of a section is its heading, which may have been cut.
  const isHeading = heading !== '' && symbol.startsWith(heading)
  return [heading, headings.slice(0, -1).join('\n'), textOf(metadata.path), isHeading ? '' : symbol]
}

interface FieldedWords {
  /** Number of words in the text. */
  readonly length: number
  readonly words: readonly string[]
  /** Field and position of each word. */
  readonly places: readonly number[]
}

/** The stems of a chunk with their fields and positions. */
export const fieldedWords = (doc: Doc): FieldedWords => {
  const words: string[] = []
  const places: number[] = []
  const text = searchTerms(doc.text)
  text.forEach((word, position) => {
    words.push(stem(word))
    places.push(Math.min(position, MAX_POSITION))
  })
  titleFields(doc).forEach((title, i) => {
    for (const word of searchTerms(title)) {
      words.push(stem(word))
      places.push(((i + 1) << FIELD_SHIFT) >>> 0)
    }
  })
  return { length: text.length, words, places }
}

/** Inverse document frequency of a word that occurs in `seen` of `all` rows. */
export const inverseDocumentFrequency = (all: number, seen: number): number =>
  Math.log(1 + (all - seen + 0.5) / (seen + 0.5))
