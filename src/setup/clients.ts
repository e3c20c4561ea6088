/** What shows that a client is used: paths in the repository and in the home folder, and programs. */
interface ClientSigns {
  readonly repository: readonly string[]
  readonly home: readonly string[]
  readonly programs: readonly string[]
  /** What the hooks of the client enforce, for a person. */
  readonly enforced: string
}

const TOOLS_ONLY = 'has the tools, and no hook'

export const SETUP_CLIENTS = {
  claude: {
    repository: ['.claude', '.mcp.json', 'CLAUDE.md'],
    home: ['.claude', '.claude.json'],
    programs: ['claude'],
    enforced: 'refuses before it writes; when the hook itself fails, from version 2.1.295 on',
  },
  copilot: {
    repository: ['.github/hooks', '.github/copilot', '.github/copilot-instructions.md'],
    home: ['.copilot'],
    programs: ['copilot'],
    enforced: 'refuses before it writes; goes on after a time-out',
  },
  cursor: {
    repository: ['.cursor', '.cursorrules'],
    home: ['.cursor'],
    programs: ['cursor', 'cursor-agent'],
    enforced: 'refuses before it writes, also when the hook fails',
  },
  codex: {
    repository: ['.codex'],
    home: ['.codex'],
    programs: ['codex'],
    enforced: 'skips the hooks until you trust them in its terminal, and goes on when one fails',
  },
  gemini: {
    repository: ['.gemini', 'GEMINI.md'],
    home: ['.gemini'],
    programs: ['gemini'],
    enforced: 'refuses before it writes, in a trusted folder; goes on when the hook fails',
  },
  vscode: {
    repository: ['.vscode'],
    home: ['.vscode'],
    programs: ['code'],
    enforced: 'has the tools, and starts the hooks of claude and copilot',
  },
  opencode: {
    repository: ['opencode.json', 'opencode.jsonc', '.opencode'],
    home: ['.config/opencode'],
    programs: ['opencode'],
    enforced: TOOLS_ONLY,
  },
  zed: {
    repository: ['.zed'],
    home: ['.config/zed'],
    programs: ['zed', 'zeditor'],
    enforced: TOOLS_ONLY,
  },
} as const satisfies Readonly<Record<string, ClientSigns>>

export type SetupClient = keyof typeof SETUP_CLIENTS

export const SETUP_CLIENT_NAMES = Object.keys(SETUP_CLIENTS) as SetupClient[]

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
}

const findSign = async (client: SetupClient, finder: SignFinder): Promise<string | undefined> => {
  const { repository, home, programs } = SETUP_CLIENTS[client]
  for (const path of repository) if (await finder.repository(path)) return path
  for (const name of programs) if (await finder.program(name)) return `the program ${name}`
  for (const path of home) if (await finder.home(path)) return `~/${path}`
  return undefined
}

/** The clients that are used here, in the order of the table. */
export const findClients = async (finder: SignFinder): Promise<FoundClient[]> => {
  const signs = await Promise.all(
    SETUP_CLIENT_NAMES.map(async (client) => ({ client, by: await findSign(client, finder) })),
  )
  return signs.flatMap(({ client, by }) => (by === undefined ? [] : [{ client, by }]))
}
