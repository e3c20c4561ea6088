import { quoteShell } from '../kernel/text/shell-quote.ts'
import { type FileEdit, parsePatch, type Replacement } from './apply-edit.ts'
import { hookEventFaults } from './faults.ts'
import {
  type AgentEvent,
  ALL_MEMBERS,
  COMMAND_MEMBERS,
  flagMember,
  LIST_MEMBERS,
  listMember,
  NEW_MEMBERS,
  numberMember,
  OLD_MEMBERS,
  PATH_MEMBERS,
  TEXT_MEMBERS,
  type ToolInput,
  textMember,
} from './read-event.ts'

type CalledTool = NonNullable<AgentEvent['tool']>

const PATCH_MEMBERS = ['command', 'input', 'patch', 'diff']
const BEGIN = '*** Begin Patch'

/** The text of a patch: a member, or the last word of a command line. */
const patchText = (input: ToolInput): string | undefined => {
  const text = textMember(input, PATCH_MEMBERS)
  if (text !== undefined) return text.includes(BEGIN) ? text : undefined
  const words = input.command
  if (!Array.isArray(words)) return undefined
  return words.findLast((one): one is string => typeof one === 'string' && one.includes(BEGIN))
}

const requirePath = (input: ToolInput, otherwise?: string): string => {
  const path = textMember(input, PATH_MEMBERS) ?? otherwise
  if (path === undefined || path === '') throw hookEventFaults.edit('the input of the tool names no file')
  return path
}

const readReplacement = (input: ToolInput): Replacement | undefined => {
  const [from, to] = [textMember(input, OLD_MEMBERS), textMember(input, NEW_MEMBERS)]
  if (to === undefined) return undefined
  const expected = numberMember(input, ['expected_replacements', 'expectedReplacements']) ?? 1
  return { from: from ?? '', to, all: flagMember(input, ALL_MEMBERS) || expected > 1 }
}

/** One edit of a tool that edits: a replacement, an insertion, a whole text, or a part that the client places. */
const readOne = (input: ToolInput, path: string): FileEdit => {
  const replacement = readReplacement(input)
  const line = numberMember(input, ['insert_line', 'insertLine'])
  if (replacement !== undefined && line !== undefined)
    return { path, kind: 'insert', line, text: replacement.to }
  if (replacement !== undefined) return { path, kind: 'replace', replacements: [replacement] }
  const part = textMember(input, ['code_edit', 'codeEdit', 'new_code', 'code'])
  if (part !== undefined) return { path, kind: 'fragment', text: part }
  const text = textMember(input, TEXT_MEMBERS)
  return text === undefined ? { path, kind: 'fragment', text: '' } : { path, kind: 'text', text }
}

/** Replacements of one file are applied one after the other. */
const joinReplacements = (edits: readonly FileEdit[]): FileEdit[] => {
  const joined: FileEdit[] = []
  for (const edit of edits) {
    const last = joined.at(-1)
    if (last?.kind === 'replace' && edit.kind === 'replace' && last.path === edit.path)
      joined[joined.length - 1] = { ...last, replacements: [...last.replacements, ...edit.replacements] }
    else joined.push(edit)
  }
  return joined
}

const MAX_EDITS = 10_000

const readAll = (input: ToolInput): FileEdit[] => {
  const list = listMember(input, LIST_MEMBERS)
  if (list === undefined) return [readOne(input, requirePath(input))]
  if (list.length > MAX_EDITS) throw hookEventFaults.too_large('the tool makes too many edits at once')
  const path = textMember(input, PATH_MEMBERS)
  return joinReplacements(list.map((one) => readOne(one, requirePath(one, path))))
}

const CELL_MODES: Readonly<Record<string, 'insert' | 'delete'>> = { insert: 'insert', delete: 'delete' }

const readCell = (input: ToolInput): FileEdit[] => {
  const mode = textMember(input, ['edit_mode', 'editMode', 'editType', 'edit_type']) ?? ''
  const isNew = flagMember(input, ['is_new_cell', 'isNewCell'])
  const cell = {
    mode: isNew ? ('insert' as const) : (CELL_MODES[mode] ?? ('replace' as const)),
    cell:
      textMember(input, ['cell_id', 'cellId']) ??
      numberMember(input, ['cell_number', 'cellNumber', 'cell_idx', 'cellIndex']),
    type: textMember(input, ['cell_type', 'cellType']),
    source: textMember(input, ['new_source', 'newSource', 'newCode', ...NEW_MEMBERS, ...TEXT_MEMBERS]) ?? '',
  }
  return [{ path: requirePath(input), kind: 'cell', cell }]
}

/** The edits that a call of a tool makes. A tool without a file that is known is a fault. */
export const readEdits = ({ name, kind, input }: CalledTool): FileEdit[] => {
  const patch = patchText(input)
  // Codex calls its patch tool Edit and Write as well.
  if (kind === 'patch' || patch !== undefined) return parsePatch(patch ?? '')
  if (kind === 'notebook') return readCell(input)
  const verb = name.toLowerCase() === 'str_replace_editor' ? textMember(input, ['command']) : undefined
  if (verb === 'view' || verb === 'undo_edit') return []
  if (name.toLowerCase() === 'delete') return [{ path: requirePath(input), kind: 'delete' }]
  if (kind === 'edit' && verb !== 'create') return readAll(input)
  const text = textMember(input, TEXT_MEMBERS)
  if (text === undefined) return readAll(input)
  return [{ path: requirePath(input), kind: 'text', text }]
}

/** The command that a tool runs, as one text of a shell. */
export const readCommand = ({ input }: CalledTool): string => {
  const text = textMember(input, COMMAND_MEMBERS)
  if (text !== undefined) return text
  const words = input.command ?? input.cmd
  if (!Array.isArray(words) || !words.every((one) => typeof one === 'string'))
    throw hookEventFaults.edit('the input of the tool has no command')
  return words.map((one: string) => quoteShell(one)).join(' ')
}

/** The working folder of a command, where the tool names one. */
export const commandFolder = ({ input }: CalledTool): string | undefined =>
  textMember(input, ['cwd', 'workdir', 'directory', 'dir_path', 'working_directory'])
