import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../kernel/encoding/json.ts'
import { optional } from '../kernel/optional.ts'
import { jsonElement } from './editors/edit-json.ts'
import type { FileEntry } from './editors/insertion.ts'
import { type LaunchWords, readShellLaunch, shellCommand } from './launch.ts'

/** The clients whose hooks `warrant hook` answers. */
export type HookedClient = 'claude' | 'copilot' | 'cursor' | 'codex' | 'gemini'

const SECONDS = 10
const MILLISECONDS = SECONDS * 1000

interface HookEvent {
  readonly event: string
  /** The names of the tools, as a pattern of the client; undefined for all of them. */
  readonly tools?: string
  /** The step before a tool: a failure of the hook has to refuse it, where the client offers that. */
  readonly blocks?: true
}

type WriteHook = (event: HookEvent, command: string) => object

/** A group with a matcher, as Claude Code has it and others took it over. */
const inGroup =
  (hook: (event: HookEvent, command: string) => object): WriteHook =>
  (event, command) => ({
    ...optional({ matcher: event.tools }),
    hooks: [hook(event, command)],
  })

interface ClientHooks {
  readonly file: string
  /** A new file, before the hooks are added. */
  readonly empty: object
  readonly events: readonly HookEvent[]
  readonly write: WriteHook
}

const WRITES = 'Write|Edit|MultiEdit|NotebookEdit'

/** Where each client looks for hooks in a project, and how it writes one. */
export const CLIENT_HOOKS: Readonly<Record<HookedClient, ClientHooks>> = {
  claude: {
    file: '.claude/settings.json',
    empty: {},
    events: [
      { event: 'PreToolUse', tools: `${WRITES}|Bash|PowerShell|Monitor`, blocks: true },
      { event: 'PostToolUse', tools: WRITES },
      { event: 'Stop' },
      { event: 'SessionStart' },
    ],
    // `onFailure` needs Claude Code 2.1.295. At the end of a turn it would keep an agent at work without a result.
    write: inGroup(({ blocks }, command) => ({
      type: 'command',
      command,
      timeout: SECONDS,
      ...(blocks && { onFailure: 'block' }),
    })),
  },
  cursor: {
    file: '.cursor/hooks.json',
    empty: { version: 1 },
    events: [
      {
        event: 'preToolUse',
        tools: 'Write|StrReplace|Edit|EditNotebook|Delete|TabWrite|Shell',
        blocks: true,
      },
      { event: 'postToolUse', tools: 'Write|StrReplace|Edit|EditNotebook|TabWrite' },
      { event: 'stop' },
      { event: 'sessionStart' },
    ],
    write: ({ tools, blocks }, command) => ({
      command,
      ...optional({ matcher: tools }),
      timeout: SECONDS,
      ...(blocks && { failClosed: true }),
    }),
  },
  codex: {
    file: '.codex/hooks.json',
    empty: {},
    events: [
      { event: 'PreToolUse', tools: 'apply_patch|Edit|Write|Bash', blocks: true },
      { event: 'PostToolUse', tools: 'apply_patch|Edit|Write' },
      { event: 'Stop' },
      { event: 'SessionStart' },
    ],
    write: inGroup((_, command) => ({ type: 'command', command, timeout: SECONDS })),
  },
  gemini: {
    file: '.gemini/settings.json',
    empty: {},
    events: [
      { event: 'BeforeTool', tools: 'write_file|replace|run_shell_command', blocks: true },
      { event: 'AfterTool', tools: 'write_file|replace' },
      { event: 'AfterAgent' },
      { event: 'SessionStart' },
    ],
    write: inGroup((_, command) => ({ name: 'warrant', type: 'command', command, timeout: MILLISECONDS })),
  },
  copilot: {
    file: '.github/hooks/warrant.json',
    empty: { version: 1 },
    events: [
      { event: 'preToolUse', blocks: true },
      { event: 'postToolUse' },
      { event: 'agentStop' },
      { event: 'sessionStart' },
    ],
    write: (_, command) => ({ type: 'command', bash: command, powershell: command, timeoutSec: SECONDS }),
  },
}

/** The commands of a hook, wherever the client puts them. */
export const commandsOf = (value: unknown): string[] => {
  if (!isRecord(value)) return []
  const inner = Array.isArray(value.hooks) ? value.hooks.flatMap(commandsOf) : []
  return [...[value.command, value.bash].filter((one) => typeof one === 'string'), ...inner]
}

/** One entry for each event of a client. */
export const hookEntries = (client: HookedClient, launch: LaunchWords): readonly FileEntry[] => {
  const { events, write } = CLIENT_HOOKS[client]
  const args = `hook ${client}`
  return events.map((event) =>
    jsonElement({
      path: ['hooks', event.event],
      value: write(event, `${shellCommand(launch)} ${args}`),
      mentions: (value) =>
        commandsOf(value).some((command) => command.includes('warrant') && command.includes(args)),
      isOurs: (value) => {
        const found = readShellLaunch(commandsOf(value)[0], args)
        return found !== undefined && isDeepStrictEqual(value, write(event, `${shellCommand(found)} ${args}`))
      },
    }),
  )
}
