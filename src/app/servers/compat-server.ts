import type { Log } from '../../kernel/ports.ts'
import type { RootHandle } from '../../platform/jail/handles.ts'
import {
  type Command,
  commandHelp,
  type Option,
  readArguments,
  type Terminal,
} from '../../surfaces/cli/command.ts'
import type { Handshake } from '../../surfaces/mcp/handshake.ts'
import { configOptions } from '../config/config-options.ts'
import { type Flags, type LoadedConfig, type Preset, requireRoot } from '../config/load-config.ts'
import type { Config } from '../config/settings.ts'
import { createHost, loadSettings } from '../process-context.ts'
import { reportFailure } from '../report-failure.ts'
import { requireNode } from '../require-node.ts'
import type { ServerProfile } from '../server-profile.ts'

/** For a binary that speaks HTTP unless told to speak MCP over stdio. */
interface HttpFace {
  /** Options beside the settings. */
  readonly options: readonly Option[]
  /** Host, port and the like: its own, not those that `warrant serve` may have in the file of settings. */
  readonly defaults: Flags
  readonly serve: (loaded: LoadedConfig, flags: Flags, terminal: Terminal) => Promise<number>
}

const STDIO_OPTION: Option = {
  flag: 'stdio',
  kind: 'switch',
  description: 'Serve MCP over stdio instead of HTTP.',
}

/** A binary of its own: the same engine, one toolset, one dialect, the manners its clients count on. */
export interface CompatServer {
  readonly binary: string
  readonly summary: string
  readonly profile: ServerProfile
  readonly preset: Preset
  /** Settings that this program's own variables stand for. */
  readonly variables: (environment: NodeJS.ProcessEnv) => Flags
  readonly http?: HttpFace
  /** The setting that a first word without a dash stands for. */
  readonly positional?: string
  /** Options of its first clients, and the settings they stand for. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Options beside the settings, and what becomes of the settings by them. */
  readonly options?: readonly Option[]
  readonly settle?: (
    loaded: LoadedConfig,
    flags: Flags,
    environment: NodeJS.ProcessEnv,
  ) => Promise<LoadedConfig>
  readonly exitCode?: (code: number) => number
  /** Opens the root at the start, for servers that are nothing without it. */
  readonly hold?: (config: Config) => RootHandle
  /** What to say in the log when the server starts; such a server also says why it dies. */
  readonly announce?: (log: Log, config: Config) => void
}

const announceEnds = ({ log }: Handshake, announce: () => void): void => {
  announce()
  process.on('uncaughtException', (cause) => {
    log.write('error', 'fatal', { stack: cause instanceof Error ? (cause.stack ?? '') : String(cause) })
    process.exit(1)
  })
  process.on('exit', (code) => log.write('info', 'stopped', { code }))
}

/** Its settings by the names its first clients use. */
const aliasOptions = (aliases: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(aliases).map(([flag, setting]) => ({
    flag,
    kind: 'text',
    value: 'VALUE',
    description: `The same as --${setting}.`,
  }))

/** What was said by such names, as settings. */
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
    if (values.help) {
      terminal.print(commandHelp(command).replace(`warrant ${binary}`, binary))
      return 0
    }
    const [word] = positionals
    const first = positional === undefined || word === undefined ? {} : { [positional]: word }
    const renamed = renameFlags(aliases, values)
    const flags = { ...http?.defaults, ...variables(process.env), ...first, ...renamed, ...values }
    const settings = loadSettings({ flags }, preset)
    const loaded = settle ? await settle(settings, { ...renamed, ...values }, process.env) : settings
    if (http !== undefined && flags.stdio !== true) {
      requireRoot(loaded.config)
      return await http.serve(loaded, flags, terminal)
    }
    const { serveStdio } = await import('./serve-stdio.ts')
    const host = await createHost(loaded, profile, hold?.(loaded.config))
    if (announce !== undefined)
      announceEnds(host.handshake, () => announce(host.handshake.log, loaded.config))
    return await serveStdio(host)
  } catch (thrown) {
    const code = reportFailure(thrown, args.includes('--json'), terminal, binary)
    return exitCode?.(code) ?? code
  }
}
