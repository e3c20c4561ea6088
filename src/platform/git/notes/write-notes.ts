import { setTimeout } from 'node:timers/promises'
import type { GitBlobReader } from '../blobs.ts'
import { askGit, type GitPlace, gitFaults } from '../run.ts'
import {
  encodeLine,
  type FoundNotes,
  findNotes,
  joinLines,
  MAX_NOTE_BYTES,
  TOO_LONG,
  unionLines,
} from './find-notes.ts'
import { findLocalCommit, localNotesRef, type NotesName } from './note-refs.ts'

export interface NotesStore {
  readonly blobs: GitBlobReader
  readonly place: GitPlace
  /** Milliseconds since the epoch, for the commits. */
  readonly now: () => number
}

/** The author of the commits. Fixed: the user may have no name, and the same notes give the same commits. */
const [AUTHOR, ADDRESS] = ['warrant', 'warrant@localhost']

/** Where a note is written: git finds notes in folders by the first two digits, and keeps them when it rewrites. */
const notePath = (object: string): string => `${object.slice(0, 2)}/${object.slice(2)}`

interface NotesCommit {
  readonly ref: string
  readonly message: string
  /** What the ref must hold when it is replaced; undefined when there must be none. */
  readonly parent: string | undefined
  readonly merged?: string | undefined
  /** New contents by path; undefined removes. */
  readonly contents: ReadonlyMap<string, Buffer | undefined>
}

/** A length in front of bytes, as `git fast-import` reads them. */
const dataRecord = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')])

const parentRecord = (word: 'from' | 'merge', commit: string | undefined): Buffer =>
  Buffer.from(commit === undefined ? '' : `${word} ${commit}\n`)

const importStream = ({ ref, message, parent, merged, contents }: NotesCommit, now: number): Buffer =>
  Buffer.concat([
    Buffer.from(`commit ${ref}\ncommitter ${AUTHOR} <${ADDRESS}> ${Math.floor(now / 1000)} +0000\n`),
    dataRecord(Buffer.from(message)),
    parentRecord('from', parent),
    parentRecord('merge', merged),
    ...[...contents].map(([path, bytes]) =>
      bytes === undefined
        ? Buffer.from(`D ${path}\n`)
        : Buffer.concat([Buffer.from(`M 100644 inline ${path}\n`), dataRecord(bytes)]),
    ),
    // Without it, a stream that was cut would be taken for a whole one.
    Buffer.from('done\n'),
  ])

const IMPORT = 'fast-import --quiet --done'.split(' ')

/** The name of the user is not needed, and no setting asks for a signature or starts a program. */
const SETTINGS = [
  ['user.name', AUTHOR],
  ['user.email', ADDRESS],
  // Few objects are stored one by one and leave no packs behind.
  ['fastimport.unpackLimit', '1000'],
] as const

/**
 * Commits to a notes ref in one process, which writes objects, commit and ref. False when the ref no longer holds the
 * parent: `git fast-import` replaces a ref only by a commit that has the present one in its history.
 */
export const commitNotes = async (
  { place, now }: NotesStore,
  commit: NotesCommit,
  signal: AbortSignal,
): Promise<boolean> => {
  const settings = [...(place.settings ?? []), ...SETTINGS]
  const input = importStream(commit, now())
  const { code } = await askGit({ ...place, settings }, IMPORT, {
    signal,
    input,
  })
  return code === 0
}

/** The contents that hold these lines as well; undefined for a note that would grow too long. */
export const addLines = (
  found: FoundNotes,
  object: string,
  added: readonly string[],
  dropped: readonly string[] = [],
): ReadonlyMap<string, Buffer | undefined> | undefined => {
  const before = found.lines.get(object) ?? []
  const left = new Set(dropped)
  const lines = unionLines(before, added).filter((line) => !left.has(line))
  const same = new Set(before)
  if (lines.length === same.size && lines.every((line) => same.has(line))) return new Map()
  const bytes = joinLines(lines)
  if (bytes.length > MAX_NOTE_BYTES || found.unreadable.get(object) === TOO_LONG) return undefined
  const path = notePath(object)
  const others = (found.paths.get(object) ?? []).filter((one) => one !== path)
  return new Map([...others.map((one) => [one, undefined] as const), [path, bytes] as const])
}

/** How often the same commit is tried to be replaced: another process may hold the lock of the ref for a moment. */
const ATTEMPTS = 12
const MAX_PAUSE_MS = 60

/**
 * Repeats until it is done. Other processes write to the same ref, and one of them succeeds each time: only attempts
 * between which the ref did not change are counted.
 */
export const replaceNotesRef = async (
  { place }: NotesStore,
  name: NotesName,
  replace: (parent: string | undefined) => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> => {
  const ref = localNotesRef(name)
  let last: string | undefined
  for (let count = 0; count < ATTEMPTS; count += 1) {
    const parent = await findLocalCommit(place, name, signal)
    if (parent !== last) count = 0
    last = parent
    if (await replace(parent)) return
    await setTimeout(Math.random() * MAX_PAUSE_MS, undefined, { signal })
  }
  throw gitFaults.failed(`${ref} could not be replaced`, {
    fix: `Check that the repository is writable, and that no file ${ref}.lock was left in its git folder.`,
  })
}

/**
 * Adds lines to the notes of objects, and removes others from the same notes, in one commit. The objects need not exist. Returns the objects whose note would
 * grow too long; theirs stay as they are.
 */
export const appendNotes = async (
  store: NotesStore,
  name: NotesName,
  additions: ReadonlyMap<string, readonly string[]>,
  signal: AbortSignal,
  removals: ReadonlyMap<string, readonly string[]> = new Map(),
): Promise<readonly string[]> => {
  const wrong = [...additions.keys()].find((object) => !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(object))
  if (wrong !== undefined) throw gitFaults.revision(`${JSON.stringify(wrong)} is not the id of an object`)
  const ref = localNotesRef(name)
  let full: string[] = []
  const replace = async (parent: string | undefined): Promise<boolean> => {
    const found = await findNotes(store, parent, [...additions.keys()], signal)
    if (found === undefined) throw gitFaults.failed(`${ref} cannot be read: it is damaged`)
    const edits = [...additions].map(
      ([object, lines]) =>
        [
          object,
          addLines(found, object, lines.flatMap(encodeLine), removals.get(object)?.flatMap(encodeLine)),
        ] as const,
    )
    full = edits.flatMap(([object, contents]) => (contents === undefined ? [object] : []))
    const contents = new Map(edits.flatMap(([, one]) => [...(one ?? [])]))
    if (contents.size === 0) return true
    return commitNotes(store, { ref, message: 'Notes added by warrant', parent, contents }, signal)
  }
  await replaceNotesRef(store, name, replace, signal)
  return full
}
