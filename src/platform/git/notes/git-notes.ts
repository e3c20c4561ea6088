import { GitBlobReader } from '../blobs.ts'
import { findPlace, type GitStart } from '../place.ts'
import { type GitPlace, gitFaults } from '../run.ts'
import { fetchNotes, type NotesExchange, pushNotes } from './exchange-notes.ts'
import type { NotesName } from './note-refs.ts'
import { type NotesReading, readNotes } from './read-notes.ts'
import { appendNotes, type NotesStore } from './write-notes.ts'

/** The notes that a repository keeps about objects, such as trees. Each note is a set of lines. */
export interface GitNotes {
  /** Notes of this clone and those fetched from its remotes. Unreadable ones are reported, not thrown. */
  read(name: NotesName, objects: readonly string[], signal: AbortSignal): Promise<NotesReading>
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
    append: async (name, lines, signal, removed) =>
      appendNotes(await open(signal), name, lines, signal, removed),
    push: async (remote, signal) => pushNotes(await open(signal), remote, signal),
    fetch: async (remote, signal) => fetchNotes(await open(signal), remote, signal),
  }
}
