import { posix } from 'node:path'
import type { FileEdit } from '../file-edit.ts'
import type { PlainCommand } from './command-context.ts'
import { expandText, literalOutput } from './expand-word.ts'
import { isKnown, type ShellField, type ShellScope, UNKNOWN, VALUE } from './shell-scope.ts'

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
export const writtenFiles = (command: PlainCommand, scope: ShellScope): FileEdit[] => {
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
export const appliedPatch = (command: PlainCommand, scope: ShellScope): string | undefined => {
  if (!/^apply_?patch$/.test(command.name)) return undefined
  const given = command.args.find(({ text }) => text.includes(BEGIN))?.text ?? inputText(command, scope)?.text
  return given?.includes(BEGIN) ? given : undefined
}
