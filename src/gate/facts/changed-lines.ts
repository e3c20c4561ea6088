import { readSource } from '../../kernel/text/decode.ts'
import { extensionOf, grammarForExtension } from '../../kernel/text/languages.ts'
import type { ChangeSet } from '../ports.ts'

/** Lines from `first` to `last`, counted from 1. `last` is `first - 1` where lines were only deleted, before `first`. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

/** More edits than this in one file make everything between the first and the last one a change. */
const MAX_EDITS = 2_000

/** Lines as numbers, equal for equal lines. */
const internLines = (before: readonly string[], after: readonly string[]): [Int32Array, Int32Array] => {
  const numbers = new Map<string, number>()
  const intern = (lines: readonly string[]) =>
    Int32Array.from(lines, (line) => {
      const known = numbers.get(line)
      if (known === undefined) numbers.set(line, numbers.size)
      return known ?? numbers.size - 1
    })
  return [intern(before), intern(after)]
}

/** The furthest reaching paths of Myers' algorithm, one array for each number of edits; undefined above MAX_EDITS. */
const tracePaths = (before: Int32Array, after: Int32Array): Int32Array[] | undefined => {
  const [rows, columns] = [before.length, after.length]
  const most = Math.min(rows + columns, MAX_EDITS)
  const trace: Int32Array[] = []
  let reached = new Int32Array(2)
  for (let edits = 0; edits <= most; edits++) {
    // Diagonal k is at index k + edits + 1, with one unused place at either end.
    const next = new Int32Array(2 * edits + 3)
    for (let k = -edits; k <= edits; k += 2) {
      const [left, right] = [reached[k + edits - 1] ?? 0, reached[k + edits + 1] ?? 0]
      const down = k === -edits || (k !== edits && left < right)
      let x = edits === 0 ? 0 : down ? right : left + 1
      while (x < rows && x - k < columns && before[x] === after[x - k]) x++
      next[k + edits + 1] = x
      if (x >= rows && x - k >= columns) return [...trace, next]
    }
    trace.push(next)
    reached = next
  }
  return undefined
}

/** Whether each line of the new version was inserted, and before which of them lines were deleted, from the paths. */
const walkBack = (trace: readonly Int32Array[], rows: number, columns: number): LineRange[] => {
  const ranges: LineRange[] = []
  let [x, y] = [rows, columns]
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const reached = trace[edits - 1] ?? new Int32Array()
    const k = x - y
    const [left, right] = [reached[k + edits - 1] ?? 0, reached[k + edits + 1] ?? 0]
    const down = k === -edits || (k !== edits && left < right)
    x = down ? right : left
    y = x - (down ? k + 1 : k - 1)
    ranges.push({ first: y + 1, last: down ? y + 1 : y })
  }
  return ranges.reverse()
}

const joinRanges = (ranges: readonly LineRange[]): LineRange[] => {
  const joined: LineRange[] = []
  for (const range of ranges) {
    const previous = joined.at(-1)
    if (previous !== undefined && range.first <= previous.last + 1)
      joined[joined.length - 1] = { first: previous.first, last: Math.max(previous.last, range.last) }
    else joined.push(range)
  }
  return joined
}

/** The lines of the new version that a change inserted or replaced, and the places where it deleted lines. */
export const compareLines = (before: readonly string[], after: readonly string[]): readonly LineRange[] => {
  const [old, now] = internLines(before, after)
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start++
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  const [rows, columns] = [old.length - start - end, now.length - start - end]
  if (rows === 0 && columns === 0) return []
  const whole = [{ first: start + 1, last: start + columns }]
  if (rows === 0 || columns === 0) return whole
  const trace = tracePaths(old.subarray(start, start + rows), now.subarray(start, start + columns))
  if (trace === undefined) return whole
  return joinRanges(
    walkBack(trace, rows, columns).map(({ first, last }) => ({ first: first + start, last: last + start })),
  )
}

/** Whether lines are changed, or at most so many lines `around` a changed line. */
export const touchesRange = (
  { line, endLine }: { readonly line: number; readonly endLine: number },
  ranges: readonly LineRange[],
  around = 1,
): boolean => ranges.some(({ first, last }) => line <= last + around && endLine >= first - around)

/** Lines as editors number them. A carriage return alone is kept: not every language ends a comment there. */
const splitLines = (bytes: Uint8Array, path: string): readonly string[] =>
  readSource(bytes, grammarForExtension(extensionOf(path)) ?? '').text.split(/(?<=\r(?!\n))|\r?\n/)

/**
 * Whether a place is on a line that the change touched, or `around` one (default: next to it). A new file counts as a
 * whole, and so does a file whose old content cannot be read; a file outside the change does not count.
 */
type ChangedLines = (
  file: string,
  place: { readonly line: number; readonly endLine: number },
  around?: number,
) => boolean

/** Compares files with their content before the change, by their old path when they were moved. */
export const readChangedLines = async (
  set: Pick<ChangeSet, 'changes' | 'links' | 'read' | 'readBefore'>,
  files: readonly string[],
  signal: AbortSignal,
): Promise<ChangedLines> => {
  const changed = new Set([...set.changes.map(({ path }) => path), ...(set.links ?? [])])
  const before = new Map<string, readonly string[]>()
  const ranges = new Map<string, readonly LineRange[]>()
  const paths = [...new Set(files)].filter((path) => changed.has(path))
  for await (const { path, bytes } of set.readBefore(paths, signal))
    if (bytes !== undefined) before.set(path, splitLines(bytes, path))
  for await (const { path, bytes } of set.read([...before.keys()], signal)) {
    const old = before.get(path)
    if (bytes !== undefined && old !== undefined) ranges.set(path, compareLines(old, splitLines(bytes, path)))
  }
  return (file, place, around) => {
    const ofFile = ranges.get(file)
    return changed.has(file) && (ofFile === undefined || touchesRange(place, ofFile, around))
  }
}
