import {
  type Command,
  commandHelp,
  type Option,
  readArguments,
  type Terminal,
} from '../../cli/command/command.ts'
import type { Log } from '../../kernel/ports.ts'
import type { ServerBasics } from '../../mcp/handshake.ts'
import type { RootHandle } from '../../platform/jail/handles.ts'
import { type Flags, type LoadedConfig, type Preset, requireRoot } from '../config/load-config.ts'
import { type Config, configOptions } from '../config/settings.ts'
import { createLazyServer, loadSettings } from '../process-context.ts'
import { reportFailure, requireNode } from '../report-failure.ts'
import type { ServerProfile } from '../server-profile.ts'

/** For a binary that serves HTTP, or MCP over stdio with `--stdio`. */
interface HttpMode {
  /** Options in addition to the settings. */
  readonly options: readonly Option[]
  /** Host, port and route. They override the settings file, whose values are meant for `warrant serve`. */
  readonly defaults: Flags
  readonly serve: (loaded: LoadedConfig, flags: Flags, terminal: Terminal) => Promise<number>
}

const STDIO_OPTION: Option = {
  flag: 'stdio',
  kind: 'switch',
  description: 'Serve MCP over stdio instead of HTTP.',
}

/** A compatibility binary: the same engine with the toolset, dialect and behaviour its existing clients expect. */
export interface CompatServer {
  readonly binary: string
  readonly summary: string
  readonly profile: ServerProfile
  readonly preset: Preset
  /** Settings from the variables of this program. */
  readonly variables: (environment: NodeJS.ProcessEnv) => Flags
  readonly http?: HttpMode
  /** The setting that the first positional argument sets. */
  readonly positional?: string
  /** Options of existing clients, and the settings they set. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Options in addition to the settings. `settle` applies them. */
  readonly options?: readonly Option[]
  readonly settle?: (
    loaded: LoadedConfig,
    flags: Flags,
    environment: NodeJS.ProcessEnv,
  ) => Promise<LoadedConfig>
  readonly exitCode?: (code: number) => number
  /** Opens the root at the start, for a server that must not start without it. */
  readonly hold?: (config: Config) => RootHandle
  /** Writes the log lines of the start. Such a server also logs uncaught errors and its exit. */
  readonly announce?: (log: Log, config: Config) => void
}

const logLifetime = ({ log }: ServerBasics, announce: () => void): void => {
  announce()
  process.on('uncaughtException', (cause) => {
    log.write('error', 'fatal', { stack: cause instanceof Error ? (cause.stack ?? '') : String(cause) })
    process.exit(1)
  })
  process.on('exit', (code) => log.write('info', 'stopped', { code }))
}

/** The aliases as options. */
const aliasOptions = (aliases: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(aliases).map(([flag, setting]) => ({
    flag,
    kind: 'text',
    value: 'VALUE',
    description: `The same as --${setting}.`,
  }))

/** Flags given by an alias, under the names of the settings. */
const renameFlags = (aliases: Readonly<Record<string, string>>, values: Flags): Flags =>
  Object.fromEntries(
    Object.entries(aliases).flatMap(([flag, setting]) => {
      const value = values[flag]
      return value === undefined ? [] : [[setting, value]]
    }),
  )

export const runCompatServer = async (
  server: CompatServer,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> => {
  const {
    binary,
    summary,
    profile,
    preset,
    variables,
    http,
    positional,
    aliases = {},
    options = [],
    settle,
    exitCode,
    hold,
    announce,
  } = server
  const command: Command = {
    name: binary,
    summary,
    usage: positional === undefined ? '' : `[${positional.toUpperCase()}]`,
    options: () => [
      ...(http === undefined ? [] : [STDIO_OPTION, ...http.options]),
      ...aliasOptions(aliases),
      ...options,
      ...configOptions(),
    ],
    choices: [],
    run: async () => 0,
  }
  try {
    if (args[0] === '--version') {
      terminal.print(profile.identity.version)
      return 0
    }
    requireNode()
    const { values, positionals } = readArguments(command, args)
    if (values.help || values['help-all']) {
      terminal.print(commandHelp(command).replace(`warrant ${binary}`, binary))
      return 0
    }
    const [value] = positionals
    const first = positional === undefined || value === undefined ? {} : { [positional]: value }
    const renamed = renameFlags(aliases, values)
    const flags = { ...http?.defaults, ...variables(process.env), ...first, ...renamed, ...values }
    const settings = loadSettings({ flags }, preset)
    const loaded = settle ? await settle(settings, { ...renamed, ...values }, process.env) : settings
    if (http !== undefined && flags.stdio !== true) {
      requireRoot(loaded.config)
      return await http.serve(loaded, flags, terminal)
    }
    const { serveStdio } = await import('./serve-stdio.ts')
    const host = await createLazyServer(loaded, profile, hold?.(loaded.config))
    if (announce !== undefined) logLifetime(host.handshake, () => announce(host.handshake.log, loaded.config))
    return await serveStdio(host)
  } catch (thrown) {
    const code = reportFailure(thrown, { json: args.includes('--json'), terminal, program: binary })
    return exitCode?.(code) ?? code
  }
}
