import { decodeLenient, markedEncoding } from '../../../kernel/text/decode.ts'
import { escapeHidden } from '../../../kernel/text/hidden-characters.ts'

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
