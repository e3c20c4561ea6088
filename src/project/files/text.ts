import { isAscii, isUtf8 } from 'node:buffer'
import { quotePath } from '../../kernel/jail.ts'
import { markedEncoding } from '../../kernel/text/decode.ts'
import { projectFaults } from '../faults.ts'

interface Text {
  readonly text: string
  /** A byte order mark was removed. */
  readonly mark: boolean
}

/** Magic numbers of binary formats. */
const MAGIC: readonly (readonly [what: string, bytes: readonly number[]])[] = [
  ['a Java class', [0xca, 0xfe, 0xba, 0xbe]],
  ['an archive', [0x50, 0x4b, 0x03, 0x04]],
  ['a program', [0x7f, 0x45, 0x4c, 0x46]],
  ['an image', [0x89, 0x50, 0x4e, 0x47]],
  ['a PDF document', [0x25, 0x50, 0x44, 0x46]],
]
const SNIFFED_BYTES = 8_192

const startsWithBytes = (bytes: Uint8Array, head: readonly number[]): boolean =>
  head.every((byte, at) => bytes[at] === byte)

/** Whether the first bytes look binary. Stricter than the gate: what may be binary is not shown to a model. */
export const looksBinary = (bytes: Uint8Array): boolean =>
  bytes.subarray(0, SNIFFED_BYTES).includes(0) || MAGIC.some(([, magic]) => startsWithBytes(bytes, magic))

/** Decodes strict UTF-8. Binary content and other encodings are faults; nothing is replaced. */
export const decodeFileText = (bytes: Uint8Array, path: string): Text => {
  const magic = MAGIC.find(([, head]) => startsWithBytes(bytes, head))
  if (magic !== undefined) throw projectFaults.binary(`the file is ${magic[0]}, not text: ${quotePath(path)}`)
  const encoding = markedEncoding(bytes)
  if (encoding === 'utf-16le' || encoding === 'utf-16be') {
    throw projectFaults.encoding(`the file is UTF-16, not UTF-8: ${quotePath(path)}`)
  }
  if (bytes.includes(0))
    throw projectFaults.binary(`the file contains NUL bytes, so it is not text: ${quotePath(path)}`)
  const mark = encoding === 'utf-8'
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + (mark ? 3 : 0), bytes.byteLength - (mark ? 3 : 0))
  // Latin-1 strings take one byte a character and skip UTF-8 decoding.
  if (isAscii(body)) return { text: body.toString('latin1'), mark }
  if (!isUtf8(body)) throw projectFaults.encoding(`the file is not UTF-8: ${quotePath(path)}`)
  return { text: body.toString('utf8'), mark }
}

/** The requested lines. Numbers start at 1; both ends are included. */
export interface LineChoice {
  readonly startLine?: number | undefined
  readonly endLine?: number | undefined
  readonly head?: number | undefined
  readonly tail?: number | undefined
}

export interface LineSlice {
  readonly text: string
  /** Lines in the whole file. */
  readonly lines: number
  /** Number of the first line in `text`; 0 when there is none. */
  readonly first: number
  readonly last: number
  /** Why `text` ends before the chosen lines do: not all of them fit, or `last` itself is too long. */
  readonly cut?: 'lines' | 'long-line'
}

const lineCount = (text: string): number => {
  let count = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return text === '' || text.endsWith('\n') ? count : count + 1
}

/** Lines by `\n` alone, so that joining them gives the text back; the gate's excerpts split as editors do. */
export const linesWithEnds = (text: string): string[] => {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

const rejectMixedChoice = ({ startLine, endLine, head, tail }: LineChoice): void => {
  const ways = [startLine ?? endLine, head, tail].filter((one) => one !== undefined)
  if (ways.length > 1)
    throw projectFaults.invalid_params('use only one of: head, tail, startLine with endLine')
}

/** The whole text unchanged, or the chosen lines without the newline of the last one. */
export const chooseLines = (text: string, choice: LineChoice): LineSlice => {
  rejectMixedChoice(choice)
  const { startLine, endLine, head, tail } = choice
  if (startLine === undefined && endLine === undefined && head === undefined && tail === undefined) {
    const lines = lineCount(text)
    return { text, lines, first: Math.min(1, lines), last: lines }
  }
  const lines = linesWithEnds(text)
  const from = tail === undefined ? (startLine ?? 1) - 1 : Math.max(0, lines.length - tail)
  const to = Math.min(lines.length, head ?? endLine ?? lines.length)
  const chosen = lines.slice(from, to)
  const none = chosen.length === 0
  return {
    text: chosen.join('\n'),
    lines: lines.length,
    first: none ? 0 : from + 1,
    last: none ? 0 : from + chosen.length,
  }
}

/** The first whole lines that fit into `bytes`; a first line that is too long is cut. */
export const fitLines = (lines: LineSlice, bytes: number): LineSlice => {
  if (lines.text.length * 3 <= bytes || Buffer.byteLength(lines.text) <= bytes) return lines
  const head = Buffer.from(lines.text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\ufffd+$/, '')
  const end = head.lastIndexOf('\n')
  const text = end > 0 ? head.slice(0, end) : head
  return {
    ...lines,
    text,
    last: lines.first + lineCount(text) - 1,
    cut: end > 0 ? 'lines' : 'long-line',
  }
}

/** How many of the first lines fit. At least one, so that paging always advances. */
export const countFitting = (lines: readonly string[], bytes: number): number => {
  let left = bytes
  const over = lines.findIndex((line) => {
    left -= Buffer.byteLength(line) + 1
    return left < 0
  })
  return over === -1 ? lines.length : Math.max(1, over)
}
