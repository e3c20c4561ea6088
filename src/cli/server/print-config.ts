import { loadSettings } from '../../app/process-context.ts'
import { chosenFlags, serverCommand } from '../client-command.ts'
import { clientConfig } from '../command/client-config.ts'
import type { Invocation } from '../command/command.ts'

export const run = async (invocation: Invocation): Promise<number> => {
  // Refuses settings that the printed command could not start with.
  loadSettings(invocation)
  const { terminal, json, positionals, flags } = invocation
  const config = clientConfig(positionals[0], serverCommand(flags, chosenFlags(flags)))
  if (json) terminal.print(JSON.stringify(config))
  else if (flags.windows) terminal.print(config.windows)
  else {
    terminal.printError(`# ${config.client}: ${config.file}`)
    terminal.print(config.text)
    if (config.note !== undefined) terminal.printError(`# ${config.note}`)
    if (!config.inProject && flags.root === undefined)
      terminal.printError(
        '# This client may start the server in any folder: add --root FOLDER to choose the project.',
      )
    terminal.printError(`\n# on Windows:\n${config.windows}`)
  }
  return 0
}
