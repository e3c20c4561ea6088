import {
  type Command,
  commandHelp,
  type Option,
  readArguments,
  type Terminal,
} from '../surfaces/cli/command.ts'
import { configOptions } from './commands.ts'
import type { Face } from './greet.ts'
import type { Flags, Loaded, Preset } from './load-config.ts'
import { reportFailure } from './main.ts'
import { hostHere, loadSettings } from './world.ts'

/** For a binary that speaks HTTP unless told to speak MCP over stdio. */
interface HttpFace {
  /** Options beside the settings. */
  readonly options: readonly Option[]
  /** Host, port and the like: its own, not those that `warrant serve` may have in the file of settings. */
  readonly defaults: Flags
  readonly serve: (loaded: Loaded, flags: Flags, terminal: Terminal) => Promise<number>
}

const STDIO_OPTION: Option = {
  flag: 'stdio',
  kind: 'switch',
  description: 'Serve MCP over stdio instead of HTTP.',
}

/** A binary of its own: the same engine, one toolset, one dialect, the manners its clients count on. */
export interface SeedServer {
  readonly binary: string
  readonly summary: string
  readonly face: Face
  readonly preset: Preset
  /** Settings that this program's own variables stand for. */
  readonly variables: (environment: NodeJS.ProcessEnv) => Flags
  readonly http?: HttpFace
}

export const runSeed = async (
  { binary, summary, face, preset, variables, http }: SeedServer,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> => {
  const command: Command = {
    name: binary,
    summary,
    usage: '',
    options: () => [...(http === undefined ? [] : [STDIO_OPTION, ...http.options]), ...configOptions()],
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
    const flags = { ...http?.defaults, ...variables(process.env), ...values }
    const loaded = loadSettings({ flags }, preset)
    if (http !== undefined && flags.stdio !== true) return await http.serve(loaded, flags, terminal)
    const { serveStdio } = await import('./serve-stdio.ts')
    return await serveStdio(await hostHere(loaded, face))
  } catch (thrown) {
    return reportFailure(thrown, args.includes('--json'), terminal)
  }
}
