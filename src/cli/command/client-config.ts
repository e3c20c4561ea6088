import { optional } from '../../kernel/optional.ts'
import { usageFaults } from './command.ts'

export const CLIENTS = [
  'claude-code',
  'claude-desktop',
  'vscode',
  'cursor',
  'codex',
  'gemini',
  'windsurf',
  'intellij',
] as const
type ClientName = (typeof CLIENTS)[number]

/** Programs of this package that serve MCP over stdio. */
export const SERVERS = [
  'warrant',
  'sentinel-mcp',
  'scg-mcp-server',
  'cpm-mcp',
  'pumuki-mcp-evidence',
  'pumuki-mcp-enterprise',
] as const
export type ServerName = (typeof SERVERS)[number]

/** The server command in a client's configuration. */
export interface Launch {
  /** The server's name in the client. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
}

interface ClientConfig {
  readonly client: ClientName
  /** The file to put the text in, or where to enter it. */
  readonly file: string
  /** Whether the configuration belongs to one project, in whose folder the client starts the server. */
  readonly inProject: boolean
  readonly text: string
  /** What else the client needs before it starts the server. */
  readonly note?: string
  /** The same for Windows, where a client cannot start a `.cmd` shim directly. */
  readonly windows: string
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2)
const inServers = ({ name, command, args }: Launch): string =>
  pretty({ mcpServers: { [name]: { command, args } } })
const inVscode = ({ name, command, args }: Launch): string =>
  pretty({ servers: { [name]: { type: 'stdio', command, args } } })
const inToml = ({ name, command, args }: Launch): string =>
  `[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`

const shellWord = (word: string): string =>
  /^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
const asCommand = ({ name, command, args }: Launch): string =>
  ['claude', 'mcp', 'add', name, '--', command, ...args].map(shellWord).join(' ')

/** Connects a client to a running server. The client stores the name of the variable, and never the token. */
export const httpCommand = (url: string, tokenFile: string | undefined): string => {
  const command = `claude mcp add --transport http warrant ${url} --header 'Authorization: Bearer \${WARRANT_TOKEN}'`
  return tokenFile === undefined
    ? command
    : `export WARRANT_TOKEN="$(cat ${shellWord(tokenFile)})"\n  ${command}`
}

type Writer = readonly [file: string, write: (launch: Launch) => string, inProject: boolean]

const WRITERS: Readonly<Record<ClientName, Writer>> = {
  'claude-code': ['run in the project', asCommand, true],
  'claude-desktop': ['claude_desktop_config.json', inServers, false],
  vscode: ['.vscode/mcp.json', inVscode, true],
  cursor: ['.cursor/mcp.json', inServers, true],
  codex: ['~/.codex/config.toml', inToml, false],
  gemini: ['.gemini/settings.json', inServers, true],
  windsurf: ['~/.codeium/windsurf/mcp_config.json', inServers, false],
  intellij: ['Settings, Tools, AI Assistant, Model Context Protocol, Add, As JSON', inServers, false],
}

const NOTES: Partial<Readonly<Record<ClientName, string>>> = {
  gemini:
    'Gemini CLI starts the servers of a project only in a trusted folder: run gemini there and trust the folder (/permissions).',
}

const onWindows = ({ name, command, args }: Launch): Launch => ({
  name,
  command: 'cmd',
  args: ['/c', command, ...args],
})

export const clientConfig = (name: string | undefined, launch: Launch): ClientConfig => {
  const client = CLIENTS.find((one) => one === name)
  if (client === undefined) throw usageFaults.argument(`name a client: ${CLIENTS.join(', ')}`)
  const [file, write, inProject] = WRITERS[client]
  const note = NOTES[client]
  return {
    client,
    file,
    inProject,
    ...optional({ note }),
    text: write(launch),
    windows: write(onWindows(launch)),
  }
}
