import { resolve } from 'node:path'
import { clientConfig } from '../../../surfaces/cli/client-config.ts'
import type { Invocation } from '../../../surfaces/cli/command.ts'
import { SETTINGS } from '../../config/settings.ts'
import { loadSettings } from '../../process-context.ts'
import { serverCommand } from '../client-command.ts'

// Only what was asked for on this command line: what the environment or the file says will be read again
// when the client starts the server.
const chosenFlags = ({ flags }: Invocation): string[] =>
  SETTINGS.flatMap(({ flag, secret }) => {
    const value = flags[flag]
    if (value === undefined || secret) return []
    if (value === true) return [`--${flag}`]
    // A client starts its servers wherever it stands itself.
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
        '# This client starts servers anywhere: add --root FOLDER to say which project is meant.',
      )
    terminal.printError(`\n# on Windows:\n${config.windows}`)
  }
  return 0
}
