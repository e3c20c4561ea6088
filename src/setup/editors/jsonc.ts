import { UneditableFile } from './insertion.ts'

/** A value in JSON text with comments and trailing commas, with its position. */
export interface JsonNode {
  readonly kind: 'object' | 'array' | 'other'
  readonly from: number
  readonly to: number
  readonly items: readonly JsonItem[]
  /** The value, as `JSON.parse` would give it. */
  readonly value: unknown
}

/** A member of an object or an element of an array. */
export interface JsonItem {
  /** The name of a member; undefined for elements. */
  readonly key: string | undefined
  /** Where the key begins; for elements, the value. */
  readonly from: number
  readonly node: JsonNode
  /** The offset of the comma after it; undefined when there is none. */
  readonly comma: number | undefined
}

const MAX_DEPTH = 100
const BLANK = /[ \t\r\n]*/y
const LINE_COMMENT = /\/\/[^\r\n]*/y
const BLOCK_COMMENT = /\/\*[\s\S]*?\*\//y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** The offset after blanks and comments. */
export const skipBlanks = (text: string, from: number): number => {
  let at = from
  for (;;) {
    at += matchAt(BLANK, text, at)?.length ?? 0
    const comment = matchAt(LINE_COMMENT, text, at) ?? matchAt(BLOCK_COMMENT, text, at)
    if (comment === undefined) return at
    at += comment.length
  }
}

/** The offset after the comments that follow on the same line. */
export const skipLineComments = (text: string, from: number): number => {
  let at = from
  for (;;) {
    const start = at + (matchAt(/[ \t]*/y, text, at)?.length ?? 0)
    const line = matchAt(LINE_COMMENT, text, start)
    if (line !== undefined) return start + line.length
    const block = matchAt(BLOCK_COMMENT, text, start)
    if (block === undefined || block.includes('\n')) return at
    at = start + block.length
  }
}

const fail = (text: string, at: number): never => {
  const line = text.slice(0, at).split('\n').length
  throw new UneditableFile(`it is not valid JSON (line ${line})`)
}

const parseString = (text: string, at: number): string => {
  const literal = matchAt(STRING, text, at) ?? fail(text, at)
  try {
    return JSON.parse(literal)
  } catch {
    return fail(text, at)
  }
}

const parseItems = (text: string, open: number, depth: number) => {
  const isObject = text[open] === '{'
  const close = isObject ? '}' : ']'
  const items: JsonItem[] = []
  let at = skipBlanks(text, open + 1)
  while (text[at] !== close) {
    const previous = items.at(-1)
    if (previous !== undefined && previous.comma === undefined) fail(text, at)
    const from = at
    let key: string | undefined
    if (isObject) {
      key = parseString(text, at)
      at = skipBlanks(text, at + (matchAt(STRING, text, at)?.length ?? 0))
      if (text[at] !== ':') fail(text, at)
      at = skipBlanks(text, at + 1)
    }
    const node = parseNode(text, at, depth + 1)
    at = skipBlanks(text, node.to)
    const comma = text[at] === ',' ? at : undefined
    if (comma !== undefined) at = skipBlanks(text, at + 1)
    items.push({ key, from, node, comma })
  }
  return { items, to: at + 1 }
}

const parseNode = (text: string, from: number, depth: number): JsonNode => {
  if (depth > MAX_DEPTH) throw new UneditableFile(`it is nested deeper than ${MAX_DEPTH}`)
  const first = text[from]
  if (first === '{' || first === '[') {
    const { items, to } = parseItems(text, from, depth)
    const values = items.map(({ key, node }) => [key ?? '', node.value] as const)
    const isObject = first === '{'
    return {
      kind: isObject ? 'object' : 'array',
      from,
      to,
      items,
      value: isObject ? Object.fromEntries(values) : values.map(([, value]) => value),
    }
  }
  if (first === '"') {
    const value = parseString(text, from)
    return { kind: 'other', from, to: from + (matchAt(STRING, text, from)?.length ?? 0), items: [], value }
  }
  const scalar = matchAt(SCALAR, text, from) ?? fail(text, from)
  return { kind: 'other', from, to: from + scalar.length, items: [], value: JSON.parse(scalar) }
}

/** The value of a JSON text, with positions. A byte order mark, comments and trailing commas are allowed. */
export const parseJsonc = (text: string): JsonNode => {
  const node = parseNode(text, skipBlanks(text, text.startsWith('\ufeff') ? 1 : 0), 0)
  const end = skipBlanks(text, node.to)
  return end === text.length ? node : fail(text, end)
}
