import { Fault } from '../../../kernel/fault.ts'
import { GitBlobReader } from '../blobs.ts'
import { findPlace, type GitStart } from '../place.ts'
import { type GitPlace, gitFaults } from '../run.ts'
import { fetchNotes, type NotesExchange, pushNotes } from './exchange-notes.ts'
import { decodeLine, findNotes, unionLines } from './find-notes.ts'
import { findNotesRefs, type NotesName } from './note-refs.ts'
import { appendNotes, type NotesStore } from './write-notes.ts'

interface NotesReading {
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
const readNotes = async (
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

/** The notes that a repository keeps about objects, such as trees. Each note is a set of lines. */
export interface GitNotes {
  /** Notes of this clone and those fetched from its remotes. Unreadable ones are reported, not thrown. */
  read(name: NotesName, objects: readonly string[], signal: AbortSignal): Promise<NotesReading>
  has(name: NotesName, signal: AbortSignal): Promise<boolean>
  /** Adds lines in one commit, and removes others from the same notes; the objects need not exist. Returns the objects whose note would grow too long. */
  append(
    name: NotesName,
    lines: ReadonlyMap<string, readonly string[]>,
    signal: AbortSignal,
    removed?: ReadonlyMap<string, readonly string[]>,
  ): Promise<readonly string[]>
  /** Sends the notes to a remote, joined with those it has. Never throws for what the network or the remote does. */
  push(remote: string, signal: AbortSignal): Promise<NotesExchange>
  /** Fetches the notes of a remote beside those of this clone. */
  fetch(remote: string, signal: AbortSignal): Promise<NotesExchange>
}

/** `now`: milliseconds since the epoch, for the commits that hold the notes. */
export const gitNotes = (start: GitStart, now: () => number): GitNotes => {
  const blobs = new GitBlobReader()
  let found: GitPlace | undefined
  const open = async (signal: AbortSignal): Promise<NotesStore> => {
    found ??= await findPlace(start, signal)
    if (found === undefined) throw gitFaults.repository('this folder is not in a git repository')
    return { place: found, blobs, now }
  }
  return {
    read: async (name, objects, signal) => readNotes(await open(signal), name, objects, signal),
    has: async (name, signal) => (await findNotesRefs((await open(signal)).place, name, signal)).length > 0,
    append: async (name, lines, signal, removed) =>
      appendNotes(await open(signal), name, lines, signal, removed),
    push: async (remote, signal) => pushNotes(await open(signal), remote, signal),
    fetch: async (remote, signal) => fetchNotes(await open(signal), remote, signal),
  }
}
