import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Launch, SERVERS, type ServerName } from '../../surfaces/cli/client-config.ts'
import { usageFaults } from '../../surfaces/cli/command.ts'

/** What makes each program serve MCP over stdio. */
const FIRST_WORDS: Readonly<Record<ServerName, readonly string[]>> = {
  warrant: ['mcp'],
  'sentinel-mcp': [],
  'scg-mcp-server': [],
  'cpm-mcp': [],
  'pumuki-mcp-evidence': ['--stdio'],
  'pumuki-mcp-enterprise': ['--stdio'],
}

const findServer = (asked: string | boolean | undefined): ServerName => {
  const found = SERVERS.find((one) => one === (asked ?? 'warrant'))
  if (found === undefined) throw usageFaults.argument(`--server is one of ${SERVERS.join(', ')}`)
  return found
}

export interface ServerCommandOptions {
  /** One of our programs; Warrant itself when absent. */
  readonly server?: string | boolean | undefined
  /** The command to start it with, instead of its path. */
  readonly bin?: string | boolean | undefined
}

/**
 * How a client should start one of our programs. The folder that this one runs from is the one that surely
 * works, unless npx put it in a cache that may be swept tomorrow.
 */
export const serverCommand = ({ server, bin }: ServerCommandOptions, flags: readonly string[]): Launch => {
  const name = findServer(server)
  const args = [...FIRST_WORDS[name], ...flags]
  if (typeof bin === 'string') return { name, command: bin, args }
  const program = realpathSync(process.argv[1] ?? '')
  const fetched = name === 'warrant' ? ['-y', name] : ['-y', '-p', 'warrant', name]
  if (/[\\/]_npx[\\/]/.test(program)) return { name, command: 'npx', args: [...fetched, ...args] }
  const path = name === 'warrant' ? program : join(dirname(program), `${name}.js`)
  return { name, command: 'node', args: [path, ...args] }
}
