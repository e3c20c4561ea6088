import { posix } from 'node:path'
import type { FileEdit } from '../apply-edit.ts'
import type { CommandContext, PlainCommand, ShellKnowledge } from './command-context.ts'
import { ask, type CommandVerdict, worstVerdict } from './command-verdict.ts'
import { expandText, expandWord, literalOutput, scriptsIn } from './expand-word.ts'
import { judgeGit } from './judge-git.ts'
import { judgeNested } from './judge-nested.ts'
import { judgeTools } from './judge-tools.ts'
import { judgeFiles } from './judge-written-files.ts'
import { NestingError } from './read-quotes.ts'
import {
  isKnown,
  newScope,
  type ShellField,
  type ShellPlaces,
  type ShellScope,
  UNKNOWN,
  VALUE,
} from './shell-scope.ts'
import { type ShellCommand, splitCommands } from './split-commands.ts'
import { ASSIGNMENT, programName, unwrapCommand } from './unwrap-command.ts'

const WRITES = /^(?:>|>\||&>)$/
const APPENDS = /^(?:>>|&>>)$/

interface KnownText {
  readonly text: string
  /** Whether parts of it are known only when the command runs. */
  readonly isPartial: boolean
}

const toKnown = (text: string): KnownText => {
  const known = text.replaceAll(UNKNOWN, '').replaceAll(VALUE, '')
  return { text: known, isPartial: known !== text }
}

/** The here-document of a command. */
const inputText = ({ source }: PlainCommand, scope: ShellScope): KnownText | undefined => {
  const here = source.redirects.find(({ operator }) => operator.startsWith('<<'))
  if (here !== undefined) return toKnown(expandText(here.target.parts, scope))
  const before = source.upstream.at(-1)
  const output = before && literalOutput(before, scope)
  return output === undefined ? undefined : toKnown(`${output}\n`)
}

/** What a command prints, as far as that is known. */
const printedText = (command: PlainCommand, scope: ShellScope): KnownText | undefined => {
  const { name, args } = command
  if (name === 'cat' && (args.length === 0 || args[0]?.text === '-')) return inputText(command, scope)
  const output = literalOutput(command.source, scope)
  if (output !== undefined) return toKnown(`${output}\n`)
  if (name !== 'echo' && name !== 'printf') return undefined
  return toKnown(`${args.map(({ text }) => text).join(' ')}${UNKNOWN}\n`)
}

const toEdit = (
  target: ShellField,
  { text, isPartial }: KnownText,
  appends: boolean,
  scope: ShellScope,
): FileEdit[] => {
  if (!isKnown(target) || scope.cwd === undefined || target.text.startsWith('/dev/')) return []
  const path = posix.resolve(scope.cwd, target.text)
  if (isPartial) return [{ path, kind: 'fragment', text }]
  return [{ path, kind: appends ? 'append' : 'text', text }]
}

/** The files that a command writes with a text that stands in the command itself. */
const writtenFiles = (command: PlainCommand, scope: ShellScope): FileEdit[] => {
  const { name, args, source } = command
  const edits: FileEdit[] = []
  for (const { operator, target } of source.redirects) {
    const appends = APPENDS.test(operator)
    const text = appends || WRITES.test(operator) ? printedText(command, scope) : undefined
    if (text !== undefined)
      edits.push(...toEdit({ text: expandText(target.parts, scope), glob: false }, text, appends, scope))
  }
  if (name !== 'tee') return edits
  const text = inputText(command, scope)
  const appends = args.some((one) => one.text === '-a' || one.text === '--append')
  const files = args.filter((one) => !one.text.startsWith('-'))
  return text === undefined ? edits : [...edits, ...files.flatMap((one) => toEdit(one, text, appends, scope))]
}

const BEGIN = '*** Begin Patch'

/** The patch that a command applies with the patch program of Codex. */
const appliedPatch = (command: PlainCommand, scope: ShellScope): string | undefined => {
  if (!/^apply_?patch$/.test(command.name)) return undefined
  const given = command.args.find(({ text }) => text.includes(BEGIN))?.text ?? inputText(command, scope)?.text
  return given?.includes(BEGIN) ? given : undefined
}

