/** How a language writes strings; comments are the same in all of them, and may be nested. */
interface StringSyntax {
  /** What starts an expression inside a string, and the bracket that ends it. */
  readonly interpolation: readonly [start: string, end: string]
  /** Whether `"""` strings have escape sequences. */
  readonly escapesInBlocks: boolean
  /** Texts that make the count of brackets uncertain. */
  readonly uncertain?: RegExp
}

const SYNTAX: Readonly<Record<string, StringSyntax>> = {
  kotlin: { interpolation: ['${', '}'], escapesInBlocks: false },
  // Each branch of `#if` may have its own brackets; a regular expression literal may have any.
  swift: {
    interpolation: ['\\(', ')'],
    escapesInBlocks: true,
    uncertain: /^[ \t]*#(?:if|else)|[=(,:{&|]\s*#*\/[^/*\s]/m,
  },
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
const CLOSERS = new Set(Object.values(CLOSING))
const CHARACTER = /'(?:\\u[0-9a-fA-F]{4}|\\.|[^'\\\n])'/y

/** A bracket that is open, and the string that goes on after it when it is an interpolation. */
interface OpenBracket {
  readonly end: string
  readonly string?: OpenString
}

interface OpenString {
  readonly end: string
  /** The `#` of a raw string of Swift. */
  readonly marks: string
  readonly block: boolean
}

/** Reads a text bracket by bracket, with its strings and comments. */
class TokenReader {
  readonly #text: string
  readonly #syntax: StringSyntax
  readonly #open: OpenBracket[] = []
  #at = 0

  constructor(text: string, syntax: StringSyntax) {
    this.#text = text
    this.#syntax = syntax
  }

  /** Whether every bracket, string and comment ends. */
  isClosed(): boolean {
    while (this.#at < this.#text.length) if (!this.#readToken()) return false
    return this.#open.length === 0
  }

  #starts(token: string): boolean {
    return this.#text.startsWith(token, this.#at)
  }

  /** False when the text cannot go on like this. */
  #readToken(): boolean {
    const char = this.#text[this.#at] ?? ''
    if (this.#starts('//')) return this.#skipTo('\n') || this.#skipAll()
    if (this.#starts('/*')) return this.#skipComment()
    if (char === '"') return this.#readString(this.#stringAt())
    if (char === '`') return this.#skipTo('`', 1)
    if (char === "'") return this.#skipCharacter()
    this.#at += 1
    const end = CLOSING[char]
    if (end !== undefined) this.#open.push({ end })
    else if (CLOSERS.has(char)) {
      const last = this.#open.pop()
      if (last?.end !== char) return false
      if (last.string !== undefined) return this.#readString(last.string)
    }
    return true
  }

  #skipAll(): boolean {
    this.#at = this.#text.length
    return true
  }

  #skipTo(token: string, from = 0): boolean {
    const found = this.#text.indexOf(token, this.#at + from)
    if (found < 0) return false
    this.#at = found + token.length
    return true
  }

  #skipComment(): boolean {
    const mark = /\/\*|\*\//g
    mark.lastIndex = this.#at
    let depth = 0
    for (let found = mark.exec(this.#text); found !== null; found = mark.exec(this.#text)) {
      depth += found[0] === '/*' ? 1 : -1
      if (depth > 0) continue
      this.#at = mark.lastIndex
      return true
    }
    return false
  }

  #skipCharacter(): boolean {
    CHARACTER.lastIndex = this.#at
    this.#at = CHARACTER.test(this.#text) ? CHARACTER.lastIndex : this.#at + 1
    return true
  }

  /** The string that starts here; moves behind its quotes. */
  #stringAt(): OpenString {
    let marks = ''
    while (this.#text[this.#at - 1 - marks.length] === '#') marks += '#'
    const quotes = this.#starts('"""') ? '"""' : '"'
    this.#at += quotes.length
    return { end: `${quotes}${marks}`, marks, block: quotes.length > 1 }
  }

  #readString(string: OpenString): boolean {
    const [start, bracket] = this.#syntax.interpolation
    const interpolation = `${start[0]}${string.marks}${start[1]}`
    const escapes = !string.block || this.#syntax.escapesInBlocks
    while (this.#at < this.#text.length) {
      if (this.#starts(interpolation)) {
        this.#at += interpolation.length
        this.#open.push({ end: bracket, string })
        return true
      }
      if (this.#starts(string.end)) {
        this.#at += string.end.length
        // `""""` ends a block string that ends with a quote.
        while (string.block && string.marks === '' && this.#text[this.#at] === '"') this.#at += 1
        return true
      }
      if (escapes && this.#starts(`\\${string.marks}`)) this.#at += string.marks.length + 2
      else if (!string.block && this.#text[this.#at] === '\n') return false
      else this.#at += 1
    }
    return false
  }
}

/**
 * Whether a bracket, string or comment is not closed: then no compiler accepts the file. False for a language whose
 * strings are not known here.
 */
export const hasUnclosedToken = (grammar: string, text: string): boolean => {
  const syntax = SYNTAX[grammar]
  return syntax !== undefined && !syntax.uncertain?.test(text) && !new TokenReader(text, syntax).isClosed()
}
