import { isRecord, jsonOf } from '../kernel/encoding/json.ts'
import { optional } from '../kernel/optional.ts'
import { CLIENT_TABLE, type HookClient, type HookMoment, type ToolKind, toolKind } from './clients.ts'
import { hookEventFaults } from './faults.ts'

/** The input of a tool. Every client sends it, so every member is checked where it is read. */
export type ToolInput = Readonly<Record<string, unknown>>

const own = (input: ToolInput, name: string): unknown =>
  Object.hasOwn(input, name) ? input[name] : undefined

/** The first of these members that is a string. */
export const textMember = (input: ToolInput, names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = own(input, name)
    if (typeof value === 'string') return value
  }
  return undefined
}

export const flagMember = (input: ToolInput, names: readonly string[]): boolean =>
  names.some((name) => own(input, name) === true || own(input, name) === 'true')

export const numberMember = (input: ToolInput, names: readonly string[]): number | undefined => {
  for (const name of names) {
    const value = own(input, name)
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  }
  return undefined
}

/** The first of these members that is a list of objects. */
export const listMember = (input: ToolInput, names: readonly string[]): readonly ToolInput[] | undefined => {
  for (const name of names) {
    const value = own(input, name)
    if (Array.isArray(value) && value.length > 0 && value.every(isRecord)) return value
  }
  return undefined
}

const recordMember = (input: ToolInput, names: readonly string[]): ToolInput | undefined => {
  for (const name of names) {
    const value = own(input, name)
    if (isRecord(value)) return value
  }
  return undefined
}

/** Names of the member that holds the path of a file, in all clients. */
export const PATH_MEMBERS = [
  'file_path',
  'filePath',
  'path',
  'notebook_path',
  'notebookPath',
  'target_file',
  'targetFile',
  'target_notebook',
  'absolute_path',
  'file',
]
export const TEXT_MEMBERS = ['content', 'contents', 'file_text', 'fileText', 'text', 'code']
export const COMMAND_MEMBERS = ['command', 'cmd', 'script', 'commandLine', 'command_line']
export const OLD_MEMBERS = ['old_string', 'oldString', 'old_str', 'oldStr', 'old_text', 'oldText']
export const NEW_MEMBERS = ['new_string', 'newString', 'new_str', 'newStr', 'new_text', 'newText']
export const ALL_MEMBERS = ['replace_all', 'replaceAll', 'allow_multiple', 'allowMultiple']
export const LIST_MEMBERS = ['edits', 'replacements', 'changes', 'files']

/** One event of an agent. */
export interface AgentEvent {
  readonly client: HookClient
  readonly moment: HookMoment
  /** The name of the event, as the client sent it. */
  readonly name: string
  /** The working folder of the agent; undefined where the client does not say. */
  readonly cwd: string | undefined
  readonly session?: string
  readonly tool?: { readonly name: string; readonly kind: ToolKind; readonly input: ToolInput }
  /** Whether the agent goes on because this hook told it to at the end of its turn. */
  readonly isRepeated: boolean
}

/** Longer events are refused: a file of the size that the gate reads fits. */
export const MAX_EVENT_BYTES = 24 * 1024 * 1024

const EVENT_MEMBERS = ['hook_event_name', 'hookEventName', 'hookName']
const TOOL_MEMBERS = ['tool_name', 'toolName']
const INPUT_MEMBERS = ['tool_input', 'toolInput', 'toolArgs', 'tool_args']
const RESULT_MEMBERS = ['tool_response', 'toolResult', 'tool_output', 'tool_result']

/** Copilot's own events have no name: the members tell them apart. */
const inferName = (event: ToolInput): string | undefined => {
  if (textMember(event, TOOL_MEMBERS) !== undefined)
    return RESULT_MEMBERS.some((name) => Object.hasOwn(event, name)) ? 'postToolUse' : 'preToolUse'
  if (Object.hasOwn(event, 'stopReason')) return 'agentStop'
  return Object.hasOwn(event, 'source') || Object.hasOwn(event, 'initialPrompt') ? 'sessionStart' : undefined
}

