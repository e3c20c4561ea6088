import { resolve } from 'node:path'
import { clientConfig } from '../../../surfaces/cli/client-config.ts'
import type { Invocation } from '../../../surfaces/cli/command.ts'
import { SETTINGS } from '../../config/settings.ts'
import { loadSettings } from '../../process-context.ts'
import { serverCommand } from '../client-command.ts'

// Only the flags of this command line: the server reads the environment and the settings file when it starts.
const chosenFlags = ({ flags }: Invocation): string[] =>
  SETTINGS.flatMap(({ flag, secret }) => {
    const value = flags[flag]
    if (value === undefined || secret) return []
    if (value === true) return [`--${flag}`]
    // The client may start the server in any folder.
    return [`--${flag}`, flag === 'root' ? resolve(String(value)) : String(value)]
  })

export const run = async (invocation: Invocation): Promise<number> => {
  loadSettings(invocation)
  const { terminal, json, positionals, flags } = invocation
  const config = clientConfig(positionals[0], serverCommand(flags, chosenFlags(invocation)))
  if (json) terminal.print(JSON.stringify(config))
  else if (flags.windows) terminal.print(config.windows)
  else {
    terminal.printError(`# ${config.client}: ${config.file}`)
    terminal.print(config.text)
    if (!config.inProject && flags.root === undefined)
      terminal.printError(
        '# This client may start the server in any folder: add --root FOLDER to choose the project.',
      )
    terminal.printError(`\n# on Windows:\n${config.windows}`)
  }
  return 0
}
