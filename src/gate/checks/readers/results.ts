import nodePath from 'node:path'
import { SEVERITIES } from '../../../evidence/compare.ts'
import { Fault } from '../../../kernel/fault.ts'
import { optional } from '../../../kernel/optional.ts'
import { decodeLenient, markedEncoding } from '../../../kernel/text/decode.ts'
import { escapeHidden } from '../../../kernel/text/hidden-characters.ts'
import { isPathInside } from '../../../kernel/text/path-inside.ts'
import { type Element, walkXml, type XmlVisitor } from '../../../kernel/text/xml.ts'
import type { Region } from '../../reports/report.ts'
import {
  type CheckOutput,
  type CheckResult,
  CheckUnreadable,
  type ReaderInput,
  severityOfLevel,
} from './reader.ts'

/** Walks over the XML of a tool. A document type without declarations of its own is skipped, and never fetched. */
export const walkReport = (bytes: Uint8Array, visitor: XmlVisitor): void => {
  try {
    walkXml(decodeLenient(bytes), visitor, { doctype: 'skip' })
  } catch (cause) {
    if (cause instanceof Fault)
      throw new CheckUnreadable(`the output is not XML that is read: ${cause.message}`)
    throw cause
  }
}

export const attributeOf = (attributes: Element['attributes'], name: string): string | undefined =>
  attributes.find(([key, value]) => key === name && value !== '')?.[1]

/** More results cannot be counted within a deadline. */
const MAX_COUNTED = 5_000_000

interface Numbered {
  readonly at: number
  readonly result: CheckResult
}

const rankOf = (level: string): number => SEVERITIES.indexOf(severityOfLevel(level))
const worstFirst = (a: Numbered, b: Numbered): number =>
  rankOf(b.result.level) - rankOf(a.result.level) || a.at - b.at

/** Keeps the worst results up to a limit, in the order of the tool, and counts the others. */
export class ResultCollector {
  readonly #limit: number
  /** How many results there were of each severity. */
  readonly #counts = SEVERITIES.map(() => 0)
  #kept: Numbered[] = []
  #count = 0

  constructor({ results }: { readonly results: number }) {
    this.#limit = Math.max(0, results)
  }

  get count(): number {
    return this.#count
  }

  /** Adds a result. It is built only if it may be kept: enough others that came before may be as bad. */
  add(level: string, build: () => CheckResult): void {
    const rank = rankOf(level)
    const before = this.#counts.reduce((sum, count, at) => (at >= rank ? sum + count : sum), 0)
    if (before < this.#limit) this.#kept.push({ at: this.#count, result: build() })
    this.#count += 1
    this.#counts[rank] = (this.#counts[rank] ?? 0) + 1
    if (this.#count > MAX_COUNTED)
      throw new CheckUnreadable(`the output has more than ${MAX_COUNTED} results`)
    // Sorted once for as many new results as are kept: the cost of one result does not depend on their number.
    if (this.#kept.length > 2 * this.#limit) this.#dropLightest()
  }

  #dropLightest(): void {
    this.#kept = this.#kept.sort(worstFirst).slice(0, this.#limit)
  }

  finish(): Pick<CheckOutput, 'results' | 'omitted'> {
    this.#dropLightest()
    const kept = this.#kept.sort((a, b) => a.at - b.at).map(({ result }) => result)
    const omitted = this.#count - kept.length
    return { results: kept, ...(omitted > 0 && { omitted }) }
  }
}

type Roots = Pick<ReaderInput, 'root' | 'folder'>

/** The file of a result, or the name that the tool gave when it is not inside of the repository. */
export type ResultFile = { readonly file: string } | { readonly outside: string } | undefined

const MAX_PATH = 4_096
/** No path that a tool reports has them. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

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

/** The file of a place inside of the repository. */
export const fileOf = (place: ResultFile): string | undefined =>
  place !== undefined && 'file' in place ? place.file : undefined

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

/** Where in a file: start, start column, end, end column, as the tool writes them. */
type GivenRegion = readonly unknown[]

/** A place without a line is none. A missing column is the first; a missing end is the start. */
const readRegion = ([start, startColumn, end, lastColumn]: GivenRegion): Region | undefined => {
  const line = readPosition(start)
  if (line === undefined) return undefined
  const column = readPosition(startColumn) ?? 1
  const endLine = Math.max(line, readPosition(end) ?? line)
  const given = readPosition(lastColumn)
  const endColumn = endLine === line ? Math.max(column, given ?? column) : (given ?? 1)
  return { line, column, endLine, endColumn }
}

/** One row of an output, as every reader finds it. */
interface ResultRow extends Pick<CheckResult, 'rule' | 'level' | 'message'> {
  readonly place: ResultFile
  readonly region?: GivenRegion
  readonly help?: string | undefined
}

/** The result of a row. One about a file outside of the repository counts, and its message names the file. */
export const resultOf = ({ rule, level, message, place, region = [], help }: ResultRow): CheckResult => {
  const rest = help ? { help } : {}
  if (place === undefined) return { rule, level, message, ...rest }
  if ('outside' in place) {
    const where = `(in ${cleanText(place.outside, 200)}, which is outside of the repository)`
    return { rule, level, message: `${message} ${where}`, ...rest }
  }
  const read = readRegion(region)
  return { rule, level, message, file: place.file, ...optional({ region: read }), ...rest }
}

/** CSI sequences such as colours, OSC sequences such as links, and the short sequences of two characters. */
const TERMINAL_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences start with a control character
  /\u001b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\u001b\][^\u0007\u001b]{0,2048}(?:\u0007|\u001b\\)|\u001b[@-Z\\^_]|\u009b[0-?]{0,64}[ -/]{0,8}[@-~]/g

export const removeTerminalSequences = (text: string): string => text.replace(TERMINAL_SEQUENCES, '')

const cutText = (text: string, length: number): string => {
  if (text.length <= length) return text
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/**
 * Text of a tool as one line of at most `length` characters: without terminal sequences, lines joined by a space, hidden
 * characters escaped. The work does not depend on how long the text is.
 */
export const cleanText = (text: string, length: number): string => {
  const lines = removeTerminalSequences(text.slice(0, 4 * length + 4096).toWellFormed())
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replaceAll('\t', ' ').trim())
    .filter((line) => line !== '')
  return cutText(escapeHidden(lines.join(' ')), length)
}

export const MAX_MESSAGE = 1_000
export const MAX_HELP = 500
const MAX_RULE = 200

/** The id of a rule: one word, as a part of the id of a finding. */
export const cleanRule = (rule: string, otherwise: string): string =>
  cleanText(rule, MAX_RULE).replace(/\s+/g, '-') || otherwise

/** A longer line is cut: no format that is read by lines has one. */
const MAX_LINE_BYTES = 64 * 1024

/** The lines of an output without terminal sequences. The output is never held as one string. */
export function* linesOf(bytes: Uint8Array): Generator<string> {
  const isWide = markedEncoding(bytes)?.startsWith('utf-16')
  const source = isWide ? new TextEncoder().encode(decodeLenient(bytes)) : bytes
  for (let start = 0; start < source.length; ) {
    const found = source.indexOf(10, start)
    const end = found < 0 ? source.length : found
    const line = decodeLenient(source.subarray(start, Math.min(end, start + MAX_LINE_BYTES)))
    yield removeTerminalSequences(line.replace(/\r$/, ''))
    start = end + 1
  }
}
