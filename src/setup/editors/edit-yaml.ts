import type { Document, Node, Pair, YAMLMap, YAMLSeq } from 'yaml'
import {
  cutSpans,
  endOfLine,
  type FileEntry,
  type Insertion,
  lineEndOf,
  type Removal,
  UneditableFile,
} from './insertion.ts'

type Yaml = typeof import('yaml')

interface ParsedYaml {
  readonly yaml: Yaml
  readonly document: Document.Parsed
  readonly text: string
}

const MAX_ALIASES = 100

const parse = async (text: string): Promise<ParsedYaml> => {
  const yaml = await import('yaml')
  const documents = yaml.parseAllDocuments(text, { logLevel: 'error' })
  if (documents.length > 1) throw new UneditableFile('it holds several documents')
  // Without content there are none.
  const document = documents[0] ?? yaml.parseDocument(text, { logLevel: 'error' })
  const [problem] = document.errors
  if (problem !== undefined) {
    const line = problem.linePos?.[0].line
    throw new UneditableFile(`it is not valid YAML${line === undefined ? '' : ` (line ${line})`}`)
  }
  return { yaml, document: document as Document.Parsed, text }
}

const columnOf = (text: string, at: number): number => at - (text.lastIndexOf('\n', at - 1) + 1)

/** The offset after the line on which a node ends. */
const afterNode = (text: string, node: Node): { at: number; closed: boolean } => {
  const end = node.range?.[1] ?? text.length
  // A block scalar includes its last line end.
  return text[end - 1] === '\n' ? { at: end, closed: true } : endOfLine(text, end)
}

const insertLines = (text: string, node: Node, lines: readonly string[]): Insertion[] => {
  const { at, closed } = afterNode(text, node)
  const lineEnd = lineEndOf(text)
  const block = lines.join(lineEnd)
  return [{ at, text: closed ? `${block}${lineEnd}` : `${lineEnd}${block}` }]
}

const pairNode = ({ key, value }: Pair): Node => (value ?? key) as Node

/** Keys and lists as `yaml` writes them, without its line folding, indented. */
const writeBlock = (yaml: Yaml, value: unknown, indent: number): string[] =>
  yaml
    .stringify(value, { lineWidth: 0, indentSeq: true })
    .trimEnd()
    .split('\n')
    .map((line) => `${' '.repeat(indent)}${line}`)

/** Appends a pair to a map in block style. */
const appendPair = ({ yaml, text }: ParsedYaml, map: YAMLMap, key: string, value: unknown): Insertion[] => {
  const [first] = map.items
  const last = map.items.at(-1)
  if (map.flow || first === undefined || last === undefined)
    throw new UneditableFile('the part to be extended is empty or written in one line')
  const column = columnOf(text, (first.key as Node).range?.[0] ?? 0)
  return insertLines(text, pairNode(last), writeBlock(yaml, { [key]: value }, column))
}

const appendElement = ({ yaml, text }: ParsedYaml, list: YAMLSeq, value: unknown): Insertion[] => {
  const first = list.items[0] as Node | undefined
  const last = list.items.at(-1) as Node | undefined
  if (list.flow || first === undefined || last === undefined)
    throw new UneditableFile('the list to be extended is empty or written in one line')
  // The dash stands before the first element, with blanks between.
  const start = first.range?.[0] ?? 0
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  const dash = line.lastIndexOf('-')
  if (dash === -1 || line.slice(0, dash).trim() !== '')
    throw new UneditableFile('the list to be extended has an unusual layout')
  return insertLines(text, last, writeBlock(yaml, [value], dash))
}

const plain = (parsed: ParsedYaml, node: unknown): unknown =>
  parsed.yaml.isNode(node) ? node.toJS(parsed.document, { maxAliasCount: MAX_ALIASES }) : node

interface YamlOptions {
  /** Keys to the list or map. */
  readonly path: readonly string[]
  /** A key for a member of a map; undefined for an element of a list. */
  readonly key?: string
  readonly value: unknown
  readonly mentions: (value: unknown) => boolean
  readonly isOurs: (value: unknown) => boolean
}