const MAX_DEPTH = 8
/** More commands than this, after scripts were read, are not judged one by one. */
const MAX_COMMANDS = 4_000
/** A longer command is not read. */
const MAX_COMMAND_LENGTH = 256 * 1024

/** What a judgement found, and what it has to know to judge better. */
export interface CommandReading {
  readonly verdict: CommandVerdict | undefined
  /** Absolute paths of scripts that the command runs. */
  readonly scripts: readonly string[]
  /** Subcommands of git that may be aliases. */
  readonly aliases: readonly string[]
  /** Files that it writes with a text of its own. */
  readonly edits: readonly FileEdit[]
  /** Patches that it applies. */
  readonly patches: readonly string[]
}

/** Reads the commands of a program in their order, and judges each. */
class ShellReader {
  readonly verdicts: CommandVerdict[] = []
  readonly scripts = new Set<string>()
  readonly aliases = new Set<string>()
  readonly edits: FileEdit[] = []
  readonly patches: string[] = []
  readonly #knowledge: ShellKnowledge
  #left = MAX_COMMANDS

  constructor(knowledge: ShellKnowledge) {
    this.#knowledge = knowledge
  }

  run(script: string, scope: ShellScope, depth: number): void {
    if (depth > MAX_DEPTH) {
      this.verdicts.push(
        ask('The command is nested too deeply to be read. Write it as plain commands.', 'unreadable'),
      )
      return
    }
    for (const command of splitCommands(script)) {
      this.#left -= 1
      if (this.#left < 0) {
        this.verdicts.push(ask('The command is too long to be read.', 'unreadable'))
        return
      }
      this.#judge(command, scope, depth)
    }
  }

  #judge(command: ShellCommand, scope: ShellScope, depth: number): void {
    for (const word of [...command.words, ...command.redirects.map(({ target }) => target)])
      for (const script of scriptsIn(word)) this.run(script, { ...scope }, depth + 1)
    if (command.loop !== undefined) {
      const values = command.words.flatMap((word) => expandWord(word, scope)).map(({ text }) => text)
      scope.variables.set(command.loop, values.join(' '))
      return
    }
    const fields = command.words.flatMap((word, at) => this.#fields(word, at, command, scope))
    this.#start(fields, command, scope, depth)
  }

  /** The value of an assignment is not split. */
  #fields(
    word: ShellCommand['words'][number],
    at: number,
    command: ShellCommand,
    scope: ShellScope,
  ): ShellField[] {
    const [head] = word.parts
    const isAssignment = head?.expansion === undefined && head?.quoted === false && ASSIGNMENT.test(head.text)
    const isFirst = command.words.slice(0, at).every((one) => ASSIGNMENT.test(one.parts[0]?.text ?? ''))
    return isAssignment && isFirst
      ? [{ text: expandText(word.parts, scope), glob: false }]
      : expandWord(word, scope)
  }

  #start(given: readonly ShellField[], source: ShellCommand, scope: ShellScope, depth: number): void {
    const { fields, environment, takesMore } = unwrapCommand(given, scope)
    const [head, ...args] = fields
    const context = this.#context(scope, depth)
    if (head === undefined) {
      if (source.words.length > 0 && given.length > 0) remember(given, scope)
      judgeFiles({ name: '', args: [], environment, takesMore, source }, context)
      return
    }
    const name = isKnown(head) ? programName(head.text) : ''
    const command = { name, args, environment, takesMore, source }
    if (!isKnown(head)) this.#judgeUnknown(head, command, context)
    applyBuiltin(command, scope)
    judgeNested(command, head.text, context)
    const [, dashed] = /^git-(.+)$/.exec(name) ?? []
    if (name === 'git' || name === 'hub' || name === 'g') judgeGit(command, context)
    else if (dashed !== undefined)
      judgeGit({ ...command, args: [{ text: dashed, glob: false }, ...args] }, context)
    judgeTools(command, context)
    judgeFiles(command, context)
    this.edits.push(...writtenFiles(command, scope))
    const patch = appliedPatch(command, scope)
    if (patch !== undefined) this.patches.push(patch)
  }

  /** A program whose name is not known yet may be git. */
  #judgeUnknown(head: ShellField, command: PlainCommand, context: CommandContext): void {
    const apart = new ShellReader(this.#knowledge)
    judgeGit(command, { ...context, add: (...found) => apart.verdicts.push(...found) })
    const found = worstVerdict(apart.verdicts)
    if (found?.decision === 'deny')
      context.add(ask(`The program is known only when the command runs. If it is git: ${found.reason}`))
    else if (head.text.includes('git')) context.add(...apart.verdicts)
  }

  #context(scope: ShellScope, depth: number): CommandContext {
    return {
      scope,
      knowledge: this.#knowledge,
      depth,
      add: (...verdicts) => this.verdicts.push(...verdicts),
      judge: (script) => this.run(script, scope, depth + 1),
      judgeApart: (script) => this.run(script, { ...scope, variables: new Map(scope.variables) }, depth + 1),
      start: (fields, { source }) => {
        if (depth < MAX_DEPTH) this.#start(fields, { ...source, redirects: [] }, scope, depth + 1)
      },
      script: (path) => {
        this.scripts.add(path)
        return this.#knowledge.scripts.get(path)
      },
      alias: (name) => {
        this.aliases.add(name)
        return this.#knowledge.aliases.get(name)
      },
    }
  }
}

