import { defineFaults } from '../fault.ts'

export const xmlFaults = defineFaults('xml', {
  malformed: {
    kind: 'invalid',
    fix: 'Correct the file: tags must be closed in the reverse order of their opening.',
  },
  declaration: {
    kind: 'refused',
    fix: 'Remove the document type declaration: DTDs and entities are not supported.',
  },
})

export interface Element {
  /** Without its namespace prefix. */
  readonly name: string
  readonly children: Element[]
  readonly attributes: readonly (readonly [string, string])[]
  text: string
  readonly line: number
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const MAX_DEPTH = 200

/** Decodes the five predefined entities and character references. Others would need a DTD. */
const decode = (text: string): string =>
  text.replace(/&(#x?[0-9a-fA-F]{1,6}|[A-Za-z]{1,10});/g, (whole, name: string) => {
    if (!name.startsWith('#')) {
      const known = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined
      if (known === undefined) throw xmlFaults.declaration(`the entity ${whole} is not predefined in XML`)
      return known
    }
    const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })

const notOneRoot = () => xmlFaults.malformed('the document must have exactly one root element')

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** The index of the `>` that ends a tag; a `>` inside of a quoted attribute does not count. */
const tagEnd = (text: string, from: number): number => {
  for (let at = from; at < text.length; at += 1) {
    const char = text[at]
    if (char === '>') return at
    if (char === '"' || char === "'") {
      at = text.indexOf(char, at + 1)
      if (at < 0) return -1
    }
  }
  return -1
}

const attributesOf = (tag: string): Element['attributes'] =>
  [...tag.matchAll(/(?<=\s)([^\s=<>"'/]+)\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)')/g)].map(
    ([, name = '', double, single]) => [name, decode(double ?? single ?? '')] as const,
  )

interface XmlOptions {
  /** `skip` allows a DOCTYPE without an internal subset; one with an internal subset is always refused. */
  readonly doctype?: 'refuse' | 'skip'
}

/** Receives the parts of a document in their order. Text between two tags may come in several pieces. */
export interface XmlVisitor {
  /** `offset` is the position of the tag in the text. */
  open(name: string, attributes: Element['attributes'], offset: number): void
  text(text: string): void
  close(name: string): void
}

const SKIPPED: readonly (readonly [start: string, end: string])[] = [
  ['<!--', '-->'],
  ['<?', '?>'],
]

class Reader {
  readonly #text: string
  readonly #visitor: XmlVisitor
  readonly #open: string[] = []
  readonly #skipsDoctype: boolean
  #at = 0
  #roots = 0

  constructor(text: string, visitor: XmlVisitor, { doctype = 'refuse' }: XmlOptions) {
    this.#text = text
    this.#visitor = visitor
    this.#skipsDoctype = doctype === 'skip'
  }

  read(): void {
    while (this.#at < this.#text.length) {
      const next = this.#text.indexOf('<', this.#at)
      this.#addText(this.#text.slice(this.#at, next < 0 ? this.#text.length : next))
      if (next < 0) break
      this.#at = next
      const skip = SKIPPED.find(([start]) => this.#text.startsWith(start, next))
      if (skip !== undefined) this.#at = this.#indexAfter(skip[1], next + skip[0].length)
      else if (this.#text.startsWith('<![CDATA[', next)) this.#cdata(next + 9)
      else if (this.#text.startsWith('<!', next)) this.#declaration(next)
      else this.#tag(next)
    }
    const unclosed = this.#open[0]
    if (unclosed !== undefined) throw xmlFaults.malformed(`<${unclosed}> is not closed`)
    if (this.#roots !== 1) throw notOneRoot()
  }

  #addText(raw: string): void {
    if (this.#open.length > 0) this.#visitor.text(decode(raw))
    else if (raw.trim() !== '') throw notOneRoot()
  }

  #indexAfter(mark: string, from: number): number {
    const found = this.#text.indexOf(mark, from)
    if (found < 0) throw xmlFaults.malformed(`a closing ${mark} is missing`)
    return found + mark.length
  }

  #cdata(from: number): void {
    this.#at = this.#indexAfter(']]>', from)
    if (this.#open.length === 0) throw notOneRoot()
    this.#visitor.text(this.#text.slice(from, this.#at - 3))
  }

  #declaration(start: number): void {
    const end = tagEnd(this.#text, start)
    if (!this.#skipsDoctype || end < 0 || this.#text.slice(start, end).includes('['))
      throw xmlFaults.declaration('the file has a document type declaration')
    this.#at = end + 1
  }

  #tag(start: number): void {
    const end = tagEnd(this.#text, start + 1)
    if (end < 0) throw xmlFaults.malformed('a tag does not end')
    this.#at = end + 1
    const inside = this.#text.slice(start + 1, end)
    const [, slash = '', name = ''] = /^(\/?)([A-Za-z_][\w.:-]*)/.exec(inside) ?? []
    if (name === '') throw xmlFaults.malformed('a tag has no name')
    if (slash === '/') return this.#close(localName(name))
    this.#begin(localName(name), attributesOf(inside), start)
    if (inside.endsWith('/')) this.#close(localName(name))
  }

  #begin(name: string, attributes: Element['attributes'], start: number): void {
    if (this.#open.length >= MAX_DEPTH)
      throw xmlFaults.malformed(`elements are nested deeper than ${MAX_DEPTH} levels`)
    if (this.#open.length === 0) this.#roots += 1
    if (this.#roots > 1) throw notOneRoot()
    this.#open.push(name)
    this.#visitor.open(name, attributes, start)
  }

  #close(name: string): void {
    if (this.#open.pop() !== name) throw xmlFaults.malformed(`</${name}> does not match the open element`)
    this.#visitor.close(name)
  }
}

/** Parses XML in one pass without keeping it: elements, attributes and text. No DTD, no entities, no network. */
export const walkXml = (text: string, visitor: XmlVisitor, options: XmlOptions = {}): void =>
  new Reader(text.replace(/^\uFEFF/, ''), visitor, options).read()

/** Parses XML into a tree with line numbers, as `walkXml`. */
export const readXml = (text: string, options: XmlOptions = {}): Element => {
  const source = text.replace(/^\uFEFF/, '')
  const open: Element[] = []
  let root: Element | undefined
  let [line, counted] = [1, 0]
  const lineAt = (offset: number): number => {
    for (; counted < offset; counted += 1) if (source[counted] === '\n') line += 1
    return line
  }
  const visitor: XmlVisitor = {
    open(name, attributes, offset) {
      const element: Element = { name, children: [], attributes, text: '', line: lineAt(offset) }
      root ??= element
      open.at(-1)?.children.push(element)
      open.push(element)
    },
    text(part) {
      const current = open.at(-1)
      if (current !== undefined) current.text += part
    },
    close() {
      open.pop()
    },
  }
  walkXml(source, visitor, options)
  if (root === undefined) throw notOneRoot()
  return root
}

export const childOf = (element: Element | undefined, name: string): Element | undefined =>
  element?.children.find((child) => child.name === name)

export const childrenOf = (element: Element | undefined, name: string): readonly Element[] =>
  element?.children.filter((child) => child.name === name) ?? []

/** Trimmed text of a child; undefined when it is absent or empty. */
export const elementText = (element: Element | undefined, name: string): string | undefined =>
  childOf(element, name)?.text.trim() || undefined
