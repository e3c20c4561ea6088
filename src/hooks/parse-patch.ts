import { hookEventFaults } from './faults.ts'
import type { FileEdit } from './file-edit.ts'

/** Lines of a file that a patch replaces. */
export interface PatchHunk {
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
  return { hunks: builder.hunks, ...(to !== undefined && { to: to.trim() }) }
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
export const applyHunks = (text: string, hunks: readonly PatchHunk[]): string | undefined => {
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
