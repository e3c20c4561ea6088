import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml'
import { type Element, readXml } from '../../kernel/text/xml.ts'

/** One value of a configuration file; `key` is the path of its keys, joined with dots. */
export interface ConfigEntry {
  readonly key: string
  readonly value: string
  readonly file: string
  readonly line: number
  /** The Spring profile it belongs to; undefined when it applies to all. */
  readonly profile?: string
}

const MAX_ALIASES = 100
const MAX_SETTINGS = 50_000
const MAX_DEPTH = 64
const MAX_BRACKETS = 500

type FileEntry = Omit<ConfigEntry, 'file'>

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f' }

const decodeEscapes = (text: string): string =>
  text.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_, code: string) =>
    code.length === 5 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (ESCAPES[code] ?? code),
  )

/** A line that ends with an odd number of backslashes continues on the next line. */
const isContinued = (line: string): boolean => (/\\*$/.exec(line)?.[0].length ?? 0) % 2 === 1

export const readProperties = (text: string): FileEntry[] => {
  const found: FileEntry[] = []
  const lines = text.split(/\r?\n/)
  for (let at = 0; at < lines.length; at += 1) {
    const line = at + 1
    const first = (lines[at] ?? '').trimStart()
    if (first === '' || first.startsWith('#') || first.startsWith('!')) continue
    const parts = [first]
    while (isContinued(parts.at(-1) ?? '') && at + 1 < lines.length) {
      at += 1
      parts[parts.length - 1] = (parts.at(-1) ?? '').slice(0, -1)
      parts.push((lines[at] ?? '').trimStart())
    }
    const [, key = '', value = ''] = /^((?:[^\\=:\s]|\\.)*)\s*[=:]?\s*([\s\S]*)$/.exec(parts.join('')) ?? []
    found.push({ key: decodeEscapes(key), value: decodeEscapes(value).trim(), line })
  }
  return found
}

class YamlReader {
  readonly found: FileEntry[] = []
  readonly #lines: LineCounter
  #aliases = 0

  constructor(lines: LineCounter) {
    this.#lines = lines
  }

  walk(
    node: Node | null | undefined,
    key: string,
    follow: (alias: Node) => Node | undefined,
    depth = 0,
  ): void {
    if (node === null || node === undefined || depth > MAX_DEPTH || this.found.length >= MAX_SETTINGS) return
    if (isAlias(node)) {
      this.#aliases += 1
      if (this.#aliases <= MAX_ALIASES) this.walk(follow(node), key, follow, depth + 1)
    } else if (isScalar(node)) {
      const line = this.#lines.linePos(node.range?.[0] ?? 0).line
      if (node.value !== null) this.found.push({ key, value: String(node.source ?? node.value), line })
    } else if (isSeq(node)) {
      for (const [index, item] of node.items.entries())
        this.walk(item as Node, `${key}[${index}]`, follow, depth + 1)
    } else if (isMap(node)) {
      for (const { key: name, value } of node.items) {
        const part = isScalar(name) ? String(name.value) : ''
        const below = part === '<<' ? key : key === '' ? part : `${key}.${part}`
        this.walk(value as Node, below, follow, depth + 1)
      }
    }
  }
}

const PROFILE = /^(spring\.config\.activate\.on-profile|spring\.profiles)$/

/** Counts nested brackets before parsing: the YAML parser recurses and is slow on deep nesting. */
const isNestedTooDeep = (text: string): boolean => {
  let depth = 0
  for (const [mark] of text.matchAll(/[[\]{}]/g)) {
    depth = mark === '[' || mark === '{' ? depth + 1 : Math.max(0, depth - 1)
    if (depth > MAX_BRACKETS) return true
  }
  return false
}

/** Throws the first error of the YAML parser, and a RangeError for deep nesting. */
export const readYamlSettings = (text: string): FileEntry[] => {
  if (isNestedTooDeep(text)) throw new RangeError('nested too deep')
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: lines, merge: true, logLevel: 'silent' })
  if (!Array.isArray(documents)) return []
  return documents.flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) throw error
    const reader = new YamlReader(lines)
    reader.walk(document.contents, '', (alias) => (isAlias(alias) ? alias.resolve(document) : undefined))
    const profile = reader.found.find(({ key }) => PROFILE.test(key))?.value
    return profile === undefined ? reader.found : reader.found.map((one) => ({ ...one, profile }))
  })
}

/** Attributes whose URL is an identifier, not an address to connect to. */
const NAMESPACE_ATTRIBUTE =
  /^(xmlns(:.*)?|(.*:)?(schemaLocation|noNamespaceSchemaLocation|namespace|systemId|publicId))$/

/** Texts and attributes of an XML file, without its namespaces. */
export const readXmlSettings = (text: string): FileEntry[] => {
  const found: FileEntry[] = []
  const walk = (element: Element, path: string): void => {
    const key = path === '' ? element.name : `${path}.${element.name}`
    for (const [name, value] of element.attributes)
      if (!NAMESPACE_ATTRIBUTE.test(name)) found.push({ key: `${key}.${name}`, value, line: element.line })
    const text = element.text.trim()
    if (text !== '') found.push({ key, value: text, line: element.line })
    for (const child of element.children) walk(child, key)
  }
  walk(readXml(text, { doctype: 'skip' }), '')
  return found
}
