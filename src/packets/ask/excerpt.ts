import { searchTerms, stem } from '../search/tokens.ts'
import { firstCharacters, MAX_SNIPPET } from './snippet.ts'

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
