import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml'
import { Fault } from '../../kernel/fault.ts'
import { pushTo } from '../../kernel/multimap.ts'
import { optional } from '../../kernel/optional.ts'
import { type Element, readXml } from '../../kernel/text/xml.ts'
import { isExampleOfVariables, isTestPath, isVariableFile } from './discovery-rules.ts'
import { folderOf, inOrder, nameOf, type Warning } from './source-files.ts'
import { isTemplatePath, plainTemplate } from './text-resolver.ts'

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

const decodeProperty = (text: string): string =>
  text.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_, code: string) =>
    code.length === 5 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (ESCAPES[code] ?? code),
  )

/** A line that ends with an odd number of backslashes continues on the next line. */
const isContinued = (line: string): boolean => (/\\*$/.exec(line)?.[0].length ?? 0) % 2 === 1

const readProperties = (text: string): FileEntry[] => {
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
    found.push({ key: decodeProperty(key), value: decodeProperty(value).trim(), line })
  }
  return found
}

/** Variables of a `.env` file: `export NAME="value" # remark`. */
const readVariables = (text: string): FileEntry[] =>
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
    const below = { depth: place.depth + 1, ...optional({ usedAt }) }
    if (isAlias(node)) {
      this.#aliases += 1
      if (this.#aliases <= MAX_ALIASES)
        this.walk(this.#follow(node), { ...place, ...below, usedAt: usedAt ?? this.#lineOf(node) })
    } else if (isScalar(node)) {
      const value = String(node.source ?? node.value)
      if (node.value !== null)
        this.found.push({ key, value, line: this.#lineOf(node), ...optional({ usedAt }) })
    } else if (isSeq(node)) {
      for (const [index, item] of node.items.entries())
        this.walk(isNode(item) ? item : undefined, { ...below, key: `${key}[${index}]` })
    } else if (isMap(node)) {
      const own = node.items.map(({ key: name, value }) => ({
        name: isScalar(name) ? (typeof name.value === 'symbol' ? '<<' : String(name.value)) : '',
        value: isNode(value) ? value : undefined,
      }))
      const hidden = new Set([...own.map(({ name }) => name), ...(place.hidden ?? [])])
      for (const { name, value } of own) {
        if (name !== '<<' && place.hidden?.has(name) === true) continue
        if (name !== '<<') this.walk(value, { ...below, key: key === '' ? name : `${key}.${name}` })
        // Several maps may be merged at once; the first one wins, which readers of a key take.
        else
          for (const merged of isSeq(value) ? value.items : [value])
            this.walk(isNode(merged) ? merged : undefined, { ...below, key, hidden })
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
const readXmlSettings = (text: string): FileEntry[] => {
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

const SPRING_FILE = /^(application|bootstrap)(?:-([\w-]+))?\.(?:ya?ml|properties)$/
const MAX_FILL_ROUNDS = 8
const MAX_VALUE = 4_000

/** Relaxed binding of Spring: `order-topic`, `orderTopic` and `ORDER_TOPIC` are one key. */
const canonical = (key: string): string => key.toLowerCase().replace(/[-_]/g, '')

/** The folder whose code a configuration file applies to. */
const settingScope = (file: string): string => {
  const at = file.search(/(^|\/)(src\/main\/resources|config)\//)
  if (at >= 0) return file.slice(0, at)
  return file.slice(0, Math.max(0, file.lastIndexOf('/')))
}

/** Settings that a configuration server hands out: to the service that the file is named after, or to all. */
const SERVED_FILE = /(?:^|\/)(?:shared|config-repo|config-repository)\/([\w-]+)\.(?:ya?ml|properties)$/

export const servedService = (file: string): string | undefined => SERVED_FILE.exec(file)?.[1]

const settingApplies = (configuration: string, file: string): boolean => {
  const served = servedService(configuration)
  if (served === 'application') return true
  if (served !== undefined)
    return file.split('/').some((step) => step === served || step.endsWith(`-${served}`))
  const scope = settingScope(configuration)
  return scope === '' || file.startsWith(`${scope}/`)
}

export interface FilledText {
  readonly text: string
  /** The text before placeholders were filled in. */
  readonly origin?: string
  /** Whether no placeholder is left. */
  readonly complete: boolean
}

/** The settings of all configuration files of a project. */
export class Configuration {
  readonly settings: ConfigEntry[] = []
  readonly warnings: Warning[] = []
  /** Variables of `.env` files, by file. */
  readonly variables = new Map<string, ReadonlyMap<string, string>>()
  readonly #byKey = new Map<string, ConfigEntry[]>()

  add(file: string, text: string): void {
    const raw = this.#read(file, text)
    if (isVariableFile(file)) this.variables.set(file, new Map(raw.map(({ key, value }) => [key, value])))
    // The values of a machine are no part of the project: they only fill compose files.
    if (isVariableFile(file) && !isExampleOfVariables(file)) return
    const spring = SPRING_FILE.exec(nameOf(file))
    const profile = spring?.[2]
    for (const one of raw) {
      const setting: ConfigEntry = { file, ...optional({ profile }), ...one }
      this.settings.push(setting)
      if (spring !== null || servedService(file) !== undefined)
        pushTo(this.#byKey, canonical(setting.key), setting)
    }
  }

  /** A constant that no configuration file holds. */
  define(entry: ConfigEntry): void {
    pushTo(this.#byKey, canonical(entry.key), entry)
  }

  #read(file: string, text: string): Omit<ConfigEntry, 'file'>[] {
    try {
      if (isVariableFile(file)) return readVariables(text)
      if (file.endsWith('.properties')) return readProperties(text)
      if (file.endsWith('.xml')) return readXmlSettings(text)
      return isTemplatePath(file) && text.includes('{{')
        ? readYamlSettings(plainTemplate(text), 'template')
        : readYamlSettings(text)
    } catch (cause) {
      const reason = cause instanceof Fault ? cause.message : 'it is not well formed'
      this.warnings.push({
        code: 'configuration_unreadable',
        file,
        message: `the file was skipped: ${reason}`,
      })
      return []
    }
  }

  /** The value for a source file: settings of its module before those of the root, without a profile before with one. */
  find(key: string, file: string): ConfigEntry | undefined {
    const candidates = (this.#byKey.get(canonical(key)) ?? []).filter((one) => settingApplies(one.file, file))
    const rank = (one: ConfigEntry) =>
      settingScope(one.file).length * 4 +
      (one.profile === undefined ? 2 : 0) +
      (nameOf(one.file).startsWith('application') ? 1 : 0)
    return candidates.reduce<ConfigEntry | undefined>(
      (best, one) => (best === undefined || rank(one) > rank(best) ? one : best),
      undefined,
    )
  }

  /** The only value of the keys that end with these names, for programs that read one file of settings into a struct. */
  valueEndingWith(names: readonly string[], file: string): string | undefined {
    const end = canonical(names.join('.'))
    const values = new Set<string>()
    for (const one of this.settings) {
      const key = canonical(one.key)
      if ((key === end || key.endsWith(`.${end}`)) && !isTestPath(one.file) && settingApplies(one.file, file))
        values.add(one.value)
    }
    const [only] = values
    return values.size === 1 ? only : undefined
  }

  /** The value of a variable in the `.env` files of a folder; the file of the machine before examples of it. */
  variableOf(name: string, folder: string): string | undefined {
    const own = [...this.variables.keys()].filter((file) => folderOf(file) === folder && !isTestPath(file))
    for (const file of own.sort((a, b) => a.length - b.length || inOrder(a, b))) {
      const value = this.variables.get(file)?.get(name)
      if (value !== undefined && value !== '') return value
    }
    return undefined
  }

  /** The items of a list, written as `a,b` or as `key[0]`, `key[1]`. */
  list(key: string, file: string): readonly string[] {
    const whole = this.find(key, file)
    if (whole !== undefined) return whole.value.split(',').map((one) => one.trim())
    const items: string[] = []
    for (
      let at = this.find(`${key}[0]`, file);
      at !== undefined;
      at = this.find(`${key}[${items.length}]`, file)
    )
      items.push(at.value)
    return items
  }

  /** Fills in placeholders. The number of rounds is bounded, because a value may refer to itself. */
  fill(text: string, file: string): FilledText {
    let filled = text
    for (let round = 0; round < MAX_FILL_ROUNDS && filled.includes('${'); round += 1) {
      const next = filled.replace(/\$\{([^${}]{1,200})\}/g, (whole, inside: string) => {
        const [, key = '', fallback] = /^([^:]*)(?::([\s\S]*))?$/.exec(inside) ?? []
        const value = this.find(key.trim(), file)?.value ?? fallback ?? whole
        return value.length > MAX_VALUE ? whole : value
      })
      if (next === filled || next.length > MAX_VALUE) break
      filled = next
    }
    return { text: filled, ...(filled !== text && { origin: text }), complete: !filled.includes('${') }
  }
}
