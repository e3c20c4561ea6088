import { type Command, commandHelp, readArguments, type Terminal } from '../surfaces/cli/command.ts'
import { configOptions } from './commands.ts'
import type { Face } from './greet.ts'
import type { Flags, Preset } from './load-config.ts'
import { reportFailure } from './main.ts'
import { serveStdio } from './serve-stdio.ts'
import { hostHere, loadSettings } from './world.ts'

/** A binary of its own: the same engine, one toolset, one dialect, the manners its clients count on. */
export interface SeedServer {
  readonly binary: string
  readonly summary: string
  readonly face: Face
  readonly preset: Preset
  /** Settings that this program's own variables stand for. */
  readonly variables: (environment: NodeJS.ProcessEnv) => Flags
}

export const runSeed = async (
  { binary, summary, face, preset, variables }: SeedServer,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> => {
  const command: Command = {
    name: binary,
    summary,
    usage: '',
    options: configOptions,
    choices: [],
    run: async () => 0,
  }
  try {
    if (args[0] === '--version') {
      terminal.print(face.identity.version)
      return 0
    }
    const { values } = readArguments(command, args)
    if (values.help) {
      terminal.print(commandHelp(command).replace(`warrant ${binary}`, binary))
      return 0
    }
    const flags = { ...variables(process.env), ...values }
    return await serveStdio(await hostHere(loadSettings({ flags }, preset), face))
  } catch (thrown) {
    return reportFailure(thrown, args.includes('--json'), terminal)
  }
}
