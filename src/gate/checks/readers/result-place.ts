import nodePath from 'node:path'
import { isPathInside } from '../../../kernel/text/path-inside.ts'
import type { Region } from '../../reports/report.ts'
import type { ReaderInput } from './reader.ts'
import { cleanText } from './result-text.ts'

type Roots = Pick<ReaderInput, 'root' | 'folder'>

/** The file of a result, or the name that the tool gave when it is not inside of the repository. */
export type ResultFile = { readonly file: string } | { readonly outside: string } | undefined

const MAX_PATH = 4_096
// biome-ignore lint/suspicious/noControlCharactersInRegex: no path that a tool reports has control characters
const CONTROLS = /[\u0000-\u001f\u007f]/

/** Reads a path as a tool prints it: absolute, or relative to `base`. Links are not followed: nothing is opened. */
export const placePath = (path: string, { root, folder }: Roots, base = folder): ResultFile => {
  if (path === '') return undefined
  if (path.length > MAX_PATH || CONTROLS.test(path)) return { outside: path }
  const absolute = nodePath.resolve(base, path)
  if (!isPathInside(root, absolute)) return { outside: path }
  const file = nodePath.relative(root, absolute).split(nodePath.sep).join('/')
  return file === '' ? undefined : { file }
}

const decodePercent = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    // Some tools write paths where URIs belong; a lone % is a part of the name then.
    return text
  }
}

/** A scheme has two characters or more: one letter is a drive of Windows. */
const SCHEME = /^[a-z][a-z\d+.-]+:/i

/** The path of a `file:` URI or of a relative reference; undefined for a file of another machine and other schemes. */
export const pathOfUri = (uri: string): string | undefined => {
  if (!SCHEME.test(uri)) return decodePercent(uri)
  const [, host, path] = /^file:(?:\/\/([^/]*))?(.*)$/is.exec(uri) ?? []
  if (path === undefined || (host !== undefined && host !== '' && host.toLowerCase() !== 'localhost'))
    return undefined
  // On Windows the path of `file:///C:/a` is `C:/a`.
  return decodePercent(path.replace(/^\/(?=[a-z]:)/i, ''))
}

/** What a message says about a file that is not in the repository: the result counts, and no file is shown. */
export const describeOutside = (message: string, place: ResultFile): string =>
  place !== undefined && 'outside' in place
    ? `${message} (in ${cleanText(place.outside, 200)}, which is outside of the repository)`
    : message

export const fileOf = (place: ResultFile): { readonly file?: string } =>
  place !== undefined && 'file' in place ? { file: place.file } : {}

const MAX_POSITION = 2 ** 31 - 1

const readPosition = (value: unknown): number | undefined => {
  const position = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
  return typeof position === 'number' &&
    Number.isInteger(position) &&
    position >= 1 &&
    position <= MAX_POSITION
    ? position
    : undefined
}

/** The place that a tool reports; undefined without a line. A missing column is the first; a missing end is the start. */
export const readRegion = (
  start: unknown,
  startColumn?: unknown,
  end?: unknown,
  lastColumn?: unknown,
): { readonly region?: Region } => {
  const line = readPosition(start)
  if (line === undefined) return {}
  const column = readPosition(startColumn) ?? 1
  const endLine = Math.max(line, readPosition(end) ?? line)
  const given = readPosition(lastColumn)
  const endColumn = endLine === line ? Math.max(column, given ?? column) : (given ?? 1)
  return { region: { line, column, endLine, endColumn } }
}
