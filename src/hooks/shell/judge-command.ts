import { posix } from 'node:path'
import type { FileEdit } from '../apply-edit.ts'
import { ask, type CommandVerdict, deny, worstVerdict } from './command-verdict.ts'
import {
  type CommandPlaces,
  judgeFiles,
  judgeRedirects,
  printedText,
  READERS,
  writtenFiles,
} from './judge-files.ts'
import { judgeGit } from './judge-git.ts'
import { NestingError, OPEN, type ShellCommand, ShellReader, type ShellWord } from './read-commands.ts'

/**
 * Refuses what plainly goes past the gate. It resolves quotes, wrappers, `sh -c` and `eval`, and no more: what a
 * command did in spite of it is found by its effects.
 */

const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=(.*)$/s
const SHELL = /^(?:ba|da|z|k|a|mk|fi)?sh$/
/** Options whose value is a command line. */
const RUNS_TEXT = /^(?:-[a-zA-Z]*c|--command|--call|--run|-S|--split-string)$/
const INTERPRETER =
  /^(?:python[\d.]*|pypy\d?|node|nodejs|deno|bun|perl|ruby|php|lua|osascript|tclsh|pwsh|powershell)$/
/** Words of a program in another language that show that it does what would be refused in the shell. */
const TELLTALE =
  /no-verify|hooks_?path|commit-tree|update-ref|\.git\/(?:hooks|config|refs)|\.ai_evidence|\.warrant\b|warrant['", ]+(?:uninstall|checks['", ]+allow|receipts['", ]+(?:keys['", ]+add|require))|HUSKY['"\])]*\s*[=:,]\s*['"]?0/i
/** Words of the guard: a text that cannot be resolved and contains one is put to the user. */
const GUARD_WORD = /git|hook|warrant|no-verify/

/** Commands of this program that change who may judge, or what counts: a person runs them. */
const PERSONAL =
  /^(?:uninstall|accept|checks allow|receipts (?:keys (?:add|revoke)|require)|log (?:erase|adopt|repair))\b/

/** Programs that are judged wherever another one starts them. */
const INNER =
  /^(?:git(?:-[\w-]+)?|warrant(?:\.[cm]?js)?|(?:ba|da|z|k|a|mk|fi)?sh|eval|rm|mv|cp|ln|tee|sed|chmod|truncate|dd|install|python[\d.]*|node|perl|ruby)$/

const MAX_DEPTH = 3
/** Words that are judged: no input makes the judgement slow. */
const MAX_WORDS = 20_000
const MAX_PATH = 4096
/** Characters that are read, those of variables and of commands in commands included. */
const MAX_LENGTH = 256 * 1024

const UNREADABLE = 'The command is too long or too deeply nested to be read. Write it as plain commands.'

/** The name of a program without folder and ending. */
const programName = (text: string): string =>
  text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1).replace(/\.(?:exe|cmd|bat)$/i, '')

const BEGIN = '*** Begin Patch'

interface CommandReading {
  readonly verdict: CommandVerdict | undefined
  /** Files that it writes with a text of its own. */
  readonly edits: readonly FileEdit[]
  /** Patches that it applies. */
  readonly patches: readonly string[]
}

class CommandJudge {
  readonly verdicts: CommandVerdict[] = []
  readonly edits: FileEdit[] = []
  readonly patches: string[] = []
  readonly #places: CommandPlaces
  readonly #home: string
  readonly #variables = new Map<string, string>()
  readonly #exported = new Map<string, string>()
  /** The working folder in each subshell. */
  readonly #folders: (string | undefined)[] = []
  #words = MAX_WORDS
  #length = MAX_LENGTH
  #depth = 0

  constructor(places: CommandPlaces, home: string) {
    this.#places = places
    this.#home = home
    this.#folders.push(places.folder)
  }

