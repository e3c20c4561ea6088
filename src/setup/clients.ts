/** What shows that a client is used: paths in the repository and in the home folder, and programs. */
interface ClientSigns {
  readonly repository: readonly string[]
  readonly home: readonly string[]
  readonly programs: readonly string[]
  /** The client as people call it, and what its hooks enforce. */
  readonly enforced: string
  /** What a person does so that the client starts the hooks. */
  readonly trust?: string
}

export const SETUP_CLIENTS = {
  claude: {
    repository: ['.claude', '.mcp.json', 'CLAUDE.md'],
    home: ['.claude', '.claude.json'],
    programs: ['claude'],
    enforced:
      'Claude Code: blocks bad writes and commands. If the hook crashes, Claude blocks too (2.1.295 or newer).',
    trust: 'Claude Code: start it in this folder and agree to the server warrant of .mcp.json.',
  },
  copilot: {
    repository: ['.github/hooks', '.github/copilot', '.github/copilot-instructions.md'],
    home: ['.copilot'],
    programs: ['copilot'],
    enforced: 'Copilot: blocks bad writes and commands. If the hook takes too long, Copilot goes on.',
  },
  cursor: {
    repository: ['.cursor', '.cursorrules'],
    home: ['.cursor'],
    programs: ['cursor', 'cursor-agent'],
    enforced: 'Cursor: blocks bad writes and commands. If the hook crashes, Cursor blocks too.',
    trust: 'Cursor: switch the server warrant on under Settings, MCP.',
  },
  codex: {
    repository: ['.codex'],
    home: ['.codex'],
    programs: ['codex'],
    enforced:
      'Codex: blocks bad writes and commands once you trust its hooks. If a hook crashes, Codex goes on.',
    trust: 'Codex: start it in this folder, trust the project, and run /hooks to trust the hooks.',
  },
  gemini: {
    repository: ['.gemini', 'GEMINI.md'],
    home: ['.gemini'],
    programs: ['gemini'],
    enforced:
      'Gemini CLI: blocks bad writes and commands in a trusted folder. If the hook crashes, Gemini goes on.',
    trust: 'Gemini CLI: run /permissions trust in this folder.',
  },
  vscode: {
    repository: ['.vscode'],
    home: ['.vscode'],
    programs: ['code'],
    enforced: 'VS Code: has the tools, and runs the hooks of Claude Code and Copilot.',
  },
  opencode: {
    repository: ['opencode.json', 'opencode.jsonc', '.opencode'],
    home: ['.config/opencode'],
    programs: ['opencode'],
    enforced: 'opencode: has the tools. It has no hooks, so nothing stops a bad write before the commit.',
  },
  zed: {
    repository: ['.zed'],
    home: ['.config/zed'],
    programs: ['zed', 'zeditor'],
    enforced: 'Zed: has the tools. It has no hooks, so nothing stops a bad write before the commit.',
  },
} as const satisfies Readonly<Record<string, ClientSigns>>

export type SetupClient = keyof typeof SETUP_CLIENTS

export const SETUP_CLIENT_NAMES = Object.keys(SETUP_CLIENTS) as SetupClient[]

/** What a person does so that the client starts our server and hooks. */
export const trustStep = (client: SetupClient): string | undefined => {
  const signs: ClientSigns = SETUP_CLIENTS[client]
  return signs.trust
}

/** Looks for one sign of a client. */
interface SignFinder {
  readonly repository: (path: string) => Promise<boolean>
  readonly home: (path: string) => Promise<boolean>
  readonly program: (name: string) => Promise<boolean>
}

export interface FoundClient {
  readonly client: SetupClient
  /** The sign that was found, or that a person named it. */
  readonly by: string
  /** Whether the repository shows that the team uses it. Otherwise its files are this user's alone. */
  readonly shared: boolean
}

const firstSign = async <T>(
  names: readonly T[],
  isThere: (name: T) => Promise<boolean>,
): Promise<T | undefined> => {
  for (const name of names) if (await isThere(name)) return name
  return undefined
}

const findSign = async (client: SetupClient, finder: SignFinder): Promise<FoundClient | undefined> => {
  const { repository, home, programs } = SETUP_CLIENTS[client]
  const path = await firstSign<string>(repository, finder.repository)
  if (path !== undefined) return { client, by: path, shared: true }
  const program = await firstSign<string>(programs, finder.program)
  if (program !== undefined) return { client, by: `the program ${program}`, shared: false }
  const folder = await firstSign<string>(home, finder.home)
  return folder === undefined ? undefined : { client, by: `~/${folder}`, shared: false }
}

/** The clients that are used here, in the order of the table. */
export const findClients = async (finder: SignFinder): Promise<FoundClient[]> =>
  (await Promise.all(SETUP_CLIENT_NAMES.map((client) => findSign(client, finder)))).flatMap(
    (found) => found ?? [],
  )
