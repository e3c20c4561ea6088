/** What an agent is about to do, or did. */
export type HookMoment = 'before' | 'after' | 'end' | 'start'

/** What a tool of an agent does, as far as the gate is concerned. */
export type ToolKind = 'write' | 'edit' | 'notebook' | 'patch' | 'shell'

/** What the input of a tool holds. */
interface ToolMembers {
  readonly hasPath: boolean
  readonly hasText: boolean
  /** Whether a text takes the place of another. */
  readonly replaces: boolean
  readonly hasCommand: boolean
}

export const HOOK_CLIENTS = ['claude', 'copilot', 'cursor', 'codex', 'gemini'] as const
export type HookClient = (typeof HOOK_CLIENTS)[number]

interface ClientRow {
  readonly product: string
  /** What events and answers were compared with. */
  readonly version: string
  /** The events that are answered, by name. Any other event is allowed without an answer. */
  readonly events: Readonly<Record<string, HookMoment>>
  /** Whether the client asks the user when it is told to; otherwise a question is a refusal. */
  readonly asks: boolean
}

const CLAUDE_EVENTS = {
  PreToolUse: 'before',
  PostToolUse: 'after',
  Stop: 'end',
  SubagentStop: 'end',
  SessionStart: 'start',
} as const

export const CLIENT_TABLE: Readonly<Record<HookClient, ClientRow>> = {
  claude: {
    product: 'Claude Code',
    version: '2.1.325, tool inputs of the package; documentation of October 2026',
    asks: true,
    events: CLAUDE_EVENTS,
  },
  copilot: {
    product: 'GitHub Copilot and VS Code',
    version: 'documentation of October 2026',
    asks: true,
    events: {
      ...CLAUDE_EVENTS,
      preToolUse: 'before',
      postToolUse: 'after',
      agentStop: 'end',
      subagentStop: 'end',
      sessionStart: 'start',
    },
  },
  cursor: {
    product: 'Cursor',
    version: 'documentation of October 2026',
    asks: false,
    events: {
      preToolUse: 'before',
      beforeShellExecution: 'before',
      postToolUse: 'after',
      afterFileEdit: 'after',
      stop: 'end',
      subagentStop: 'end',
      sessionStart: 'start',
      ...CLAUDE_EVENTS,
    },
  },
  codex: {
    product: 'Codex',
    version: '0.166.0, schemas of the package',
    asks: false,
    events: CLAUDE_EVENTS,
  },
  gemini: {
    product: 'Gemini CLI',
    version: '0.61.0, code and documentation of the package',
    asks: false,
    events: { BeforeTool: 'before', AfterTool: 'after', AfterAgent: 'end', SessionStart: 'start' },
  },
}

/**
 * Tools that write files or run commands, by their name in lower case. One table for all clients: Copilot, VS Code and
 * Cursor also start the hooks that are written down for Claude Code.
 */
const TOOLS: Readonly<Record<string, ToolKind>> = {
  // Claude Code
  write: 'write',
  edit: 'edit',
  multiedit: 'edit',
  notebookedit: 'notebook',
  bash: 'shell',
  powershell: 'shell',
  monitor: 'shell',
  // Copilot CLI and the cloud agent
  create: 'write',
  str_replace_editor: 'edit',
  apply_patch: 'patch',
  shell: 'shell',
  // VS Code
  editfiles: 'edit',
  create_file: 'write',
  createfile: 'write',
  replace_string_in_file: 'edit',
  multi_replace_string_in_file: 'edit',
  insert_edit_into_file: 'edit',
  edit_notebook_file: 'notebook',
  run_in_terminal: 'shell',
  runinterminal: 'shell',
  runcommands: 'shell',
  // Cursor
  strreplace: 'edit',
  tabwrite: 'write',
  editnotebook: 'notebook',
  delete: 'edit',
  run_terminal_cmd: 'shell',
  edit_file: 'edit',
  search_replace: 'edit',
  // Codex
  exec_command: 'shell',
  local_shell: 'shell',
  'container.exec': 'shell',
  // Gemini CLI
  write_file: 'write',
  replace: 'edit',
  run_shell_command: 'shell',
}

const WRITE_NAME = /write|edit|create|replace|append|patch|save/
const RUN_NAME = /bash|shell|exec|terminal|command|script/

/**
 * What a tool does, by its name; of a name that is not in the table, by the members of its input. Undefined for a tool
 * that neither writes files nor runs commands.
 */
export const toolKind = (name: string, members: ToolMembers): ToolKind | undefined => {
  const key = name.toLowerCase()
  if (Object.hasOwn(TOOLS, key)) return TOOLS[key]
  if (members.hasPath && members.hasText && WRITE_NAME.test(key)) return members.replaces ? 'edit' : 'write'
  return members.hasCommand && RUN_NAME.test(key) ? 'shell' : undefined
}
