import { optional } from '../../kernel/optional.ts'
import { lexShell } from './lex-shell.ts'
import type { Redirect, ShellToken, ShellWord } from './shell-word.ts'

/** One command with its redirections. Blocks, loops and subshells are flattened into the commands in them. */
export interface ShellCommand {
  readonly words: readonly ShellWord[]
  readonly redirects: readonly Redirect[]
  /** The commands before it in its pipeline. */
  readonly upstream: readonly ShellCommand[]
  /** The variable of a `for` loop that takes the words of this command as its values. */
  readonly loop?: string
}

const KEYWORDS = new Set([
  'if',
  'then',
  'elif',
  'else',
  'fi',
  'while',
  'until',
  'do',
  'done',
  'esac',
  '!',
  '{',
  '}',
  'time',
  'coproc',
])

const plainText = ({ parts }: ShellWord): string | undefined =>
  parts.every(({ quoted, expansion }) => !quoted && expansion === undefined)
    ? parts.map(({ text }) => text).join('')
    : undefined

const PIPES = new Set(['|', '|&'])

/** Collects the tokens of commands. */
class CommandSplitter {
  readonly commands: ShellCommand[] = []
  #words: ShellWord[] = []
  #redirects: Redirect[] = []
  #upstream: ShellCommand[] = []
  #loop: string | undefined
  #expects: 'command' | 'loop-name' | 'loop-in' | 'case-in' | 'function' = 'command'
  #level = 0

  add(token: ShellToken, next: ShellToken | undefined): void {
    if (token.kind === 'redirect') this.#redirects.push(token.redirect)
    else if (token.kind === 'word') this.#addWord(token.word)
    else this.#addOperator(token.text, next)
  }

  end(pipes = false): void {
    if (this.#words.length + this.#redirects.length > 0) {
      const loop = this.#loop
      const command = {
        words: this.#words,
        redirects: this.#redirects,
        upstream: this.#upstream,
        ...optional({ loop }),
      }
      this.commands.push(command)
      this.#upstream = pipes ? [...this.#upstream, command] : []
    } else if (!pipes) this.#upstream = []
    this.#words = []
    this.#redirects = []
    this.#loop = undefined
    this.#expects = 'command'
  }

  #addWord(word: ShellWord): void {
    const text = plainText(word)
    if (this.#expects === 'loop-name') {
      this.#loop = text ?? ''
      this.#expects = 'loop-in'
    } else if (this.#expects === 'loop-in') {
      if (text !== 'in') this.#words.push(word)
    } else if (this.#expects === 'case-in') {
      if (text === 'in') this.end()
    } else if (this.#expects === 'function') this.#expects = 'command'
    else if (this.#words.length > 0 || text === undefined || !this.#isKeyword(text)) this.#words.push(word)
  }

  /** Whether a word at the place of a command is part of the grammar. */
  #isKeyword(text: string): boolean {
    if (text === 'for' || text === 'select') this.#expects = 'loop-name'
    else if (text === 'case') this.#expects = 'case-in'
    else if (text === 'function') this.#expects = 'function'
    else return KEYWORDS.has(text)
    return true
  }

  #addOperator(text: string, next: ShellToken | undefined): void {
    if (text === '(') {
      const isFunction = this.#words.length === 1 && next?.kind === 'operator' && next.text === ')'
      if (isFunction) this.#words = []
      // A subshell reads what is piped into it.
      else this.end(this.#words.length === 0)
      this.#level += 1
    } else if (text === ')') {
      // Without an open bracket it ends a pattern of `case`.
      if (this.#level === 0) this.#words = []
      else this.#level -= 1
      this.end()
    } else this.end(PIPES.has(text))
  }
}

/** The commands of a shell program in the order of the text. */
export const splitCommands = (text: string): readonly ShellCommand[] => {
  const splitter = new CommandSplitter()
  const tokens = lexShell(text)
  for (const [at, token] of tokens.entries()) splitter.add(token, tokens[at + 1])
  splitter.end()
  return splitter.commands
}
