import { posix } from 'node:path'
import type { CommandContext, PlainCommand } from './command-context.ts'
import { ask } from './command-verdict.ts'
import { expandText, literalOutput } from './expand-word.ts'
import { isKnown, type ShellField, type ShellScope, UNKNOWN } from './shell-scope.ts'
import { programName } from './unwrap-command.ts'

const SHELLS = /^(?:ba|da|z|k|a|mk|fi|pdk|ya)?sh$|^rbash$/
/** Programs that take a command as one argument after `-c`. */
const TAKES_COMMAND = /^(?:su|script|flock|npx|nix-shell|nix|runuser|sg)$/
/** Programs that read shell commands from their input. */
const READS_COMMANDS = /^(?:at|batch)$/
const MAX_SCRIPT = 64 * 1024

const resolvePath = (text: string, { cwd, places }: ShellScope): string =>
  posix.resolve(cwd ?? places.root, text)

/** Judges a file of shell commands. */
const judgeFile = (field: ShellField | undefined, context: CommandContext): void => {
  if (field === undefined || !isKnown(field)) return
  const text = context.script(resolvePath(field.text, context.scope))
  if (text !== undefined && text.length <= MAX_SCRIPT) context.judgeApart(text)
}

const DECODERS =
  /^(?:base64|base32|xxd|openssl|gpg|gunzip|gzip|zcat|bunzip2|rev|tr|sed|awk|perl|python[\d.]*|node|uudecode)$/

/** Commands that reach a shell on its input: here-documents, or the output of the command before. */
const judgeInput = (command: PlainCommand, context: CommandContext): void => {
  const { source } = command
  for (const { operator, target } of source.redirects) {
    if (operator.startsWith('<<')) context.judgeApart(expandText(target.parts, context.scope))
    else if (operator === '<')
      judgeFile({ text: expandText(target.parts, context.scope), glob: false }, context)
  }
  const before = source.upstream.at(-1)
  if (before === undefined) return
  const [first, ...args] = before.words.map((word) => expandText(word.parts, context.scope))
  const name = programName(first ?? '')
  const output = literalOutput(before, context.scope)
  if (output !== undefined) context.judgeApart(output)
  else if (name === 'cat') for (const text of args) judgeFile({ text, glob: false }, context)
  else if (DECODERS.test(name) || name === 'echo' || name === 'printf')
    context.add(ask('The shell reads commands that are known only when they are decoded. Write them out.'))
}

/** Judges the arguments of a shell. */
const judgeShell = (command: PlainCommand, context: CommandContext): void => {
  const { args } = command
  for (let at = 0; at < args.length; at++) {
    const field = args[at] as ShellField
    const { text } = field
    if (/^[-+][a-zA-Z]*c[a-zA-Z]*$/.test(text) && !text.startsWith('--')) {
      const script = args[at + 1]
      if (script === undefined) return
      if (script.text === UNKNOWN)
        context.add(ask('The shell runs commands that are known only when it runs.'))
      context.judgeApart(script.text)
      return
    }
    if (/^[-+]O$|^[-+]o$|^--(?:rcfile|init-file)$/.test(text)) at += 1
    else if (text === '-s' || text === '-') break
    else if (!/^[-+]/.test(text)) return judgeFile(field, context)
  }
  judgeInput(command, context)
}

/** Output that `eval` is commonly given: settings of an environment. */
const judgeEval = ({ args, source }: PlainCommand, context: CommandContext): void => {
  const text = args.map((one) => one.text).join(' ')
  if (!text.includes(UNKNOWN)) return context.judge(text)
  const scripts = source.words.flatMap(({ parts }) =>
    parts.flatMap(({ expansion }) => (expansion?.kind === 'command' ? [expansion.script] : [])),
  )
  const hides = scripts.some((one) =>
    /\b(?:echo|printf|base64|base32|xxd|openssl|rev|tr|cat|sed|awk)\b/.test(one),
  )
  if (text === UNKNOWN && scripts.length > 0 && !hides) return
  context.judge(text)
  context.add(ask('`eval` runs commands that are known only when it runs. Write them out.'))
}

/** The command after `-exec` of find. */
const judgeFind = (command: PlainCommand, context: CommandContext): void => {
  const { args } = command
  for (const [at, { text }] of args.entries()) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(text)) continue
    const rest = args.slice(at + 1)
    const end = rest.findIndex((one) => one.text === ';' || one.text === '+')
    const fields = end < 0 ? rest : rest.slice(0, end)
    // `{}` is a file below the folders that find searches.
    const folder = args.find((one) => !one.text.startsWith('-'))
    context.start(
      fields.map((one) =>
        one.text === '{}' && folder !== undefined ? { ...folder, text: `${folder.text}/${UNKNOWN}` } : one,
      ),
      command,
    )
  }
}

/** Runners of programs from packages: `npx NAME`, `pnpm exec NAME`. */
const packageProgram = ({ name, args }: PlainCommand): readonly ShellField[] | undefined => {
  const rest = args.filter(({ text }) => text !== '--')
  if (name === 'npx' || name === 'bunx' || name === 'pnpx') {
    const at = rest.findIndex(
      ({ text }, index) => !text.startsWith('-') && !/^(?:-p|--package)$/.test(rest[index - 1]?.text ?? ''),
    )
    return at < 0 ? undefined : rest.slice(at)
  }
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(name)) return undefined
  const at = rest.findIndex(({ text }) => !text.startsWith('-'))
  const verb = rest[at]?.text ?? ''
  if (/^(?:exec|dlx|x)$/.test(verb))
    return rest.slice(at + 1).filter((one, index) => index > 0 || !one.text.startsWith('-'))
  return name !== 'npm' && /^(?:warrant|husky|lefthook)$/.test(verb) ? rest.slice(at) : undefined
}

/** Judges the commands that a command runs itself. `path` is the program as it was written. */
export const judgeNested = (command: PlainCommand, path: string, context: CommandContext): void => {
  const { name, args } = command
  if (SHELLS.test(name)) judgeShell(command, context)
  else if (READS_COMMANDS.test(name)) judgeInput(command, context)
  else if (name === 'eval') judgeEval(command, context)
  else if (name === 'source' || name === '.') judgeFile(args[0], context)
  else if (name === 'trap') context.judgeApart(args[0]?.text ?? '')
  else if (name === 'watch')
    context.judgeApart(
      args
        .filter(({ text }) => !text.startsWith('-'))
        .map(({ text }) => text)
        .join(' '),
    )
  else if (name === 'find') judgeFind(command, context)
  else if (
    path.includes('/') &&
    isKnown({ text: path, glob: false }) &&
    !/^\/(?:usr|bin|sbin|opt|nix)\b/.test(path)
  )
    judgeFile({ text: path, glob: false }, context)
  if (TAKES_COMMAND.test(name)) {
    const at = args.findIndex(({ text }) => /^(?:-[a-zA-Z]*c|--command|--call|--run)$/.test(text))
    if (at >= 0) context.judgeApart(args[at + 1]?.text ?? '')
  }
  const started = packageProgram(command)
  if (started !== undefined && started.length > 0) context.start(started, command)
}
