import type { Doc } from '../format/docs.ts'
import { searchTerms, stem } from './tokens.ts'

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