/** The input of the tool: an object, the JSON text of one, or the bare text of a patch or command. */
const readInput = (event: ToolInput, kind: ToolKind): ToolInput => {
  const record = recordMember(event, INPUT_MEMBERS)
  if (record !== undefined) return record
  const text = textMember(event, INPUT_MEMBERS)
  const parsed = text === undefined ? undefined : jsonOf(text)
  if (isRecord(parsed)) return parsed
  if (text !== undefined && (kind === 'patch' || kind === 'shell')) return { command: text }
  throw hookEventFaults.invalid('the event has no input of the tool')
}

/** Cursor's events about one command or one file have no tool: the event names it. */
const EVENT_TOOLS: Readonly<Record<string, string>> = { beforeShellExecution: 'Shell', afterFileEdit: 'Edit' }

const readTool = (event: ToolInput, name: string): AgentEvent['tool'] => {
  const named = Object.hasOwn(EVENT_TOOLS, name) ? EVENT_TOOLS[name] : undefined
  const tool = named ?? textMember(event, TOOL_MEMBERS)
  if (tool === undefined) throw hookEventFaults.invalid('the event names no tool')
  const given = recordMember(event, INPUT_MEMBERS) ?? {}
  const replaces = textMember(given, NEW_MEMBERS) !== undefined
  const kind = toolKind(tool, {
    replaces,
    hasPath: textMember(given, PATH_MEMBERS) !== undefined,
    hasText: replaces || textMember(given, TEXT_MEMBERS) !== undefined,
    hasCommand: textMember(given, COMMAND_MEMBERS) !== undefined,
  })
  if (kind === undefined) return undefined
  return { name: tool, kind, input: named === undefined ? readInput(event, kind) : event }
}

const REPEATED_MEMBERS = ['stop_hook_active', 'stopHookActive']

/** Cursor counts how often its hook made the agent go on. */
const isRepeated = (event: ToolInput): boolean =>
  flagMember(event, REPEATED_MEMBERS) || (typeof event.loop_count === 'number' && event.loop_count > 0)

const readFolder = (event: ToolInput): string | undefined => {
  const cwd = textMember(event, ['cwd', 'working_directory'])
  if (cwd !== undefined && cwd !== '') return cwd
  const roots = event.workspace_roots
  return Array.isArray(roots) && typeof roots[0] === 'string' ? roots[0] : undefined
}

/** Reads an event. Undefined for one that the gate has no answer to; a fault for what is no event at all. */
export const readAgentEvent = (client: HookClient, text: string): AgentEvent | undefined => {
  const event = jsonOf(text.replace(/^\ufeff/, ''))
  if (!isRecord(event)) throw hookEventFaults.invalid('the event is not a JSON object')
  const named = textMember(event, EVENT_MEMBERS)
  const name = named ?? (client === 'copilot' ? inferName(event) : undefined)
  if (name === undefined) throw hookEventFaults.invalid('the event has no name')
  const { events } = CLIENT_TABLE[client]
  const moment = Object.hasOwn(events, name) ? events[name] : undefined
  if (moment === undefined) return undefined
  const session = textMember(event, ['session_id', 'sessionId', 'conversation_id'])?.slice(0, 64)
  const common = {
    client,
    moment,
    name,
    cwd: readFolder(event),
    ...optional({ session }),
    isRepeated: isRepeated(event),
  }
  if (moment === 'start' || moment === 'end') return common
  const tool = readTool(event, name)
  return tool && { ...common, tool }
}

/** The moment of a text that may be no valid event, to answer it in the shape that the client expects. */
export const guessMoment = (client: HookClient, text: string): { name: string; moment: HookMoment } => {
  const [, found = ''] = /"hook_?event_?name"\s*:\s*"(\w{1,40})"/i.exec(text.slice(0, 65_536)) ?? []
  const { events } = CLIENT_TABLE[client]
  const moment = Object.hasOwn(events, found) ? events[found] : undefined
  if (moment !== undefined) return { name: found, moment }
  const [first = ['PreToolUse', 'before'] as const] = Object.entries(events).filter(
    ([, one]) => one === 'before',
  )
  return { name: first[0], moment: 'before' }
}
