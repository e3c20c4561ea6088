import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import type { Doc } from '../format/docs.ts'

export const MAX_SNIPPET = 300

/** The first `count` code points: a surrogate pair counts as one and is never split. */
export const firstCharacters = (text: string, count: number): string => {
  // A string has no more code points than code units.
  if (text.length <= count) return text
  let end = 0
  for (let i = 0; i < count && end < text.length; i++)
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
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
  values.find((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0) ?? null

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
