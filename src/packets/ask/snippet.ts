import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import { type Embedder, windowsOf } from '../embed.ts'
import type { Doc } from '../format/docs.ts'
import type { ScoredRow } from '../search/rank-fusion.ts'
import { searchTerms, stem } from '../search/tokens.ts'

const MAX_SNIPPET = 300

/** The first `count` code points: a surrogate pair counts as one and is never split. */
export const firstCharacters = (text: string, count: number): string => {
  // A string has no more code points than code units.
  if (text.length <= count) return text
  let end = 0
  for (let i = 0; i < count && end < text.length; i++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

export const makeSnippet = (text: string): string => {
  const trimmed = text.trim()
  const cut = firstCharacters(trimmed, MAX_SNIPPET)
  return cut.length === trimmed.length ? trimmed : `${cut.trimEnd()}...`
}

/** Collapses white space, line breaks included, to single spaces. */
export const flatten = (text: string): string => text.replace(/\s+/g, ' ').trim()

export interface QueryHit {
  readonly score: number
  /** Share of the words of the question, from 0 to 1, rare words counting more. */
  readonly words?: number
  /** Similarity of meaning, from 0 to 1. */
  readonly meaning?: number
  readonly path: string
  readonly start: number | null
  readonly end: number | null
  readonly snippet: string
}

const firstText = (...values: readonly unknown[]): string =>
  values.find((value): value is string => typeof value === 'string' && value !== '') ?? ''

const firstLine = (...values: readonly unknown[]): number | null =>
  values.find(
    (value): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
  ) ?? null

/** A path that leaves the packet: absolute, of a drive, of a home folder, of another scheme, or climbing. */
const OUTSIDE = /^(?:[\\/~]|[a-z]:|[a-z][a-z\d+.-]*:[\\/])|(?:^|[\\/])\.\.(?:[\\/]|$)/i
const WEB_ADDRESS = /^https?:\/\//i

/** The path to cite. A packet says what it likes: what would lead out of it is taken away. */
const citedPath = (path: string): string =>
  WEB_ADDRESS.test(path) || !OUTSIDE.test(path)
    ? path
    : path
        .replace(/^[a-z][a-z\d+.-]*:/i, '')
        .split(/[\\/]+/)
        .filter((part) => !/^(?:|\.{1,2}|~)$/.test(part))
        .join('/')

/** A row as a result: its path and lines, and how it begins, with hidden characters escaped. */
export const toQueryHit = ({ id, text, metadata }: Doc, score: number): QueryHit => ({
  score,
  path: escapeHidden(citedPath(firstText(metadata.path, metadata.source, metadata.file, id))),
  start: firstLine(metadata.start, metadata.line_start),
  end: firstLine(metadata.end, metadata.line_end),
  snippet: makeSnippet(escapeHidden(text)),
})

/** A part of a text by its offsets. */
interface TextRange {
  readonly start: number
  readonly end: number
}

/** Settings between two lines of dashes or plus signs at the beginning of a file. */
const FRONT_MATTER = /^\s*(---|\+\+\+)[ \t]*\r?\n[\s\S]*?\n\1[ \t]*(?:\r?\n|$)/
/** A sentence ends with a line, or with a mark that a space follows. */
const SENTENCE = /[^\n]*?(?:[.!?](?=\s)|[。！？]|\n|$)/g
/** A line without letters, or a fence of a code block, is no beginning. */
const EMPTY = /^[\s\p{P}\p{S}]*$|^\s*(?:```|~~~)/u

/** The distinct words of a question, as the word index has them. */
export const questionStems = (question: string): ReadonlySet<string> =>
  new Set(searchTerms(question).map(stem))

/** How much each word of the question tells here: a word of many sentences tells little about any of them. */
const weighWords = (text: string, stems: ReadonlySet<string>): ReadonlyMap<string, number> => {
  const times = new Map<string, number>()
  for (const term of searchTerms(text)) {
    const word = stem(term)
    if (stems.has(word)) times.set(word, (times.get(word) ?? 0) + 1)
  }
  return new Map([...times].map(([word, count]) => [word, 1 / count]))
}

const sumWeights = (text: string, weights: ReadonlyMap<string, number>): number =>
  [...new Set(searchTerms(text).map(stem))].reduce((sum, word) => sum + (weights.get(word) ?? 0), 0)

const sentencesIn = (text: string, { start, end }: TextRange): readonly TextRange[] =>
  [...text.slice(start, end).matchAll(SENTENCE)].flatMap(({ 0: sentence, index }) => {
    if (EMPTY.test(sentence)) return []
    const begin = start + index + (sentence.length - sentence.trimStart().length)
    return [{ start: begin, end: start + index + sentence.length }]
  })

/**
 * The part of a passage that answers: from the sentence on that shares most words with the question, within the window
 * that was found, and never from settings at the head of a file.
 */
export const makeExcerpt = (text: string, stems: ReadonlySet<string>, window?: TextRange): string => {
  const head = FRONT_MATTER.exec(text)?.[0].length ?? 0
  const body = head < text.trimEnd().length ? head : 0
  const range = {
    start: Math.max(body, window?.start ?? 0),
    end: Math.max(body, window?.end ?? text.length),
  }
  const weights = weighWords(text.slice(range.start, range.end), stems)
  let [best, most] = [range.start, -1]
  for (const sentence of sentencesIn(text, range)) {
    const own = sumWeights(text.slice(sentence.start, sentence.end), weights)
    const shown = sumWeights(text.slice(sentence.start, sentence.start + MAX_SNIPPET), weights)
    // What follows decides between sentences that fit equally well.
    const score = own + shown / 10
    if (score > most) [best, most] = [sentence.start, score]
  }
  const rest = text.slice(best).trim()
  const cut = firstCharacters(rest, MAX_SNIPPET)
  return cut.length === rest.length ? rest : `${cut.trimEnd()}...`
}

const DIGITS = 10_000
const rounded = (value: number): number => Math.round(value * DIGITS) / DIGITS

/** A row as a result: with the sentences that fit the question, and how well they fit by words and by meaning. */
export const scoredHit = (
  doc: Doc,
  { score, words, meaning, window }: ScoredRow,
  question: string,
  embedder: Embedder | undefined,
): QueryHit => {
  // Windows are made again instead of being stored: they depend on the text and the model alone.
  const range = window === undefined || embedder === undefined ? undefined : windowsOf(embedder, doc)[window]
  return {
    ...toQueryHit(doc, rounded(score)),
    snippet: escapeHidden(makeExcerpt(doc.text, questionStems(question), range)),
    ...(words !== undefined && { words: rounded(words) }),
    ...(meaning !== undefined && { meaning: rounded(meaning) }),
  }
}

export const withoutScores = ({ words: _words, meaning: _meaning, ...hit }: QueryHit): QueryHit => hit
