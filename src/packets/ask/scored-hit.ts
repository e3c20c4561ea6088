import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import type { Embedder } from '../embed.ts'
import type { Doc } from '../format/docs.ts'
import { windowsOf } from '../search/passage-windows.ts'
import type { ScoredRow } from '../search/rank-fusion.ts'
import { makeExcerpt, questionStems } from './excerpt.ts'
import { type QueryHit, toQueryHit } from './snippet.ts'

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