  run(text: string): void {
    if (this.#depth > MAX_DEPTH) throw new NestingError()
    this.#read(text)
    this.#depth += 1
    const reader = new ShellReader(text, {
      home: this.#home,
      variable: (name) => this.#expand(name),
      accept: (command) => this.#judge(command),
    })
    reader.read()
    this.#depth -= 1
  }

  #expand(name: string): string | undefined {
    const value = this.#variables.get(name) ?? (name === 'HOME' ? this.#home : undefined)
    this.#read(value ?? '')
    return value
  }

  #read({ length }: string): void {
    this.#length -= length
    if (this.#length < 0) throw new NestingError()
  }

  #count(words: readonly ShellWord[]): void {
    this.#words -= words.length + 1
    if (this.#words < 0) throw new NestingError()
  }

  #judge(command: ShellCommand): void {
    const { words, level } = command
    this.#count(words)
    if (this.#folders.length > level + 1) this.#folders.length = level + 1
    while (this.#folders.length <= level) this.#folders.push(this.#folders.at(-1))
    const places = { ...this.#places, folder: this.#folders[level] }
    const first = words.findIndex(({ text }) => !ASSIGNMENT.test(text))
    const given = words.slice(0, first < 0 ? words.length : first)
    this.verdicts.push(...judgeRedirects(command, places))
    if (first < 0) {
      for (const { text } of given) this.#assign(text, false)
      return
    }
    const rest = words.slice(first)
    const texts = rest.map(({ text }) => text)
    const [head = '', ...args] = texts
    const name = programName(head)
    this.#applyBuiltin(name, args, level)
    if (head.includes(OPEN) && GUARD_WORD.test(rest.map(({ raw }) => raw).join(' ')))
      this.verdicts.push(ask('The program is known only when the command runs. Write it out.'))
    const environment = new Map(this.#exported)
    for (const { text } of given) setIn(environment, text)
    this.#judgeProgram(name, rest, environment, command, places)
    this.edits.push(...writtenFiles(name, args, command, places))
    const patch = [...args, command.input ?? ''].find((text) => text.includes(BEGIN))
    if (patch !== undefined && /^apply_?patch$/.test(name)) this.patches.push(patch)
    // Any other program may start the one behind it: `sudo`, `env`, `timeout`, `xargs`, `find -exec`.
    if (name === 'git' || (READERS.has(name) && name !== 'find' && name !== 'fd')) return
    for (const [at, { text }] of rest.entries()) {
      setIn(environment, text)
      const inner = programName(text)
      if (at === 0 || !INNER.test(inner)) continue
      this.#count(rest.slice(at))
      this.#judgeProgram(inner, rest.slice(at), environment, command, places)
    }
  }

  #judgeProgram(
    name: string,
    words: readonly ShellWord[],
    environment: ReadonlyMap<string, string>,
    command: ShellCommand,
    places: CommandPlaces,
  ): void {
    const [, dashed] = /^git-(\w[\w-]*)$/.exec(name) ?? []
    const args = words.slice(1)
    const texts = args.map(({ text }) => text)
    if (name === 'git' || dashed !== undefined) {
      const all = dashed === undefined ? args : [{ text: dashed, raw: dashed }, ...args]
      this.verdicts.push(...judgeGit(all, environment))
      if (/^(?:rm|mv|clean|checkout-index)$/.test(texts[0] ?? ''))
        this.verdicts.push(...judgeFiles('rm', texts.slice(1), places))
      return
    }
    this.verdicts.push(...judgeFiles(name, texts, places))
    this.#judgeText(name, args, command)
    this.#judgeOurs(name, texts)
  }

  /** Judges commands that a program gets as a text. */
  #judgeText(name: string, words: readonly ShellWord[], command: ShellCommand): void {
    const args = words.map(({ text }) => text)
    const option = args.findIndex((text) => RUNS_TEXT.test(text))
    if (INTERPRETER.test(name)) {
      const code = args.find((_, at) => /^(?:-[a-zA-Z]*[ceEp]|--eval|--print)$/.test(args[at - 1] ?? ''))
      const [found] = TELLTALE.exec(code ?? command.input ?? '') ?? []
      if (found !== undefined)
        this.verdicts.push(
          ask(
            `The program that ${name} runs contains ${JSON.stringify(found)}: it may skip the git hooks or change files of the gate.`,
          ),
        )
      return
    }
    const isShell = SHELL.test(name)
    const { input, upstream } = command
    const before = upstream?.words.map(({ text }) => text) ?? []
    const script =
      name === 'eval' || name === 'watch'
        ? args.join(' ')
        : name === 'trap'
          ? args[0]
          : option >= 0 && !READERS.has(name)
            ? args[option + 1]
            : isShell && args.every((text) => text.startsWith('-'))
              ? (input ?? (upstream && printedText(programName(before[0] ?? ''), before.slice(1), upstream)))
              : undefined
    if (script === undefined) return
    if (
      script.includes(OPEN) &&
      (isShell || name === 'eval') &&
      words.some(({ raw }) => GUARD_WORD.test(raw))
    )
      this.verdicts.push(ask('The shell runs commands that are known only when it runs. Write them out.'))
    this.run(script)
  }

  /** Judges this program itself. */
  #judgeOurs(name: string, args: readonly string[]): void {
    const line = args.filter((text) => !text.startsWith('-')).join(' ')
    const isOurs = /^warrant(?:\.[cm]?js)?$/.test(name)
    if (isOurs && (PERSONAL.test(line) || args.some((text) => text.startsWith('--allow-checks'))))
      this.verdicts.push(
        deny(
          'own-command',
          `\`warrant ${line.split(' ', 2).join(' ')}\` is run by a person: it changes what the gate accepts.`,
        ),
      )
  }

