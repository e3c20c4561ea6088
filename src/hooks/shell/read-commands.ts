import { decodeAnsiEscapes } from './escapes.ts'

/** Stands for a part of a word that is known only when the command runs. */
export const OPEN = '\ue000'

/** A word of a command, its quotes resolved. */
export interface ShellWord {
  readonly text: string
  /** The word as it is written. */
  readonly raw: string
}

interface Redirect {
  readonly operator: string
  readonly target: ShellWord
}

export interface ShellCommand {
  readonly words: readonly ShellWord[]
  readonly redirects: readonly Redirect[]
  /** The text of its here-document. */
  readonly input: string | undefined
  /** The command whose output it reads. */
  readonly upstream: ShellCommand | undefined
  /** How many subshells it is in. */
  readonly level: number
}

/** Reads one command at a time, so that what a command sets is known to those after it. */
interface ShellKnowledge {
  readonly variable: (name: string) => string | undefined
  readonly home: string
  readonly accept: (command: ShellCommand) => void
}

/** The command is nested too deeply to be read. No one writes it. */
export class NestingError extends Error {}

const MAX_NESTING = 24

const OPERATOR = /;;&?|;&|&&|\|\||\|&|[;&|()\n]/y
const REDIRECT = /(?:\d{1,4}|\{\w+\})?(<<<|<<-|<<|<>|<&|>>|>&|>\||<|>)|(&>>|&>)/y
const BLANK = /(?:[ \t\r]|\\\n)+/y
const COMMENT = /#[^\n]*/y
const PLAIN = /[^\s\\'"$`;&|()<>~{#]+/y
const VARIABLE = /\$(?:(\w+|[@*#?!$-])|\{!?(\w+)(?::?[-=]([^{}$`'"\\]*))?\})/y
/** Words of the grammar before a command. */
const KEYWORD = /^(?:if|then|elif|else|fi|while|until|do|done|!|\{|\}|esac|in|coproc)$/

type Command = { -readonly [Key in keyof ShellCommand]: ShellCommand[Key] } & {
  words: ShellWord[]
  redirects: Redirect[]
}

interface Document {
  readonly command: Command
  /** The line that ends it. */
  readonly last: ShellWord
  readonly strips: boolean
}

/** Words that one written word becomes: expansions without quotes are split at white space. */
interface OpenWord {
  readonly done: string[]
  text: string
  isStarted: boolean
}

/** Reads a shell program from its start to its end, each character once. Quotes that are not closed end with it. */
export class ShellReader {
  readonly #text: string
  readonly #knowledge: ShellKnowledge
  #at = 0
  #nesting = 0
  #level = -1

  constructor(text: string, knowledge: ShellKnowledge) {
    this.#text = text
    this.#knowledge = knowledge
  }

  read(): void {
    this.#readCommands('')
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found !== null) this.#at += found[0].length
    return found
  }

  /** Reads commands up to the character that closes a substitution. */
  #readCommands(close: string): void {
    const text = this.#text
    this.#nesting += 1
    if (this.#nesting > MAX_NESTING) throw new NestingError()
    const documents: Document[] = []
    const outer = this.#level
    this.#level += 1
    const lowest = this.#level
    let open = this.#newCommand(undefined)
    const end = (operator: string) => {
      const isEmpty = open.words.length + open.redirects.length === 0
      if (!isEmpty && documents.at(-1)?.command !== open) this.#knowledge.accept(open)
      const isPiped = operator === '|' || operator === '|&'
      open = this.#newCommand(isPiped ? (isEmpty ? open.upstream : open) : undefined)
    }
    while (this.#at < text.length) {
      if (this.#match(BLANK) !== null || this.#match(COMMENT) !== null) continue
      if (text[this.#at] === close && (close !== ')' || this.#level === lowest)) break
      if (text[this.#at + 1] !== '(' || !/[<>]/.test(text[this.#at] ?? '')) {
        const redirect = this.#match(REDIRECT)
        if (redirect !== null) {
          const operator = redirect[1] ?? redirect[2] ?? ''
          this.#match(BLANK)
          const [target = { text: '', raw: '' }] = this.#readWord()
          if (operator === '<<' || operator === '<<-')
            documents.push({ command: open, last: target, strips: operator === '<<-' })
          else if (operator === '<<<') open.input = `${target.text}\n`
          else open.redirects.push({ operator, target })
          continue
        }
      }
      const [operator] = this.#match(OPERATOR) ?? []
      if (operator === undefined) {
        const words = this.#readWord()
        if (open.words.length > 0 || words.length !== 1 || !KEYWORD.test(words[0]?.raw ?? ''))
          for (const word of words) open.words.push(word)
        continue
      }
      if (operator === '(') this.#level += 1
      if (operator === ')') this.#level = Math.max(lowest, this.#level - 1)
      end(operator)
      if (operator === '\n') this.#readDocuments(documents)
    }
    end('')
    this.#readDocuments(documents)
    this.#at += 1
    this.#level = outer
    this.#nesting -= 1
  }

  #newCommand(upstream: ShellCommand | undefined): Command {
    return { words: [], redirects: [], input: undefined, upstream, level: this.#level }
  }

  /** Reads the here-documents of the commands before a line end. A command is complete with its last one. */
  #readDocuments(documents: Document[]): void {
    for (const [at, document] of documents.entries()) {
      const { command } = document
      command.input = this.#readDocument(document)
      if (documents[at + 1]?.command !== command) this.#knowledge.accept(command)
    }
    documents.length = 0
  }

  /** The lines up to the one that ends a here-document. What is substituted in it runs. */
  #readDocument({ last, strips }: Document): string {
    const lines: string[] = []
    while (this.#at < this.#text.length) {
      const found = this.#text.indexOf('\n', this.#at)
      const stop = found < 0 ? this.#text.length : found
      const line = this.#text.slice(this.#at, stop)
      this.#at = stop + 1
      const text = strips ? line.replace(/^\t+/, '') : line
      if (text === last.text) break
      lines.push(`${text}\n`)
    }
    const body = lines.join('')
    if (/["'\\]/.test(last.raw) || !/[$`]/.test(body)) return body
    const inner = new ShellReader(body, this.#knowledge)
    inner.#nesting = this.#nesting + 1
    return inner.#readQuoted('')
  }

  #readWord(): ShellWord[] {
    const start = this.#at
    const word: OpenWord = { done: [], text: '', isStarted: false }
    while (this.#at < this.#text.length && this.#readPart(word));
    if (this.#at === start) {
      // A character that starts no word on its own, such as `{` before a blank.
      word.text += this.#text[this.#at]
      word.isStarted = true
      this.#at += 1
    }
    const raw = this.#text.slice(start, this.#at)
    const texts = word.isStarted ? [...word.done, word.text] : word.done
    return texts.map((text) => ({ text, raw }))
  }

  /** Reads one part of a word. False where the word ends. */
  #readPart(word: OpenWord): boolean {
    const text = this.#text
    const char = text[this.#at] ?? ''
    const add = (part: string) => {
      word.text += part
      word.isStarted = true
      return true
    }
    const plain = this.#match(PLAIN)
    if (plain !== null) return add(plain[0])
    if (char === '~') {
      this.#at += 1
      const isHome = !word.isStarted && /[/\s;&|)]|^$/.test(text[this.#at] ?? '')
      return add(isHome ? this.#knowledge.home : '~')
    }
    if (char === '{' || char === '#') {
      this.#at += 1
      return add(char)
    }
    if (char === '\\') {
      this.#at += 2
      return add(text[this.#at - 1] === '\n' ? '' : (text[this.#at - 1] ?? ''))
    }
    if (char === "'") return add(this.#readSingle(1))
    if (char === '"') {
      this.#at += 1
      return add(this.#readQuoted('"'))
    }
    if (char === '$' && text[this.#at + 1] === "'") return add(decodeAnsiEscapes(this.#readSingle(2, true)))
    if (char === '$' && text[this.#at + 1] === '"') {
      this.#at += 2
      return add(this.#readQuoted('"'))
    }
    const isProcess = /[<>]/.test(char) && text[this.#at + 1] === '('
    if (char !== '$' && char !== '`' && !isProcess) return false
    const [first = '', ...others] = this.#readExpansion().split(/[ \t\n]+/)
    if (first !== '') add(first)
    for (const other of others) {
      if (word.isStarted) word.done.push(word.text)
      word.text = other
      word.isStarted = other !== ''
    }
    return true
  }

  #readSingle(skip: number, escapes = false): string {
    const start = this.#at + skip
    let end = this.#text.indexOf("'", start)
    while (
      escapes &&
      end > 0 &&
      /(?:^|[^\\])(?:\\\\)*\\$/.test(this.#text.slice(Math.max(start, end - 8), end))
    )
      end = this.#text.indexOf("'", end + 1)
    const stop = end < 0 ? this.#text.length : end
    this.#at = stop + 1
    return this.#text.slice(start, stop)
  }

  /** Reads up to a quote, or to the end of the text. */
  #readQuoted(quote: string): string {
    const parts: string[] = []
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] ?? ''
      if (char === quote) break
      if (char === '\\') {
        const next = this.#text[this.#at + 1] ?? ''
        parts.push(next === '\n' ? '' : /["$`\\]/.test(next) ? next : `\\${next}`)
        this.#at += 2
      } else if (char === '$' || char === '`') parts.push(this.#readExpansion())
      else {
        const stop = /["\\$`]/g
        stop.lastIndex = this.#at + 1
        const next = stop.exec(this.#text)?.index ?? this.#text.length
        parts.push(this.#text.slice(this.#at, next))
        this.#at = next
      }
    }
    this.#at += 1
    return parts.join('')
  }

  /** Reads what the shell replaces. Commands in it run, so they are read as well. */
  #readExpansion(): string {
    const text = this.#text
    const next = text[this.#at + 1]
    if (text[this.#at] === '`' || next === '(') {
      const close = text[this.#at] === '`' ? '`' : ')'
      this.#at += close === ')' ? 2 : 1
      this.#readCommands(close)
      return OPEN
    }
    const [whole, name, braced, fallback] = this.#match(VARIABLE) ?? []
    if (whole !== undefined) {
      if ((name ?? braced) === 'IFS') return ' '
      return this.#knowledge.variable(name ?? braced ?? '') ?? fallback ?? OPEN
    }
    this.#at += 1
    if (next !== '{') return '$'
    // Another form of expansion: what stands in it is read as text between quotes.
    this.#at += 1
    this.#nesting += 1
    if (this.#nesting > MAX_NESTING) throw new NestingError()
    this.#readQuoted('}')
    this.#nesting -= 1
    return OPEN
  }
}
