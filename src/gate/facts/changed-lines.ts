import { readSource } from '../../kernel/text/decode.ts'
import { compareLines } from '../../kernel/text/diff.ts'
import { extensionOf, grammarForExtension } from '../../kernel/text/languages.ts'
import type { ChangeSet } from '../ports.ts'

type Spans = readonly ReturnType<typeof compareLines>[number]['now'][]

/** Whether lines are changed, or at most so many lines `around` a changed line. */
export const touchesRange = (
  { line, endLine }: { readonly line: number; readonly endLine: number },
  ranges: Spans,
  around = 1,
): boolean => ranges.some(({ start, end }) => line <= end + around && endLine > start - around)

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
  const ranges = new Map<string, Spans>()
  const paths = [...new Set(files)].filter((path) => changed.has(path))
  for await (const { path, bytes } of set.readBefore(paths, signal))
    if (bytes !== undefined) before.set(path, splitLines(bytes, path))
  for await (const { path, bytes } of set.read([...before.keys()], signal)) {
    const old = before.get(path)
    if (bytes !== undefined && old !== undefined)
      ranges.set(
        path,
        compareLines(old, splitLines(bytes, path)).map(({ now }) => now),
      )
  }
  return (file, place, around) => {
    const ofFile = ranges.get(file)
    return changed.has(file) && (ofFile === undefined || touchesRange(place, ofFile, around))
  }
}
