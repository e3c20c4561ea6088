import { UneditableFile } from './insertion.ts'

/** A table header, or a key with its value, of a TOML text. */
export interface TomlLine {
  readonly kind: 'table' | 'list of tables' | 'key'
  /** Names from the root of the file; for a key, with those of its table. */
  readonly path: readonly string[]
  readonly from: number
  /** The end of the header or the value, without comment and line end. */
  readonly to: number
}

const BLANKS = /[ \t]*/y
const BARE_KEY = /[A-Za-z0-9_-]+/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: TOML forbids them
const BASIC_STRING = /"(?:[^"\\\u0000-\u0008\u000a-\u001f\u007f]|\\.)*"/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: TOML forbids them
const LITERAL_STRING = /'[^'\u0000-\u0008\u000a-\u001f\u007f]*'/y
const LONG_BASIC = /"""(?:[^\\]|\\[\s\S])*?"{3,5}(?!")/y
const LONG_LITERAL = /'''[\s\S]*?'{3,5}(?!')/y
const SCALAR = /[A-Za-z0-9_+.:-]+(?: \d\d:[\d:.Z+-]+)?/y
const COMMENT = /#[^\r\n]*/y
const LINE_END = /\r?\n/y
const MAX_DEPTH = 100

/** Reads a TOML text from its start, for the positions of headers and keys. Values are skipped, not converted. */
class TomlReader {
  readonly #text: string
  #at: number

  constructor(text: string) {
    this.#text = text
    this.#at = text.startsWith('\ufeff') ? 1 : 0
  }

  #fail(): never {
    const line = this.#text.slice(0, this.#at).split('\n').length
    throw new UneditableFile(`it is not valid TOML (line ${line})`)
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  #expect(char: string): void {
    if (this.#text[this.#at] !== char) this.#fail()
    this.#at += 1
  }

  /** Blanks, comments and line ends inside of a list. */
  #skipLines(): void {
    let start: number
    do {
      start = this.#at
      this.#take(BLANKS)
      this.#take(COMMENT)
      this.#take(LINE_END)
    } while (this.#at > start)
  }

  #key(): string[] {
    const names: string[] = []
    for (;;) {
      this.#take(BLANKS)
      const quoted = this.#take(BASIC_STRING) ?? this.#take(LITERAL_STRING)
      const name = quoted === undefined ? this.#take(BARE_KEY) : this.#unquote(quoted)
      if (name === undefined) this.#fail()
      names.push(name)
      this.#take(BLANKS)
      if (this.#text[this.#at] !== '.') return names
      this.#at += 1
    }
  }

  #unquote(quoted: string): string {
    if (quoted.startsWith("'")) return quoted.slice(1, -1)
    try {
      return JSON.parse(quoted)
    } catch {
      // An escape that JSON does not have: the name is not one of ours.
      return quoted
    }
  }

  #list(close: string, item: () => void): void {
    this.#at += 1
    for (;;) {
      this.#skipLines()
      if (this.#text[this.#at] === close) break
      item()
      this.#skipLines()
      if (this.#text[this.#at] === ',') this.#at += 1
      else if (this.#text[this.#at] !== close) this.#fail()
    }
    this.#at += 1
  }

  #value(depth: number): void {
    if (depth > MAX_DEPTH) this.#fail()
    const first = this.#text[this.#at]
    if (first === '[') return this.#list(']', () => this.#value(depth + 1))
    if (first === '{')
      return this.#list('}', () => {
        this.#key()
        this.#expect('=')
        this.#take(BLANKS)
        this.#value(depth + 1)
      })
    const found =
      first === '"' || first === "'"
        ? (this.#take(LONG_BASIC) ??
          this.#take(LONG_LITERAL) ??
          this.#take(BASIC_STRING) ??
          this.#take(LITERAL_STRING))
        : this.#take(SCALAR)
    if (found === undefined) this.#fail()
  }

  /** A header; undefined when the line has none. */
  #header(from: number): TomlLine | undefined {
    if (this.#text[from] !== '[') return undefined
    const isList = this.#text[from + 1] === '['
    this.#at += isList ? 2 : 1
    const path = this.#key()
    this.#expect(']')
    if (isList) this.#expect(']')
    return { kind: isList ? 'list of tables' : 'table', path, from, to: this.#at }
  }

  *lines(): Generator<TomlLine> {
    let table: readonly string[] = []
    while (this.#at < this.#text.length) {
      this.#take(BLANKS)
      const from = this.#at
      const isBlank = this.#take(COMMENT) !== undefined || /[\r\n]|^$/.test(this.#text.charAt(from))
      if (!isBlank) {
        const header = this.#header(from)
        if (header !== undefined) {
          table = header.path
          yield header
        } else {
          const path = [...table, ...this.#key()]
          this.#expect('=')
          this.#take(BLANKS)
          this.#value(0)
          yield { kind: 'key', path, from, to: this.#at }
        }
        this.#take(BLANKS)
        this.#take(COMMENT)
      }
      if (this.#at < this.#text.length && this.#take(LINE_END) === undefined) this.#fail()
    }
  }
}

/** The headers and keys of a TOML text, in their order. Throws `UneditableFile`. */
export const readTomlLines = (text: string): TomlLine[] => [...new TomlReader(text).lines()]
