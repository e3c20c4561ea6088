import type { HookClient } from '../../hooks/clients.ts'

/** What the planted file says, and what it is called. */
export interface Canary {
  readonly path: string
  /** A text with a credential that was never issued. */
  readonly planted: string
}

const CLEAN_TEXT = 'A line without anything to find.\n'
const COMMAND = 'git commit --no-verify -m canary'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A new one for each run: the text of this program contains none. The bytes are random. */
export const makeCanary = (bytes: Uint8Array): Canary => {
  const words = [...bytes].map((byte) => LETTERS[byte % LETTERS.length])
  const name = Buffer.from(bytes.subarray(0, 4)).toString('hex')
  return {
    path: `warrant-canary-${name}.txt`,
    planted: `aws_access_key_id = ${['AK', 'IA'].join('')}${words.slice(-16).join('')}\n`,
  }
}

interface CanaryTools {
  readonly write: (path: string, text: string) => object
  readonly shell: (command: string) => object
}

const before = (hook_event_name: string, tool_name: string, tool_input: object) => ({
  session_id: 'warrant-canary',
  hook_event_name,
  tool_name,
  tool_input,
})

const addPatch = (path: string, text: string): string =>
  `*** Begin Patch\n*** Add File: ${path}\n${text.replace(/^(?=.)/gm, '+')}*** End Patch\n`

/** The events as each client sends them before a tool. */
const TOOLS: Readonly<Record<HookClient, CanaryTools>> = {
  claude: {
    write: (file_path, content) => before('PreToolUse', 'Write', { file_path, content }),
    shell: (command) => before('PreToolUse', 'Bash', { command, description: 'commit' }),
  },
  copilot: {
    write: (path, file_text) => ({
      sessionId: 'warrant-canary',
      toolName: 'create',
      toolArgs: JSON.stringify({ path, file_text }),
    }),
    shell: (command) => ({
      sessionId: 'warrant-canary',
      toolName: 'bash',
      toolArgs: JSON.stringify({ command }),
    }),
  },
  cursor: {
    write: (file_path, content) => before('preToolUse', 'Write', { file_path, content }),
    shell: (command) => before('preToolUse', 'Shell', { command }),
  },
  codex: {
    write: (path, text) => before('PreToolUse', 'apply_patch', { command: addPatch(path, text) }),
    shell: (command) => before('PreToolUse', 'Bash', { command }),
  },
  gemini: {
    write: (file_path, content) => before('BeforeTool', 'write_file', { file_path, content }),
    shell: (command) => before('BeforeTool', 'run_shell_command', { command }),
  },
}

export interface CanaryEvent {
  readonly what: string
  readonly expected: 'allowed' | 'denied'
  readonly input: string
}

/** The events of one client in a folder: what has to pass, then what must not. */
export const canaryEvents = (
  client: HookClient,
  folder: string,
  { path, planted }: Canary,
): readonly CanaryEvent[] => {
  const { write, shell } = TOOLS[client]
  const file = client === 'codex' ? path : `${folder}/${path}`
  const place = client === 'cursor' ? { workspace_roots: [folder] } : { cwd: folder }
  const event = (what: string, expected: CanaryEvent['expected'], value: object) => ({
    what,
    expected,
    input: JSON.stringify({ ...value, ...place }),
  })
  return [
    event('a clean write', 'allowed', write(file, CLEAN_TEXT)),
    event('a write with a credential', 'denied', write(file, planted)),
    event('a commit with --no-verify', 'denied', shell(COMMAND)),
  ]
}
