import { realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Flags } from '../app/config/load-config.ts'
import { SETTINGS } from '../app/config/settings.ts'
import { type Launch, SERVERS, type ServerName } from './command/client-config.ts'
import { usageFaults } from './command/command.ts'

/** The path of this program. */
export const runningProgram = (): string => realpathSync(process.argv[1] ?? '')

/** The arguments that make each program serve MCP over stdio. */
const STDIO_ARGS: Readonly<Record<ServerName, readonly string[]>> = {
  warrant: ['mcp'],
  'sentinel-mcp': [],
  'scg-mcp-server': [],
  'cpm-mcp': [],
  'pumuki-mcp-evidence': ['--stdio'],
  'pumuki-mcp-enterprise': ['--stdio'],
}

const findServer = (requested: string | boolean | undefined): ServerName => {
  const found = SERVERS.find((one) => one === (requested ?? 'warrant'))
  if (found === undefined) throw usageFaults.argument(`--server must be one of ${SERVERS.join(', ')}`)
  return found
}

interface ServerCommandOptions {
  /** Default: warrant. */
  readonly server?: string | boolean | undefined
  /** Command to start it with. Default: its path. */
  readonly bin?: string | boolean | undefined
}

/** Flags whose value is a path. The client may start the server in any folder. */
const PATH_FLAGS = new Set(['config', 'root'])

/**
 * The settings of this command line as flags for another server. Only these: the server reads the environment and the
 * settings file when it starts.
 */
export const chosenFlags = (flags: Flags, except: ReadonlySet<string> = new Set()): string[] =>
  [{ flag: 'config', secret: false }, ...SETTINGS].flatMap(({ flag, secret }) => {
    const value = flags[flag]
    if (value === undefined || secret || except.has(flag)) return []
    if (value === true) return [`--${flag}`]
    return [`--${flag}`, PATH_FLAGS.has(flag) ? resolve(String(value)) : String(value)]
  })

/**
 * The command with which a client starts one of the servers: its path beside this program. A name that a registry is
 * asked for at each start could become another program.
 */
export const serverCommand = ({ server, bin }: ServerCommandOptions, flags: readonly string[]): Launch => {
  const name = findServer(server)
  const args = [...STDIO_ARGS[name], ...flags]
  if (typeof bin === 'string') return { name, command: bin, args }
  const program = runningProgram()
  const path = name === 'warrant' ? program : join(dirname(program), `${name}.js`)
  return { name, command: 'node', args: [path, ...args] }
}
