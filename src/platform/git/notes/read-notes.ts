import { Fault } from '../../../kernel/fault.ts'
import type { GitBlobReader } from '../blobs.ts'
import type { GitPlace } from '../run.ts'
import { findNotes } from './find-notes.ts'
import { decodeLine, unionLines } from './note-lines.ts'
import { findNotesRefs, type NotesName } from './note-refs.ts'

export interface NotesReading {
  /** Lines by object: those of this clone and of its remotes, each once, sorted. Objects without a note are left out. */
  readonly notes: ReadonlyMap<string, readonly string[]>
  /** What could not be read, as sentences. */
  readonly problems: readonly string[]
}

const decodeLines = (lines: readonly string[]) => {
  const decoded = lines.map(decodeLine)
  return {
    good: decoded.filter((line) => line !== undefined),
    bad: decoded.filter((one) => one === undefined).length,
  }
}

/** The notes of the objects, whether or not the objects exist. What is unreadable is reported, never thrown. */
export const readNotes = async (
  source: { readonly blobs: GitBlobReader; readonly place: GitPlace },
  name: NotesName,
  objects: readonly string[],
  signal: AbortSignal,
): Promise<NotesReading> => {
  const notes = new Map<string, readonly string[]>()
  const problems: string[] = []
  const refs = objects.length === 0 ? [] : await findNotesRefs(source.place, name, signal)
  for (const { ref, oid } of refs) {
    const found = await findNotes(source, oid, [...new Set(objects)], signal).catch((thrown: unknown) => {
      // Git exits at a damaged object.
      if (thrown instanceof Fault) return undefined
      throw thrown
    })
    if (found === undefined) problems.push(`${ref} cannot be read: it is damaged, or holds no notes`)
    for (const [object, why] of found?.unreadable ?? []) problems.push(`${ref}: the note of ${object} ${why}`)
    for (const [object, lines] of found?.lines ?? []) {
      const { good, bad } = decodeLines(lines)
      if (bad > 0) problems.push(`${ref}: ${bad} lines of the note of ${object} are not UTF-8`)
      notes.set(object, unionLines(notes.get(object) ?? [], good))
    }
  }
  return { notes, problems }
}