const setVariable = ({ text }: ShellField, scope: ShellScope, exports: boolean): void => {
  const [, name, value = ''] = ASSIGNMENT.exec(text) ?? []
  if (name === undefined) {
    const known = scope.variables.get(text)
    if (exports && /^\w+$/.test(text)) scope.exported.set(text, { text: known ?? UNKNOWN, glob: false })
    return
  }
  if (value.includes(UNKNOWN)) scope.variables.delete(name)
  else scope.variables.set(name, value)
  if (exports) scope.exported.set(name, { text: value, glob: false })
}

/** Assignments without a command stay for the commands that follow. */
const remember = (fields: readonly ShellField[], scope: ShellScope): void => {
  for (const field of fields) setVariable(field, scope, scope.exported.has(field.text.split('=')[0] ?? ''))
}

const DECLARES = new Set(['export', 'declare', 'typeset', 'local', 'readonly'])

/** Commands of the shell that change what follows. */
const applyBuiltin = ({ name, args }: PlainCommand, scope: ShellScope): void => {
  if (DECLARES.has(name)) {
    const exports = name === 'export' || args.some(({ text }) => /^-\w*x/.test(text))
    for (const field of args) if (!field.text.startsWith('-')) setVariable(field, scope, exports)
  } else if (name === 'unset')
    for (const { text } of args) {
      scope.variables.delete(text)
      scope.exported.delete(text)
    }
  else if (name === 'alias')
    for (const { text } of args) {
      const end = text.indexOf('=')
      if (end > 0) scope.aliases.set(text.slice(0, end), text.slice(end + 1))
    }
  else if (name === 'cd' || name === 'pushd') {
    const target = args.find(({ text }) => !/^-[LPe@]+$/.test(text))
    const path = target === undefined ? scope.places.home : target.text
    scope.cwd =
      (target !== undefined && !isKnown(target)) || path === '-' || scope.cwd === undefined
        ? undefined
        : posix.resolve(scope.cwd, path)
  }
}

/** Judges a command of a shell. The result is the same for the same input. */
export const judgeCommand = (
  command: string,
  {
    places,
    cwd,
    knowledge,
  }: { readonly places: ShellPlaces; readonly cwd: string | undefined; readonly knowledge: ShellKnowledge },
): CommandReading => {
  const reader = new ShellReader(knowledge)
  try {
    if (command.length > MAX_COMMAND_LENGTH)
      reader.verdicts.push(
        ask('The command is too long to be read. Write it to a file and run that.', 'unreadable'),
      )
    else reader.run(command, newScope(places, cwd), 0)
  } catch (thrown) {
    if (!(thrown instanceof NestingError || thrown instanceof RangeError)) throw thrown
    reader.verdicts.push(
      ask('The command is nested too deeply to be read. Write it as plain commands.', 'unreadable'),
    )
  }
  return {
    verdict: worstVerdict(reader.verdicts),
    scripts: [...reader.scripts],
    aliases: [...reader.aliases],
    edits: reader.edits,
    patches: reader.patches,
  }
}
