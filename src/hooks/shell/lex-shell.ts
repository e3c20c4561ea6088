import { readBackticks, readDollar, readInterpolated } from './read-quotes.ts'
import type { ShellToken, ShellWord, WordPart } from './shell-word.ts'

const OPERATOR = /^(?:;;&|;;|;&|&&|\|\||\|&|[;&|()\n])/
const REDIRECT = /^(?:\d{1,4}|\{\w+\})?(?:<<<|<<-|<<|<>|<&|>>|>&|>\||<|>)|^&>>|^&>/
const PROCESS = /^[<>]\(/
const BLANK = /[ \t\r]/

/** Reads the tokens of a shell program. Quotes that are not closed end with the text. */
class ShellLexer {
  readonly tokens: ShellToken[] = []
  readonly #text: string
  /** Here-documents whose text begins after the next line end, by the place of their token. */
  #pending: { readonly at: number; readonly strip: boolean }[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): readonly ShellToken[] {
    while (this.#at < this.#text.length) this.#readToken()
    this.#readDocuments()
    return this.tokens
  }

  #rest(length = 64): string {
    return this.#text.slice(this.#at, this.#at + length)
  }

  #readToken(): void {
    const char = this.#text.charAt(this.#at)
    if (BLANK.test(char)) this.#at += 1
    else if (this.#rest(2) === '\\\n') this.#at += 2
    else if (char === '#') {
      const end = this.#text.indexOf('\n', this.#at)
      this.#at = end < 0 ? this.#text.length : end
    } else if (PROCESS.test(this.#rest(2))) this.#readWord()
    else if (REDIRECT.test(this.#rest())) this.#readRedirect()
    else if (OPERATOR.test(this.#rest(3))) this.#readOperator()
    else this.#readWord()
  }

  #readOperator(): void {
    const [text = ''] = OPERATOR.exec(this.#rest(3)) ?? []
    this.#at += text.length
    this.tokens.push({ kind: 'operator', text })
    if (text === '\n') this.#readDocuments()
  }

  #readRedirect(): void {
    const [whole = ''] = REDIRECT.exec(this.#rest()) ?? []
    this.#at += whole.length
    const operator = whole.replace(/^(?:\d+|\{\w+\})/, '')
    while (BLANK.test(this.#text.charAt(this.#at))) this.#at += 1
    const target = this.#takeWord()
    if (operator === '<<' || operator === '<<-')
      this.#pending.push({ at: this.tokens.length, strip: operator === '<<-' })
    this.tokens.push({ kind: 'redirect', redirect: { operator, target } })
  }

  #readDocuments(): void {
    for (const { at, strip } of this.#pending) {
      const token = this.tokens[at]
      if (token?.kind !== 'redirect') continue
      const { operator, target: delimiter } = token.redirect
      const isLiteral = delimiter.parts.some(({ quoted }) => quoted)
      const body = this.#readLines(delimiter.parts.map(({ text }) => text).join(''), strip)
      const parts = isLiteral ? [{ text: body, quoted: true }] : readInterpolated(body, 0, '').parts
      this.tokens[at] = { kind: 'redirect', redirect: { operator, target: { parts } } }
    }
    this.#pending = []
  }

  /** The lines up to the one that ends a here-document. */
  #readLines(delimiter: string, strip: boolean): string {
    const lines: string[] = []
    while (this.#at < this.#text.length) {
      const end = this.#text.indexOf('\n', this.#at)
      const whole = this.#text.slice(this.#at, end < 0 ? this.#text.length : end)
      this.#at = end < 0 ? this.#text.length : end + 1
      const line = strip ? whole.replace(/^\t+/, '') : whole
      if (line === delimiter) break
      lines.push(`${line}\n`)
    }
    return lines.join('')
  }

  #readWord(): void {
    this.tokens.push({ kind: 'word', word: this.#takeWord() })
  }

  #takeWord(): ShellWord {
    const parts: WordPart[] = []
    let literal = ''
    const add = (...read: readonly WordPart[]) => {
      if (literal !== '') parts.push({ text: literal, quoted: false })
      literal = ''
      parts.push(...read)
    }
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at)
      if (PROCESS.test(this.#rest(2)) && literal === '' && parts.length === 0) {
        // Read as `$(…)`: the commands in it run.
        const read = readDollar(`$${this.#text.slice(this.#at + 1)}`, 0, true)
        this.#at += read?.end ?? 2
        if (read !== undefined) add(read.part)
        continue
      }
      if (BLANK.test(char) || ';&|()<>\n'.includes(char)) break
      this.#takePart(char, add, (text) => {
        literal += text
      })
    }
    add()
    return { parts }
  }

  #takePart(
    char: string,
    add: (...parts: readonly WordPart[]) => void,
    append: (text: string) => void,
  ): void {
    const text = this.#text
    if (char === '\\') {
      const next = text.charAt(this.#at + 1)
      this.#at += 2
      if (next !== '\n') add({ text: next, quoted: true })
      return
    }
    if (char === "'") {
      const end = text.indexOf("'", this.#at + 1)
      const stop = end < 0 ? text.length : end
      add({ text: text.slice(this.#at + 1, stop), quoted: true })
      this.#at = stop + 1
      return
    }
    const isTranslated = char === '$' && text.charAt(this.#at + 1) === '"'
    if (char === '"' || isTranslated) {
      const { parts, end } = readInterpolated(text, this.#at + (isTranslated ? 2 : 1), '"')
      add(...parts)
      this.#at = end
      return
    }
    const read =
      char === '$'
        ? readDollar(text, this.#at, false)
        : char === '`'
          ? readBackticks(text, this.#at, false)
          : undefined
    if (read === undefined) append(char)
    else add(read.part)
    this.#at = read?.end ?? this.#at + 1
  }
}

/** The tokens of a shell program, as a POSIX shell and bash read them. */
export const lexShell = (text: string): readonly ShellToken[] => new ShellLexer(text).read()
