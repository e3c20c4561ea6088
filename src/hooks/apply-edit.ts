import { isRecord } from '../kernel/encoding/json.ts'
import type { FileEdit, NotebookCell, Replacement } from './file-edit.ts'
import { applyHunks } from './parse-patch.ts'

/** Replaces text as the edit tools of clients do; undefined where the text does not occur. */
const replaceText = (text: string, { from, to, all }: Replacement): string | undefined => {
  // An empty text to replace stands for an empty file.
  if (from === '') return text === '' ? to : undefined
  const at = text.indexOf(from)
  if (at < 0) return undefined
  return all ? text.split(from).join(to) : text.slice(0, at) + to + text.slice(at + from.length)
}

/** Clients write and compare line ends of the file, whichever the model used. */
const withLineEnds = (text: string): string => text.replaceAll('\r\n', '\n')

const applyReplacements = (before: string, replacements: readonly Replacement[]): string | undefined => {
  let text: string | undefined = before
  for (const one of replacements) {
    if (text === undefined) return undefined
    const plain: string = withLineEnds(text)
    text =
      replaceText(text, one) ??
      replaceText(plain, { ...one, from: withLineEnds(one.from), to: withLineEnds(one.to) })
  }
  return text
}

const toCell = ({ type = 'code', source }: NotebookCell) => ({
  cell_type: type,
  metadata: {},
  source,
  ...(type === 'code' && { outputs: [], execution_count: null }),
})

/** The notebook with one cell changed; undefined where there is no such cell, or no notebook. */
const editNotebook = (text: string, edit: NotebookCell): { before: string; after: string } | undefined => {
  let notebook: unknown
  try {
    notebook = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(notebook) || !Array.isArray(notebook.cells)) return undefined
  const write = (cells: readonly unknown[]) => `${JSON.stringify({ ...notebook, cells }, null, 1)}\n`
  const cells: unknown[] = notebook.cells
  const number =
    typeof edit.cell === 'number'
      ? edit.cell
      : cells.findIndex((one) => isRecord(one) && one.id === edit.cell)
  const [, ordinal] = /^cell-(\d{1,6})$/.exec(String(edit.cell ?? '')) ?? []
  const at = number < 0 && ordinal !== undefined ? Number(ordinal) : number
  if (edit.mode === 'insert')
    return { before: write(cells), after: write(cells.toSpliced(at + 1, 0, toCell(edit))) }
  const cell = cells[at]
  if (!isRecord(cell)) return undefined
  const replaced = edit.mode === 'delete' ? [] : [{ ...cell, source: edit.source }]
  return { before: write(cells), after: write(cells.toSpliced(at, 1, ...replaced)) }
}

/** What a file holds before and after an edit. */
interface EditedText {
  readonly before: string | undefined
  /** Undefined where the file is deleted. */
  readonly after: string | undefined
}

/** Applies an edit in memory; undefined where it cannot be placed, which the client then refuses as well. */
export const applyEdit = (before: string | undefined, edit: FileEdit): EditedText | undefined => {
  const given = before ?? ''
  const done = (after: string | undefined) => (after === undefined ? undefined : { before, after })
  switch (edit.kind) {
    case 'text':
      return { before, after: edit.text }
    case 'append':
      return { before, after: given + edit.text }
    case 'delete':
      return { before, after: undefined }
    case 'replace':
      return done(applyReplacements(given, edit.replacements))
    case 'insert': {
      const lines = given.split('\n')
      const at = Math.min(Math.max(edit.line, 0), lines.length)
      return { before, after: lines.toSpliced(at, 0, ...edit.text.replace(/\n$/, '').split('\n')).join('\n') }
    }
    case 'hunks':
      return done(applyHunks(withLineEnds(given), edit.hunks))
    case 'cell':
      return before === undefined ? undefined : editNotebook(before, edit.cell)
    case 'fragment':
      return undefined
  }
}

/** The text that an edit brings, where it cannot be placed. */
export const newTextOf = (edit: FileEdit): string => {
  switch (edit.kind) {
    case 'text':
    case 'append':
    case 'insert':
    case 'fragment':
      return edit.text
    case 'replace':
      return edit.replacements.map(({ to }) => to).join('\n')
    case 'hunks':
      return edit.hunks.flatMap(({ after }) => after).join('\n')
    case 'cell':
      return edit.cell.source
    case 'delete':
      return ''
  }
}
