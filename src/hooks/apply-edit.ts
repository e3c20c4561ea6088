import { isRecord } from '../kernel/encoding/json.ts'
import { optional } from '../kernel/optional.ts'
import { hookEventFaults } from './faults.ts'

export interface Replacement {
  readonly from: string
  readonly to: string
  readonly all: boolean
}

/** What a tool does to one file. */
export type FileEdit = { readonly path: string } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'append'; readonly text: string }
  | { readonly kind: 'replace'; readonly replacements: readonly Replacement[] }
  | { readonly kind: 'insert'; readonly line: number; readonly text: string }
  | { readonly kind: 'hunks'; readonly hunks: readonly PatchHunk[]; readonly to?: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'cell'; readonly cell: NotebookCell }
  /** Text that is put somewhere into the file: where is known to the client alone. */
  | { readonly kind: 'fragment'; readonly text: string }
)

/** A change of one cell of a notebook. */
interface NotebookCell {
  readonly mode: 'replace' | 'insert' | 'delete'
  /** The id of the cell, or its number. */
  readonly cell: string | number | undefined
  readonly type: string | undefined
  readonly source: string
}

/** Lines of a file that a patch replaces. */
interface PatchHunk {
  /** Lines that stand before it: the search begins after each. */
  readonly contexts: readonly string[]
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** Whether it is at the end of the file. */
  readonly isAtEnd: boolean
}

const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/
const MOVE = /^\*\*\* Move to: (.+)$/
const MAX_LINES = 400_000

class HunkBuilder {
  readonly hunks: PatchHunk[] = []
  #contexts: string[] = []
  #before: string[] = []
  #after: string[] = []
  #isOpen = false

  context(text: string): void {
    if (this.#before.length + this.#after.length > 0) this.close()
    if (text !== '') this.#contexts.push(text)
    this.#isOpen = true
  }

  line(line: string): void {
    const [sign, text] = [line.charAt(0), line.slice(1)]
    if (sign !== '+') this.#before.push(text)
    if (sign !== '-') this.#after.push(text)
    this.#isOpen = true
  }

  close(isAtEnd = false): void {
    if (this.#isOpen && this.#before.length + this.#after.length > 0)
      this.hunks.push({ contexts: this.#contexts, before: this.#before, after: this.#after, isAtEnd })
    this.#contexts = []
    this.#before = []
    this.#after = []
    this.#isOpen = false
  }
}

const readUpdate = (lines: readonly string[]): { hunks: readonly PatchHunk[]; to?: string } => {
  const [, to] = MOVE.exec(lines[0]?.trimEnd() ?? '') ?? []
  const builder = new HunkBuilder()
  for (const line of to === undefined ? lines : lines.slice(1)) {
    if (line.startsWith('@@')) builder.context(line.slice(2).replace(/^ /, ''))
    else if (line.trimEnd() === '*** End of File') builder.close(true)
    else if (line === '' || /^[ +-]/.test(line)) builder.line(line === '' ? ' ' : line)
  }
  builder.close()
  return { hunks: builder.hunks, ...optional({ to: to?.trim() }) }
}

const readFile = (verb: string, path: string, lines: readonly string[]): FileEdit => {
  if (verb === 'Delete') return { path, kind: 'delete' }
  if (verb === 'Update') return { path, kind: 'hunks', ...readUpdate(lines) }
  const text = lines.filter((line) => line.startsWith('+')).map((line) => `${line.slice(1)}\n`)
  return { path, kind: 'text', text: text.join('') }
}

/** Reads the text of `apply_patch`: files that are added, updated, moved and deleted. */
export const parsePatch = (text: string): FileEdit[] => {
  const lines = text.split(/\r?\n/)
  if (lines.length > MAX_LINES) throw hookEventFaults.too_large('the patch has too many lines')
  const start = lines.findIndex((line) => line.trim() === '*** Begin Patch')
  if (start < 0) throw hookEventFaults.edit('the text of the patch does not begin with *** Begin Patch')
  const end = lines.findIndex((line, at) => at > start && line.trim() === '*** End Patch')
  const body = lines.slice(start + 1, end < 0 ? lines.length : end)
  const edits: FileEdit[] = []
  let open: { verb: string; path: string; from: number } | undefined
  const close = (to: number) => {
    if (open !== undefined) edits.push(readFile(open.verb, open.path, body.slice(open.from, to)))
  }
  for (const [at, line] of body.entries()) {
    const [, verb, path] = HEADER.exec(line.trim()) ?? []
    if (verb === undefined || path === undefined) continue
    close(at)
    open = { verb, path: path.trim(), from: at + 1 }
  }
  close(body.length)
  if (edits.length === 0) throw hookEventFaults.edit('the patch names no file')
  return edits
}

/** How lines are compared, the strictest first. */
const COMPARISONS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
]

/** Where a run of lines is found from a line on; -1 where it is not. */
const findLines = (
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  isAtEnd: boolean,
): number => {
  if (wanted.length === 0) return lines.length
  for (const normalize of COMPARISONS) {
    const first = normalize(wanted[0] ?? '')
    const start = isAtEnd ? Math.max(from, lines.length - wanted.length) : from
    for (let at = start; at + wanted.length <= lines.length; at++) {
      if (normalize(lines[at] ?? '') !== first) continue
      if (wanted.every((one, index) => normalize(lines[at + index] ?? '') === normalize(one))) return at
    }
  }
  return -1
}

/** The lines with the hunks applied in their order; undefined where one does not fit. */
const applyHunks = (text: string, hunks: readonly PatchHunk[]): string | undefined => {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  let from = 0
  for (const { contexts, before, after, isAtEnd } of hunks) {
    for (const context of contexts) {
      const found = findLines(lines, [context], from, false)
      if (found < 0) return undefined
      from = found + 1
    }
    const at = findLines(lines, before, from, isAtEnd)
    if (at < 0) return undefined
    lines.splice(at, before.length, ...after)
    from = at + after.length
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

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
