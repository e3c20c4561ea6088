import { digestBytes } from '../../kernel/encoding/hash.ts'

/** Text put into a file. The offset counts UTF-16 units of the text before the edit. */
export interface Insertion {
  readonly at: number
  readonly text: string
}

/** A file that is left alone, and why. */
export class UneditableFile extends Error {}

/** The insertions, in the order of their offsets. */
const inOrder = (insertions: readonly Insertion[]): Insertion[] =>
  [...insertions].sort((one, other) => one.at - other.at)

export const applyInsertions = (text: string, insertions: readonly Insertion[]): string => {
  let done = 0
  const parts: string[] = []
  for (const { at, text: added } of inOrder(insertions)) {
    parts.push(text.slice(done, at), added)
    done = at
  }
  return parts.join('') + text.slice(done)
}

/** Where an inserted text begins and ends in the edited file, and its digest. */
export interface InsertedSpan {
  readonly from: number
  readonly to: number
  readonly digest: string
}

export const insertedSpans = (insertions: readonly Insertion[]): InsertedSpan[] => {
  let shift = 0
  return inOrder(insertions).map(({ at, text }) => {
    const from = at + shift
    shift += text.length
    return { from, to: from + text.length, digest: digestBytes(text) }
  })
}

interface TextSpan {
  readonly from: number
  readonly to: number
}

/** The text without these parts, which do not overlap. */
export const cutSpans = (text: string, spans: readonly TextSpan[]): string => {
  let done = 0
  let left = ''
  for (const { from, to } of [...spans].sort((one, other) => one.from - other.from)) {
    left += text.slice(done, from)
    done = to
  }
  return left + text.slice(done)
}

/** The line end of a text: that of its first line. */
export const lineEndOf = (text: string): '\n' | '\r\n' => (/^[^\n]*\r\n/.test(text) ? '\r\n' : '\n')

/** The offset after the line that contains `at`, and whether a line end closes that line. */
export const endOfLine = (text: string, at: number): { readonly at: number; readonly closed: boolean } => {
  const end = text.indexOf('\n', at)
  return end === -1 ? { at: text.length, closed: false } : { at: end + 1, closed: true }
}

/**
 * The answer of a removal: the text without the entry, or why it is as it was. `edited`: an entry is there under our
 * name, and it is not the one that was written.
 */
export type Removal = { readonly text: string } | 'absent' | 'edited'

/** One entry of ours in a file of another program. */
export interface FileEntry {
  /** What a person would add. */
  readonly shown: string
  /** The text without an entry that an earlier version wrote. */
  withoutOutdated?(text: string): string
  /** Empty when the entry is there. Throws `UneditableFile`. */
  insert(text: string): Promise<readonly Insertion[]>
  /** Throws `UneditableFile`. `written` are the digests of the texts that were inserted; empty when that is not known. */
  remove(text: string, written: ReadonlySet<string>): Promise<Removal>
}
