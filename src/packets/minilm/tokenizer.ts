import { Vocabulary } from './vocabulary.ts'

/** A text as token ids, without the tokens that frame an input, and where in the text each token is. */
export interface TokenizedText {
  readonly ids: readonly number[]
  /** Offset of the first UTF-16 unit of each token. */
  readonly starts: readonly number[]
  /** Offset behind the last UTF-16 unit of each token. */
  readonly ends: readonly number[]
}

/** The tokenizer of BERT without case: clean, lower case, no accents, then the longest known pieces of each word. */
export interface Tokenizer {
  encode(text: string): TokenizedText
}

/** The id of a word with a character that the vocabulary does not have. */
const UNKNOWN = 100

/** Longer words are unknown, as for the model while it was trained. */
const MAX_WORD = 100
/** Size of the word cache: a few thousand words make up most texts. */
const MAX_CACHED = 65_536

/**
 * Everything between whitespace. Vertical tab, form feed and U+FEFF are not whitespace here: they are removed like
 * other control characters.
 */
const BETWEEN_SPACES = /[^ \t\n\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g
/** Printable ASCII needs no normalization but lower case. */
const PRINTABLE = /^[!-~]*$/
const REMOVED = /^[\0\ufffd\p{Cc}\p{Cf}\p{Co}\p{Cs}]$/u
/** Words of these characters are single characters. */
const IDEOGRAPH = /^[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]$/
const MARKS = /\p{Mn}/gu
const WORDS = /[^\p{P}!-/:-@[-`{-~\s]+|[\p{P}!-/:-@[-`{-~]/gu

interface Pieces {
  readonly ids: readonly number[]
  /** Length of each piece in UTF-16 units of the normalized word. */
  readonly lengths: readonly number[]
}

/** A part of a text in normal form, with the offset in the text for each UTF-16 unit and the offset behind it. */
interface NormalizedPart {
  readonly text: string
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** Removes control characters and puts spaces around ideographs. */
const clean = (part: string, offset: number): NormalizedPart => {
  const [units, starts, ends]: [string[], number[], number[]] = [[], [], []]
  let at = offset
  const put = (text: string, length: number) => {
    for (let i = 0; i < text.length; i++) {
      units.push(text[i] ?? '')
      starts.push(at)
      ends.push(at + length)
    }
  }
  for (const char of part) {
    // The only character whose lower case is longer.
    if (char === '\u0130') put('i\u0307', 1)
    else if (IDEOGRAPH.test(char)) put(` ${char} `, 1)
    else if (!REMOVED.test(char)) put(char, char.length)
    at += char.length
  }
  return { text: units.join(''), starts, ends }
}

/** Lower case, decomposed, without accents. */
const normalize = (part: string, offset: number): NormalizedPart => {
  const cleaned = clean(part, offset)
  // The lower case of a sigma depends on the characters around it.
  const lower = cleaned.text.toLowerCase()
  const [units, starts, ends]: [string[], number[], number[]] = [[], [], []]
  let at = 0
  for (const char of lower) {
    const plain = char.normalize('NFD').replace(MARKS, '')
    for (let i = 0; i < plain.length; i++) {
      units.push(plain[i] ?? '')
      starts.push(cleaned.starts[at] ?? 0)
      ends.push(cleaned.ends[at + char.length - 1] ?? 0)
    }
    at += char.length
  }
  return { text: units.join(''), starts, ends }
}

/** Splits normalized words into the longest pieces of the vocabulary. */
class WordPieces {
  readonly #vocabulary: Vocabulary
  readonly #cache = new Map<string, Pieces>()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  split(word: string): Pieces {
    const found = this.#cache.get(word)
    if (found !== undefined) return found
    const pieces = this.#match(word) ?? { ids: [UNKNOWN], lengths: [word.length] }
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear()
    if (word.length <= MAX_WORD) this.#cache.set(word, pieces)
    return pieces
  }

  /** Undefined when the word has no pieces. */
  #match(word: string): Pieces | undefined {
    // Counted in characters; a word of twice as many units has more than that in any case.
    if (word.length > 2 * MAX_WORD || [...word].length > MAX_WORD) return undefined
    const [ids, lengths]: [number[], number[]] = [[], []]
    for (let at = 0; at < word.length; ) {
      const found = this.#vocabulary.findLongest(word, at)
      if (found === undefined) return undefined
      ids.push(found.id)
      lengths.push(found.end - at)
      at = found.end
    }
    return { ids, lengths }
  }
}

/** Makes a tokenizer from the file of the vocabulary. */
export const makeTokenizer = (vocabulary: Uint8Array): Tokenizer => {
  const wordPieces = new WordPieces(new Vocabulary(vocabulary))
  return {
    encode: (text) => {
      const [ids, starts, ends]: [number[], number[], number[]] = [[], [], []]
      for (const { 0: part, index } of text.matchAll(BETWEEN_SPACES)) {
        const plain = PRINTABLE.test(part)
        const normal = plain ? undefined : normalize(part, index)
        for (const { 0: word, index: inPart } of (normal?.text ?? part.toLowerCase()).matchAll(WORDS)) {
          const { ids: pieceIds, lengths } = wordPieces.split(word)
          let at = inPart
          for (let i = 0; i < pieceIds.length; i++) {
            const end = at + (lengths[i] ?? 0)
            ids.push(pieceIds[i] ?? 0)
            starts.push(normal === undefined ? index + at : (normal.starts[at] ?? 0))
            ends.push(normal === undefined ? index + end : (normal.ends[end - 1] ?? 0))
            at = end
          }
        }
      }
      return { ids, starts, ends }
    },
  }
}
