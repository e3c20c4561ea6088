import { VERSION } from '../app/config/version.ts'
import { reportFailure, requireNode } from '../app/report-failure.ts'
import { toUnicodeEscape } from '../kernel/text/escape-text.ts'
import {
  type Command,
  commandHelp,
  programHelp,
  readArguments,
  type Terminal,
  usageFaults,
} from './command/command.ts'
import { isEffect } from './effects.ts'
import { COMMAND_GROUPS, commands } from './table.ts'

const MAX_POSITIONALS = 3

/** How many letters differ, counting an insertion as one. */
const countEdits = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (const [column, expected] of [...other].entries())
      next.push(
        Math.min(
          (next[column] ?? 0) + 1,
          (row[column + 1] ?? 0) + 1,
          (row[column] ?? 0) + (letter === expected ? 0 : 1),
        ),
      )
    row = next
  }
  return row.at(-1) ?? 0
}

const MAX_LETTERS = 40

const findCommand = (name: string, all: readonly Command[]): Command => {
  const found = all.find((command) => command.name === name)
  if (found !== undefined) return found
  const [nearest] = all
    .map((command) => [countEdits(name.slice(0, MAX_LETTERS), command.name), command.name] as const)
    .filter(([edits, known]) => edits <= Math.max(1, Math.floor(known.length / 3)))
    .sort(([a], [b]) => a - b)
  throw usageFaults.command(
    `there is no command ${JSON.stringify(name)}`,
    nearest && { fix: `Did you mean \`warrant ${nearest[1]}\`? \`warrant --help\` lists the commands.` },
  )
}

/** Escapes control and bidirectional characters in JSON, so that they have no effect on a terminal. */
const escapeJson = (terminal: Terminal): Terminal => ({
  ...terminal,
  print: (text) =>
    terminal.print(
      text.replace(
        /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
        toUnicodeEscape,
      ),
    ),
})

/** Runs a command line. Resolves to the exit code. */
export const main = async (args: readonly string[], given: Terminal): Promise<number> => {
  const [first, ...rest] = args
  const json = args.includes('--json')
  const terminal = json ? escapeJson(given) : given
  try {
    if (first === '--version' || first === '-v' || first === 'version') {
      terminal.print(json ? JSON.stringify({ version: VERSION }) : VERSION)
      return 0
    }
    const all = commands()
    const isHelp = first === '--help' || first === '-h' || first === 'help'
    const [named] = rest.filter((word) => !word.startsWith('-'))
    if (first === undefined || (isHelp && named === undefined)) {
      terminal.print(programHelp(all, COMMAND_GROUPS, VERSION))
      return 0
    }
    if (isHelp && named !== undefined) {
      terminal.print(commandHelp(findCommand(named, all)))
      return 0
    }
    requireNode()
    const command = findCommand(first, all)
    const { values, lists, positionals } = readArguments(command, rest)
    if (values.help || values['help-all']) {
      const explained = command.verb?.(positionals[0] ?? '') ?? command
      terminal.print(commandHelp(explained, values['help-all'] ? 'all' : 'used'))
      return 0
    }
    if (positionals.length > (command.usage === '' ? 0 : (command.maxPositionals ?? MAX_POSITIONALS))) {
      throw usageFaults.argument(`${command.name}: too many arguments`)
    }
    const invocation = { flags: values, lists, positionals, json, terminal }
    if (!isEffect(command.name, invocation)) return await command.run(invocation)
    return await (await import('./record-command.ts')).runRecorded(command, invocation)
  } catch (thrown) {
    return reportFailure(thrown, { json, terminal })
  }
}
