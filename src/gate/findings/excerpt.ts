import { readSource } from '../../kernel/text/decode.ts'
import { extensionOf, grammarForExtension } from '../../kernel/text/languages.ts'
import type { Excerpt, Region } from '../reports/report.ts'

const AROUND = 1
const MOST_LINES = 6

/** The lines of a file, as editors number them. */
export const splitSourceLines = (bytes: Uint8Array, path: string): readonly string[] =>
  readSource(bytes, grammarForExtension(extensionOf(path)) ?? '').text.split(/\r\n|\n|\r/)

/** The text of a region, as far as it lies within the file. */
export const regionText = (
  lines: readonly string[],
  { line, column, endLine, endColumn }: Region,
): string => {
  const part = lines.slice(line - 1, endLine)
  if (part.length === endLine - line + 1) part.push((part.pop() ?? '').slice(0, endColumn - 1))
  const [first = '', ...rest] = part
  return [first.slice(column - 1), ...rest].join('\n')
}

/** Replaces text by asterisks of the same length, so that columns stay valid. */
const redact = (text: string, from: number): string =>
  text.slice(0, from) + text.slice(from).replace(/\S/g, '*')

/** The text that a rule about secrets matched. */
export interface SecretRegion extends Region {
  /** A shipped rule matches only the start of a key, and the rest follows on the same line or the next. */
  readonly continues: boolean
}

/** The lines with secrets redacted to the end of each line. */
export const redactSecrets = (
  lines: readonly string[],
  secrets: readonly SecretRegion[],
): readonly string[] => {
  if (secrets.length === 0) return lines
  const shown = [...lines]
  for (const { line, column, endLine, continues } of secrets)
    for (let at = line; at <= (continues ? endLine + 1 : endLine) && at <= shown.length; at++)
      shown[at - 1] = redact(shown[at - 1] ?? '', at === line ? column - 1 : 0)
  return shown
}

/** A region with one line before and after it. */
export const excerptOf = (lines: readonly string[], { line, endLine }: Region): Excerpt => {
  const first = Math.max(1, line - AROUND)
  const last = Math.min(endLine + AROUND, first + MOST_LINES - 1)
  return { first, lines: lines.slice(first - 1, last) }
}
