import { isDeepStrictEqual } from 'node:util'
import {
  cutSpans,
  type FileEntry,
  type Insertion,
  lineEndOf,
  type Removal,
  UneditableFile,
} from './insertion.ts'
import { type JsonItem, type JsonNode, parseJsonc, skipBlanks, skipLineComments } from './jsonc.ts'

const DEFAULT_INDENT = '  '

/** The blanks at the start of the line that contains `at`. */
const lineIndent = (text: string, at: number): string => {
  const start = text.lastIndexOf('\n', at - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? ''
}

const isFirstOnLine = (text: string, at: number): boolean =>
  /^\ufeff?[ \t]*$/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))

/** One level of indentation: that of the first member which has a line of its own. */
const indentUnit = (text: string, root: JsonNode): string => {
  const [first] = root.items
  return (first && isFirstOnLine(text, first.from) && lineIndent(text, first.from)) || DEFAULT_INDENT
}

/** JSON as formatters write it: members on lines of their own, lists of plain values on one line. */
const writeJson = (value: unknown, unit: string, indent: string): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = indent + unit
  const rows = Array.isArray(value)
    ? value.map((one) => writeJson(one, unit, inner))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${writeJson(one, unit, inner)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (rows.length === 0) return `${open}${close}`
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return `[${rows.join(', ')}]`
  return `${open}\n${rows.map((row) => inner + row).join(',\n')}\n${indent}${close}`
}

const writeCompact = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(writeCompact).join(', ')}]`
  const rows = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${writeCompact(one)}`)
  return `{ ${rows.join(', ')} }`
}

/** Appends a member (with a key) or an element to an object or array. */
const appendItem = (
  text: string,
  container: JsonNode,
  key: string | undefined,
  value: unknown,
  unit: string,
): Insertion[] => {
  const close = container.to - 1
  const label = key === undefined ? '' : `${JSON.stringify(key)}: `
  const [first] = container.items
  const last = container.items.at(-1)
  const lineEnd = lineEndOf(text)
  const base = lineIndent(text, container.from)
  const toLines = (written: string) => written.replaceAll('\n', lineEnd)
  if (first === undefined || last === undefined) {
    // After a comment, if there is one.
    const inside = text.slice(container.from + 1, close)
    const at = container.from + 1 + inside.trimEnd().length
    const end = text.slice(at, close).includes('\n') ? '' : `\n${base}`
    return [{ at, text: toLines(`\n${base}${unit}${label}${writeJson(value, unit, base + unit)}${end}`) }]
  }
  const after = last.comma === undefined ? last.node.to : last.comma + 1
  if (!text.slice(container.from, first.from).includes('\n')) {
    const comma = last.comma === undefined ? ', ' : ' '
    return [{ at: after, text: `${comma}${label}${writeCompact(value)}` }]
  }
  const indent = isFirstOnLine(text, first.from) ? lineIndent(text, first.from) : base + unit
  const at = skipLineComments(text, after)
  const added = toLines(`\n${indent}${label}${writeJson(value, unit, indent)}`)
  if (last.comma !== undefined) return [{ at, text: added }]
  if (at === after) return [{ at, text: `,${added}` }]
  return [
    { at: after, text: ',' },
    { at, text: added },
  ]
}

/** The member of that name; throws where a name is there twice, because programs read either. */
const findMember = (node: JsonNode, key: string): JsonItem | undefined => {
  const found = node.items.filter((item) => item.key === key)
  if (found.length > 1) throw new UneditableFile(`it has two members ${JSON.stringify(key)}`)
  return found[0]
}

const requireObject = (node: JsonNode, path: readonly string[]): void => {
  if (node.kind !== 'object')
    throw new UneditableFile(path.length === 0 ? 'it holds no object' : `${path.join('.')} is not an object`)
}

/** The node at a path, and how much of the path exists. */
const walkPath = (root: JsonNode, path: readonly string[]) => {
  const nodes: JsonNode[] = [root]
  for (const key of path) {
    const here = nodes.at(-1) as JsonNode
    requireObject(here, path.slice(0, nodes.length - 1))
    const member = findMember(here, key)
    if (member === undefined) break
    nodes.push(member.node)
  }
  return nodes
}

