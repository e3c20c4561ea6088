import { isRecord } from '../kernel/encoding/json.ts'

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

export const recordMember = (input: ToolInput, names: readonly string[]): ToolInput | undefined => {
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
export const OLD_MEMBERS = ['old_string', 'oldString', 'old_str', 'oldStr', 'old_text', 'oldText']
export const NEW_MEMBERS = ['new_string', 'newString', 'new_str', 'newStr', 'new_text', 'newText']
export const ALL_MEMBERS = ['replace_all', 'replaceAll', 'allow_multiple', 'allowMultiple']
export const LIST_MEMBERS = ['edits', 'replacements', 'changes', 'files']
