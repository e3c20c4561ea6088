import type { ParserPlugin } from '@babel/parser'
import { parseText } from '../syntax/ast-grep.ts'

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

const DECORATORS: ParserPlugin = 'decorators'
const TYPES: readonly ParserPlugin[] = ['typescript', DECORATORS]
/** Plugins of the second parser by grammar: one of the sets has to accept a text. */
const PLUGINS: Readonly<Record<string, readonly (readonly ParserPlugin[])[]>> = {
  TypeScript: [TYPES],
  Tsx: [[...TYPES, 'jsx']],
  JavaScript: [
    ['jsx', DECORATORS],
    ['jsx', 'flow', DECORATORS],
  ],
}

/** The grammars that accept all valid code of public repositories; an error that they report is one. */
const COMPLETE = new Set(['python', 'go', 'java'])

/** `new` of a value, which is younger than the grammar of Go. With another name it is a call like any other. */
const NEW_OF_VALUE = /\bnew\((?!\[[^{}()]*\)|map\[[^{}()]*\)|struct\b|chan\b|interface\b|func\([^)]*\)\s*\))/g

/** The annotation of the dots of a parameter: `String @NonNull... names`. */
const ANNOTATED_DOTS = /@[\w.]+(?=\s*\.\.\.)/g

/** What a grammar does not know yet, and text of the same meaning that it knows. */
const NEWER: Readonly<Record<string, readonly [RegExp, string]>> = {
  go: [NEW_OF_VALUE, 'of('],
  java: [ANNOTATED_DOTS, ''],
}

/** Marks of templates: the text that a program puts in their place is not known, so a name stands for it. */
const TEMPLATE_MARKS =
  /\{%[\s\S]{0,1000}?%\}|\{\{[\s\S]{0,1000}?\}\}|<%[\s\S]{0,1000}?%>|<\?(?:php\b|=)[\s\S]{0,1000}?\?>|\$\{[A-Za-z_.]{1,100}\}|@[A-Z_]{2,100}@/g
const FRONT_MATTER = /^---\r?\n[\s\S]{0,10000}?^---[ \t]*$/m
const STATEMENT_MARK = /^\{%|^<%(?!=)|^<\?php/

/** The text as a template would give it; undefined if it has no mark of one. */
const fillTemplate = (text: string): string | undefined => {
  const filled = text
    .replace(FRONT_MATTER, (block, at: number) => (at === 0 ? '' : block))
    .replace(TEMPLATE_MARKS, (mark) => (STATEMENT_MARK.test(mark) ? ' ' : 'filled'))
  return filled === text ? undefined : filled
}

const accepts = (grammar: string, text: string): boolean =>
  parseText(grammar, text).find({ rule: { kind: 'ERROR' } }) === null

const acceptsNewer = (grammar: string, text: string): boolean => {
  const newer = NEWER[grammar]
  return newer !== undefined && text.search(newer[0]) !== -1 && accepts(grammar, text.replace(...newer))
}

/** Statements of Python 2, which its grammar knows in part. */
const PYTHON_2 =
  /^[ \t]*(?:print[ \t]+["'%]|exec[ \t]+["']|except[ \t]+[\w.]+,[ \t]*\w+[ \t]*:|raise[ \t]+[\w.]+,)/m

const acceptsScript = async (text: string, sets: readonly (readonly ParserPlugin[])[]): Promise<boolean> => {
  const { parse } = await import('@babel/parser')
  return sets.some((plugins) => {
    try {
      // What is parsed with recovery breaks a rule of the language and not its grammar.
      parse(text, {
        sourceType: 'unambiguous',
        errorRecovery: true,
        allowReturnOutsideFunction: true,
        allowAwaitOutsideFunction: true,
        allowSuperOutsideMethod: true,
        allowUndeclaredExports: true,
        plugins: [...plugins],
      })
      return true
    } catch {
      return false
    }
  })
}

const isRefused = async (grammar: string, text: string): Promise<boolean> => {
  if (grammar === 'python' && PYTHON_2.test(text)) return false
  if (COMPLETE.has(grammar)) return !acceptsNewer(grammar, text)
  const sets = PLUGINS[grammar]
  return sets === undefined ? hasUnclosedToken(grammar, text) : !(await acceptsScript(text, sets))
}

/**
 * Whether the language refuses a text in which our grammar found an error. The grammars lag behind the languages: for
 * scripts a second parser decides, for Kotlin and Swift an unclosed bracket, string or comment. The text of a template
 * is none of the language.
 */
export const isSyntaxError = async (grammar: string, text: string): Promise<boolean> => {
  if (!(await isRefused(grammar, text))) return false
  const filled = fillTemplate(text)
  if (filled === undefined) return true
  return (await isRefused(grammar, filled)) && !(COMPLETE.has(grammar) && accepts(grammar, filled))
}