/** The map or list at the path, with the maps around it; shorter when it does not exist. */
const walkMaps = ({ yaml, document }: ParsedYaml, path: readonly string[]) => {
  const nodes: (YAMLMap | YAMLSeq)[] = []
  let here: unknown = document.contents
  for (const key of [...path, undefined]) {
    if (!yaml.isCollection(here)) break
    nodes.push(here as YAMLMap | YAMLSeq)
    if (key === undefined || !yaml.isMap(here)) break
    here = here.get(key, true)
  }
  return nodes
}

/** The lines of a pair or element: from its key or dash to the end of its last line. */
const itemSpan = (text: string, start: number, node: Node) => ({
  from: text.lastIndexOf('\n', start - 1) + 1,
  to: afterNode(text, node).at,
})

/** Whether the file may be extended at the top: it has no content yet. */
const isBlank = ({ document }: ParsedYaml): boolean =>
  document.contents === null || document.contents === undefined

export const yamlEntry = (options: YamlOptions): FileEntry => {
  const { path, key, value, mentions, isOurs } = options
  const whole = key === undefined ? [value] : { [key]: value }
  const nest = (names: readonly string[]): unknown =>
    names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), whole)
  const findItem = (parsed: ParsedYaml) => {
    const nodes = walkMaps(parsed, path)
    const container = nodes.length > path.length ? nodes.at(-1) : undefined
    const items: readonly unknown[] = container?.items ?? []
    const index = items.findIndex((item) => {
      if (!parsed.yaml.isPair(item)) return key === undefined && mentions(plain(parsed, item))
      return plain(parsed, item.key) === key
    })
    return { nodes, container, index }
  }
  return {
    get shown() {
      return JSON.stringify(nest(path), null, 2)
    },
    insert: async (text) => {
      const parsed = await parse(text)
      const { nodes, container, index } = findItem(parsed)
      if (index !== -1) return []
      if (container !== undefined) {
        if (parsed.yaml.isSeq(container) && key === undefined) return appendElement(parsed, container, value)
        if (parsed.yaml.isMap(container) && key !== undefined)
          return appendPair(parsed, container, key, value)
        throw new UneditableFile(`${path.join('.')} is not of the expected kind`)
      }
      if (isBlank(parsed)) {
        const lines = writeBlock(parsed.yaml, nest(path), 0).join(lineEndOf(text))
        const gap = text === '' || text.endsWith('\n') ? '' : lineEndOf(text)
        return [{ at: text.length, text: `${gap}${lines}${lineEndOf(text)}` }]
      }
      const here = nodes.at(-1)
      const [next = '', ...inner] = path.slice(nodes.length - 1)
      if (!parsed.yaml.isMap(here) || here.has(next))
        throw new UneditableFile(`${path.slice(0, nodes.length).join('.')} is not of the expected kind`)
      return appendPair(parsed, here, next, nest(inner))
    },
    remove: async (text): Promise<Removal> => {
      const parsed = await parse(text)
      const { nodes, container, index } = findItem(parsed)
      const item = container?.items[index]
      if (container === undefined || item === undefined) return 'absent'
      const found = parsed.yaml.isPair(item) ? item.value : item
      if (!isOurs(plain(parsed, found))) return 'edited'
      if (container.flow) return 'edited'
      // The outermost map that holds nothing else goes with it.
      let depth = nodes.length - 1
      while (depth > 0 && nodes[depth]?.items.length === 1) depth--
      const outer = nodes[depth] as YAMLMap | YAMLSeq
      const target =
        depth === nodes.length - 1
          ? item
          : outer.items.find((one) => (one as Pair).value === nodes[depth + 1])
      const node = parsed.yaml.isPair(target) ? pairNode(target) : (target as Node)
      const start = parsed.yaml.isPair(target)
        ? ((target.key as Node).range?.[0] ?? 0)
        : (node.range?.[0] ?? 0)
      return { text: cutSpans(text, [itemSpan(text, start, node)]) }
    },
  }
}
