import { optional } from '../../kernel/optional.ts'
import type { Expansion, WordPart } from './shell-word.ts'

/** Deeper nesting of quotes and substitutions is refused by the caller: no one writes it. */
const MAX_NESTING = 24

/** The command is nested too deeply to be read. */
export class NestingError extends Error {}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
}

const CODE_ESCAPE = /^(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|U([0-9a-f]{1,8})|([0-7]{1,3})|c(.))/i

/** The text of an escape without its backslash, and how many characters it takes. */
const readEscape = (rest: string): readonly [text: string, length: number] => {
  const code = CODE_ESCAPE.exec(rest)
  if (code !== null) {
    const [whole, hex, short, long, octal, control] = code
    const isControl = control !== undefined && rest.startsWith('c')
    const value = isControl
      ? control.charCodeAt(0) & 31
      : octal === undefined
        ? Number.parseInt(hex ?? short ?? long ?? '0', 16)
        : Number.parseInt(octal, 8) & 255
    return [value <= 0x10ffff ? String.fromCodePoint(value) : '', whole.length]
  }
  const char = rest.charAt(0)
  return [ESCAPES[char] ?? char, 1]
}

/** The text with the escapes of `$'…'` and `printf` replaced. */
export const decodeAnsiEscapes = (text: string): string => {
  let decoded = ''
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char !== '\\' || at + 1 >= text.length) {
      decoded += char
      continue
    }
    const [piece, length] = readEscape(text.slice(at + 1, at + 12))
    decoded += piece
    at += length
  }
  return decoded
}

/** The place of the quote that ends a text in which a backslash escapes; the end of the text where there is none. */
const findQuote = (text: string, from: number, quote: string): number => {
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '\\') at += 1
    else if (char === quote) return at
  }
  return text.length
}

/** The place of the bracket that closes an expansion: quotes and nested expansions are skipped. */
const findClose = (
  text: string,
  from: number,
  [open, close]: readonly [string, string],
  depth: number,
): number => {
  if (depth > MAX_NESTING) throw new NestingError()
  let level = 0
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '\\') at += 1
    else if (char === "'")
      at = Math.max(at, text.indexOf("'", at + 1) < 0 ? text.length : text.indexOf("'", at + 1))
    else if (char === '"') at = skipDoubleQuotes(text, at + 1, depth + 1)
    else if (char === '`') at = findQuote(text, at + 1, '`')
    else if (char === open) level += 1
    else if (char === close) {
      if (level === 0) return at
      level -= 1
    }
  }
  return text.length
}

/** The place of the quote that ends a text in double quotes. */
const skipDoubleQuotes = (text: string, from: number, depth: number): number => {
  if (depth > MAX_NESTING) throw new NestingError()
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '\\') at += 1
    else if (char === '"') return at
    else if (char === '`') at = findQuote(text, at + 1, '`')
    else if (char === '$' && text.charAt(at + 1) === '(') at = findClose(text, at + 2, ['(', ')'], depth + 1)
    else if (char === '$' && text.charAt(at + 1) === '{') at = findClose(text, at + 2, ['{', '}'], depth + 1)
  }
  return text.length
}

interface ReadPart {
  readonly part: WordPart
  /** The place after it. */
  readonly end: number
}

const variableOf = (inner: string): Expansion => {
  const [, name, fallback] = /^([A-Za-z_]\w*|[0-9@*#?$!-])(?::?[-=](.*))?$/s.exec(inner) ?? []
  if (name === undefined) return { kind: 'other' }
  return { kind: 'variable', name, ...optional({ fallback }) }
}

/** An expansion that begins with `$` at `at`; undefined where the dollar sign stands for itself. */
export const readDollar = (text: string, at: number, quoted: boolean): ReadPart | undefined => {
  const next = text.charAt(at + 1)
  const part = (expansion: Expansion): WordPart => ({ text: '', quoted, expansion })
  if (next === '(') {
    const end = findClose(text, at + 2, ['(', ')'], 0)
    const inner = text.slice(at + 2, end)
    const isArithmetic = inner.startsWith('(') && inner.endsWith(')')
    return { part: part(isArithmetic ? { kind: 'other' } : { kind: 'command', script: inner }), end: end + 1 }
  }
  if (next === '{') {
    const end = findClose(text, at + 2, ['{', '}'], 0)
    return { part: part(variableOf(text.slice(at + 2, end))), end: end + 1 }
  }
  if (next === '"' && !quoted) return undefined
  if (next === "'" && !quoted) {
    const end = findQuote(text, at + 2, "'")
    return { part: { text: decodeAnsiEscapes(text.slice(at + 2, end)), quoted: true }, end: end + 1 }
  }
  const [name] = /^(?:[A-Za-z_]\w*|[0-9@*#?$!-])/.exec(text.slice(at + 1, at + 129)) ?? []
  if (name === undefined) return undefined
  return { part: part({ kind: 'variable', name }), end: at + 1 + name.length }
}

/** The output of commands in backticks. */
export const readBackticks = (text: string, at: number, quoted: boolean): ReadPart => {
  const end = findQuote(text, at + 1, '`')
  const script = text.slice(at + 1, end).replace(/\\([\\`$])/g, '$1')
  return { part: { text: '', quoted, expansion: { kind: 'command', script } }, end: end + 1 }
}

/** Text in which only `$`, backticks and some backslashes are special: that of double quotes and here-documents. */
export const readInterpolated = (
  text: string,
  from: number,
  quote: '"' | '',
): { parts: WordPart[]; end: number } => {
  const parts: WordPart[] = []
  let literal = ''
  const flush = () => {
    if (literal !== '') parts.push({ text: literal, quoted: true })
    literal = ''
  }
  let at = from
  while (at < text.length && (quote === '' || text.charAt(at) !== quote)) {
    const char = text.charAt(at)
    if (char === '\\') {
      const next = text.charAt(at + 1)
      if (next !== '\n') literal += next !== '' && '$`"\\'.includes(next) ? next : `\\${next}`
      at += 2
      continue
    }
    const read =
      char === '$' ? readDollar(text, at, true) : char === '`' ? readBackticks(text, at, true) : undefined
    if (read === undefined) {
      literal += char
      at += 1
      continue
    }
    flush()
    parts.push(read.part)
    at = read.end
  }
  flush()
  // An empty pair of quotes is a word too.
  if (parts.length === 0) parts.push({ text: '', quoted: true })
  return { parts, end: at + 1 }
}
