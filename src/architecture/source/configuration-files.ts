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
  /** The line of the alias through which it is used. */
  readonly usedAt?: number
}

const MAX_ALIASES = 1_000
/** Aliases may multiply nodes that hold no value. */
const MAX_NODES = 200_000
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

/** Variables of a `.env` file: `export NAME="value" # remark`. */
export const readVariables = (text: string): FileEntry[] =>
  text.split(/\r?\n/).flatMap((row, at) => {
    const [, key, quoted, plain = ''] =
      /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(?:(["'][^"']*["'])|([^#]*(?:\S#[^#]*)*))/.exec(row) ?? []
    return key === undefined ? [] : [{ key, value: quoted?.slice(1, -1) ?? plain.trim(), line: at + 1 }]
  })

type FollowAlias = (alias: Node) => Node | undefined

/** Where a node is read. */
interface YamlPlace {
  readonly key: string
  readonly depth: number
  /** The line of the alias above it. */
  readonly usedAt?: number
  /** Keys that the map which merges this one (`<<`) sets itself. */
  readonly hidden?: ReadonlySet<string>
}

class YamlReader {
  readonly found: FileEntry[] = []
  readonly #lines: LineCounter
  readonly #follow: FollowAlias
  #aliases = 0
  #nodes = 0

  constructor(lines: LineCounter, follow: FollowAlias) {
    this.#lines = lines
    this.#follow = follow
  }

  #lineOf(node: Node): number {
    return this.#lines.linePos(node.range?.[0] ?? 0).line
  }

  walk(node: Node | null | undefined, place: YamlPlace): void {
    this.#nodes += 1
    if (node === null || node === undefined || place.depth > MAX_DEPTH) return
    if (this.found.length >= MAX_SETTINGS || this.#nodes > MAX_NODES) return
    const { key, usedAt } = place
    const below = { depth: place.depth + 1, ...(usedAt !== undefined && { usedAt }) }
    if (isAlias(node)) {
      this.#aliases += 1
      if (this.#aliases <= MAX_ALIASES)
        this.walk(this.#follow(node), { ...place, ...below, usedAt: usedAt ?? this.#lineOf(node) })
    } else if (isScalar(node)) {
      const value = String(node.source ?? node.value)
      if (node.value !== null)
        this.found.push({ key, value, line: this.#lineOf(node), ...(usedAt !== undefined && { usedAt }) })
    } else if (isSeq(node)) {
      for (const [index, item] of node.items.entries())
        this.walk(item as Node, { ...below, key: `${key}[${index}]` })
    } else if (isMap(node)) {
      const own = node.items.map(({ key: name, value }) => ({
        name: isScalar(name) ? (typeof name.value === 'symbol' ? '<<' : String(name.value)) : '',
        value: value as Node,
      }))
      const hidden = new Set([...own.map(({ name }) => name), ...(place.hidden ?? [])])
      for (const { name, value } of own) {
        if (name !== '<<' && place.hidden?.has(name) === true) continue
        if (name !== '<<') this.walk(value, { ...below, key: key === '' ? name : `${key}.${name}` })
        // Several maps may be merged at once; the first one wins, which readers of a key take.
        else
          for (const merged of isSeq(value) ? value.items : [value])
            this.walk(merged as Node, { ...below, key, hidden })
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

/**
 * Throws the first error of the YAML parser, and a RangeError for deep nesting. Of a template, which is YAML only
 * after its actions have run, what can be read counts.
 */
export const readYamlSettings = (text: string, form: 'whole' | 'template' = 'whole'): FileEntry[] => {
  if (isNestedTooDeep(text)) throw new RangeError('nested too deep')
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    merge: true,
    logLevel: 'silent',
    uniqueKeys: form === 'whole',
  })
  if (!Array.isArray(documents)) return []
  return documents.flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined && form === 'whole') throw error
    const reader = new YamlReader(lines, (alias) => (isAlias(alias) ? alias.resolve(document) : undefined))
    reader.walk(document.contents, { key: '', depth: 0 })
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