  #assign(text: string, exports: boolean): void {
    const [, name, value = ''] = ASSIGNMENT.exec(text) ?? []
    if (name === undefined) {
      if (exports && /^\w+$/.test(text)) this.#exported.set(text, this.#variables.get(text) ?? OPEN)
      return
    }
    if (value.includes(OPEN)) this.#variables.delete(name)
    else this.#variables.set(name, value)
    if (exports || this.#exported.has(name)) this.#exported.set(name, value)
  }

  /** Commands of the shell that change what follows. */
  #applyBuiltin(name: string, args: readonly string[], level: number): void {
    const [first = ''] = args
    if (/^(?:export|declare|typeset|local|readonly)$/.test(name))
      for (const text of args) this.#assign(text, name === 'export' || first === '-x')
    else if (name === 'unset')
      for (const text of args) {
        this.#variables.delete(text)
        this.#exported.delete(text)
      }
    else if (name === 'for' && args[1] === 'in') this.#variables.set(first, args.slice(2).join(' '))
    else if (name === 'alias') for (const text of args) this.run(text.slice(text.indexOf('=') + 1))
    else if (name === 'cd' || name === 'pushd') {
      const target = args.find((text) => !/^-[LPe@]+$/.test(text)) ?? this.#home
      const folder = this.#folders[level]
      const isKnown = !target.includes(OPEN) && target !== '-' && folder !== undefined
      const next = isKnown ? posix.resolve(folder, target) : ''
      this.#folders[level] = next === '' || next.length > MAX_PATH ? undefined : next
    }
  }
}

const setIn = (environment: Map<string, string>, text: string): void => {
  const [, name, value = ''] = ASSIGNMENT.exec(text) ?? []
  if (name !== undefined) environment.set(name, value)
}

/** Judges a command of a shell. The result is the same for the same input. */
export const judgeCommand = (
  command: string,
  { home, ...places }: CommandPlaces & { readonly home: string },
): CommandReading => {
  const judge = new CommandJudge(places, home)
  try {
    judge.run(command)
  } catch (thrown) {
    if (!(thrown instanceof NestingError || thrown instanceof RangeError)) throw thrown
    judge.verdicts.push(ask(UNREADABLE, 'unreadable'))
  }
  return { verdict: worstVerdict(judge.verdicts), edits: judge.edits, patches: judge.patches }
}
