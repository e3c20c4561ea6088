import { usageFaults } from './command.ts'

export const CLIENTS = [
  'claude-code',
  'claude-desktop',
  'vscode',
  'cursor',
  'codex',
  'gemini',
  'windsurf',
] as const
export type ClientName = (typeof CLIENTS)[number]

/** What to start, as a client's configuration spells it. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

export interface ClientConfig {
  readonly client: ClientName
  /** Where the text belongs. */
  readonly file: string
  readonly text: string
  /** The same for Windows, where a client cannot start a `.cmd` shim by itself. */
  readonly windows: string
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2)
const inServers = ({ command, args }: Launch): string =>
  pretty({ mcpServers: { warrant: { command, args } } })
const inVscode = ({ command, args }: Launch): string =>
  pretty({ servers: { warrant: { type: 'stdio', command, args } } })
const inToml = ({ command, args }: Launch): string =>
  `[mcp_servers.warrant]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`

const shellWord = (word: string): string =>
  /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
const asCommand = ({ command, args }: Launch): string =>
  ['claude', 'mcp', 'add', 'warrant', '--', command, ...args].map(shellWord).join(' ')

const WRITERS: Readonly<Record<ClientName, readonly [file: string, write: (launch: Launch) => string]>> = {
  'claude-code': ['run in the project', asCommand],
  'claude-desktop': ['claude_desktop_config.json', inServers],
  vscode: ['.vscode/mcp.json', inVscode],
  cursor: ['.cursor/mcp.json', inServers],
  codex: ['~/.codex/config.toml', inToml],
  gemini: ['.gemini/settings.json', inServers],
  windsurf: ['~/.codeium/windsurf/mcp_config.json', inServers],
}

const onWindows = ({ command, args }: Launch): Launch => ({ command: 'cmd', args: ['/c', command, ...args] })

export const clientConfig = (name: string | undefined, launch: Launch): ClientConfig => {
  const client = CLIENTS.find((one) => one === name)
  if (client === undefined) throw usageFaults.argument(`name a client: ${CLIENTS.join(', ')}`)
  const [file, write] = WRITERS[client]
  return { client, file, text: write(launch), windows: write(onWindows(launch)) }
}