/** The parts of the text that an item occupies, with one comma and the blanks before it. */
const itemSpans = (text: string, container: JsonNode, index: number) => {
  const item = container.items[index] as JsonItem
  const before = text.slice(0, item.from)
  const from = before.length - (/[ \t\r\n]*$/.exec(before)?.[0].length ?? 0)
  const previous = container.items[index - 1]
  if (item.comma !== undefined && index < container.items.length - 1) return [{ from, to: item.comma + 1 }]
  const to = item.comma === undefined ? item.node.to : item.comma + 1
  if (previous?.comma !== undefined)
    return [
      { from: previous.comma, to: previous.comma + 1 },
      { from: Math.max(from, previous.comma + 1), to },
    ]
  // The only item: blanks go too, unless there is a comment.
  const rest = /^[ \t\r\n]*/.exec(text.slice(to))?.[0].length ?? 0
  return [{ from, to: text[from - 1] === '{' || text[from - 1] === '[' ? to + rest : to }]
}

/** Removes an item, and the containers around it that become empty by that. */
const removeItem = (text: string, nodes: readonly JsonNode[], item: JsonItem): string => {
  let index = nodes.length - 1
  let removed = item
  for (; index > 0; index--) {
    const container = nodes[index] as JsonNode
    if (container.items.length > 1) break
    if (skipBlanks(text, container.from + 1) !== removed.from) break
    const parent = nodes[index - 1] as JsonNode
    removed = parent.items.find(({ node }) => node === container) as JsonItem
  }
  const container = nodes[index] as JsonNode
  return cutSpans(text, itemSpans(text, container, container.items.indexOf(removed)))
}

interface EntryOptions {
  readonly path: readonly string[]
  readonly value: unknown
  /** Whether a value is the one that is written, whatever program it names. */
  readonly isOurs: (value: unknown) => boolean
}

const shownAt = (path: readonly string[], value: unknown): string =>
  writeJson(
    path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value),
    DEFAULT_INDENT,
    '',
  )

/** Inserts what is missing of the path as one member. */
const insertAt = (text: string, path: readonly string[], value: unknown): Insertion[] => {
  const root = parseJsonc(text)
  const nodes = walkPath(root, path)
  const here = nodes.at(-1) as JsonNode
  const missing = path.slice(nodes.length - 1)
  requireObject(here, path.slice(0, nodes.length - 1))
  const [key = '', ...inner] = missing
  const whole = inner.reduceRight<unknown>((content, name) => ({ [name]: content }), value)
  return appendItem(text, here, key, whole, indentUnit(text, root))
}

/** An entry that is a member of an object, such as a server by its name. */
export const jsonMember = ({ path, value, isOurs }: EntryOptions): FileEntry => ({
  shown: shownAt(path, value),
  insert: async (text) =>
    walkPath(parseJsonc(text), path).length > path.length ? [] : insertAt(text, path, value),
  remove: async (text): Promise<Removal> => {
    const nodes = walkPath(parseJsonc(text), path)
    if (nodes.length <= path.length) return 'absent'
    const parent = nodes[path.length - 1] as JsonNode
    const item = findMember(parent, path.at(-1) ?? '') as JsonItem
    if (!isOurs(item.node.value)) return 'edited'
    return { text: removeItem(text, nodes.slice(0, path.length), item) }
  },
})

interface ElementOptions extends EntryOptions {
  /** Whether an element is meant to be ours, also when it was edited. */
  readonly mentions: (value: unknown) => boolean
}

/** An entry that is an element of a list, such as a hook of an event. */
export const jsonElement = ({ path, value, isOurs, mentions }: ElementOptions): FileEntry => {
  const findList = (text: string) => {
    const nodes = walkPath(parseJsonc(text), path)
    const list = nodes.length > path.length ? (nodes.at(-1) as JsonNode) : undefined
    if (list !== undefined && list.kind !== 'array')
      throw new UneditableFile(`${path.join('.')} is not a list`)
    return { nodes, list }
  }
  return {
    shown: shownAt(path, [value]),
    insert: async (text) => {
      const { nodes, list } = findList(text)
      if (list === undefined) return insertAt(text, path, [value])
      if (list.items.some(({ node }) => mentions(node.value))) return []
      return appendItem(text, list, undefined, value, indentUnit(text, nodes[0] as JsonNode))
    },
    remove: async (text): Promise<Removal> => {
      const { nodes, list } = findList(text)
      const item = list?.items.find(({ node }) => mentions(node.value))
      if (item === undefined) return 'absent'
      return isOurs(item.node.value) ? { text: removeItem(text, nodes, item) } : 'edited'
    },
  }
}

/** Whether a JSON text says nothing more than `value`. */
export const holdsOnly = (text: string, value: unknown): boolean => {
  try {
    return isDeepStrictEqual(parseJsonc(text).value, value)
  } catch {
    return false
  }
}
