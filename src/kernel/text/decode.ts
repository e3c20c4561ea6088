type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be'

const MARKS: readonly (readonly [encoding: TextEncoding, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** The encoding that a byte order mark announces; undefined without a mark. */
export const markedEncoding = (bytes: Uint8Array): TextEncoding | undefined =>
  MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0]

const lenientUtf8 = new TextDecoder()

/** Text of a source file without its byte order mark. Without a mark it is UTF-8; wrong bytes become U+FFFD. */
export const decodeLenient = (bytes: Uint8Array): string => {
  const encoding = markedEncoding(bytes) ?? 'utf-8'
  return (encoding === 'utf-8' ? lenientUtf8 : new TextDecoder(encoding)).decode(bytes)
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** UTF-8 as it was written: a byte order mark is part of the text, wrong bytes throw a TypeError. */
export const decodeStrict = (bytes: Uint8Array): string => strictUtf8.decode(bytes)

const SAMPLE = 8_192

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are counted
const UNTEXTUAL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g
const UNREADABLE = /[\0\ufffd]/g

/** Whether more than a tenth of the sample is such characters. A lone NUL must not hide a script from the gate. */
const hasTenth = (text: string, pattern: RegExp): boolean => {
  const sample = text.slice(0, SAMPLE)
  return (sample.match(pattern)?.length ?? 0) * 10 > sample.length
}

/** Text of a source file, as `decodeLenient`; undefined for a binary file. */
export const decodeSource = (bytes: Uint8Array): string | undefined => {
  const text = decodeLenient(bytes)
  return hasTenth(text, UNTEXTUAL) ? undefined : text
}

/** A source file as text, and why a compiler may read another program from the same bytes. */
export interface SourceText {
  readonly text: string
  readonly doubt?: 'binary' | 'encoding'
}

const LINE_BREAK = /\r\n|\n|\r/
const latin1 = new TextDecoder('latin1')
// PEP 263: a comment in one of the first two lines.
const CODING = /^(?:\xef\xbb\xbf)?[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/
const UTF8_NAMES = /^(?:utf-?8(?:-.*)?|u8|(?:us-)?ascii)$/
/** One byte is one character, and the lower half is ASCII: the structure of the program is the same in all of them. */
const SINGLE_BYTE_NAMES = /^(?:(?:iso-?)?latin-?\d+|l1|iso-?8859(?:-\d+)?|(?:cp|windows-)125\d|koi8-[ru])$/

const declaredEncoding = (bytes: Uint8Array): string | undefined => {
  const end = bytes.indexOf(10, bytes.indexOf(10) + 1)
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, end < 0 ? bytes.length : end)
    .toString('latin1')
    .split(LINE_BREAK, 2)
  const name = lines.map((line) => CODING.exec(line)?.[1]).find((found) => found !== undefined)
  return name
    ?.toLowerCase()
    .replaceAll('_', '-')
    .replace(/-(?:unix|dos|mac)$/, '')
}

const decodePython = (bytes: Uint8Array): SourceText => {
  const name = declaredEncoding(bytes)
  if (name === undefined || UTF8_NAMES.test(name)) return { text: decodeLenient(bytes) }
  if (SINGLE_BYTE_NAMES.test(name)) return { text: latin1.decode(bytes) }
  return { text: decodeLenient(bytes), doubt: 'encoding' }
}

/**
 * The text as the compiler divides it into lines; all positions stay. A carriage return ends a line comment everywhere
 * but in Go, a line separator also ends the first line of a script; the parsers know neither. NUL ends their text.
 */
const normalizeLines = (text: string, grammar: string): string => {
  const lines = grammar === 'go' || !text.includes('\r') ? text : text.replace(/\r(?!\n)/g, '\n')
  const shebang = lines.startsWith('#!') ? lines.replace(/^[^\n\u2028\u2029]*[\u2028\u2029]/, endLine) : lines
  return shebang.replaceAll('\0', ' ')
}

const endLine = (line: string): string => `${line.slice(0, -1)}\n`

/** Reads a source file for rules: whatever it holds, it has a text. */
export const readSource = (bytes: Uint8Array, grammar: string): SourceText => {
  const source = grammar === 'python' ? decodePython(bytes) : { text: decodeLenient(bytes) }
  const isBinary = source.doubt === undefined && hasTenth(source.text, UNREADABLE)
  const text = normalizeLines(source.text, grammar)
  return isBinary ? { text, doubt: 'binary' } : { ...source, text }
}
