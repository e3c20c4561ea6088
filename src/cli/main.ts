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

const findCommand = (name: string, all: readonly Command[]): Command => {
  const found = all.find((command) => command.name === name)
  if (found === undefined) throw usageFaults.command(`there is no command ${JSON.stringify(name)}`)
  return found
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
    if (first === '--version' || first === '-v') {
      terminal.print(json ? JSON.stringify({ version: VERSION }) : VERSION)
      return 0
    }
    const all = commands()
    if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
      terminal.print(programHelp(all, COMMAND_GROUPS, VERSION))
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
