import { askGit, runGit } from '../run.ts'
import { findNotes } from './find-notes.ts'
import { localNotesRef, type NotesName } from './note-refs.ts'
import { addLines, commitNotes, type NotesStore, replaceNotesRef } from './write-notes.ts'

/** More notes than this are not merged at once. */
const MAX_MERGED = 50_000

/** The objects whose notes differ and exist in `theirs`, from `diff-tree --raw -z`: `:<modes> <ids> <status>\0<path>\0`. */
const parseDiffering = (text: string, digits: number): string[] => {
  const records = text.split('\0')
  const objects = new Set<string>()
  for (let at = 0; at + 1 < records.length; at += 2) {
    const object = records[at + 1]?.replaceAll('/', '') ?? ''
    if (!records[at]?.endsWith(' D') && object.length === digits && /^[0-9a-f]+$/.test(object))
      objects.add(object)
  }
  return [...objects].sort()
}

const isAncestor = async ({ place }: NotesStore, older: string, newer: string, signal: AbortSignal) =>
  (await askGit(place, ['merge-base', '--is-ancestor', older, newer], { signal })).code === 0

/**
 * Joins the notes of a remote into those of this clone: the union of the lines of each note. Both histories are parents
 * of the result, so that it can be pushed. Returns what could not be joined, as sentences.
 */
export const mergeNotes = async (
  store: NotesStore,
  name: NotesName,
  theirs: string,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const ref = localNotesRef(name)
  const { place } = store
  let problems: string[] = []
  const moveRef = async (old: string): Promise<boolean> =>
    (await askGit(place, ['update-ref', '--no-deref', ref, theirs, old], { signal })).code === 0
  const replace = async (ours: string | undefined): Promise<boolean> => {
    if (ours === undefined) return moveRef('0'.repeat(theirs.length))
    if (await isAncestor(store, theirs, ours, signal)) return true
    if (await isAncestor(store, ours, theirs, signal)) return moveRef(ours)
    const diff = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', ours, theirs]
    const objects = parseDiffering(await runGit(place, diff, { signal }), theirs.length)
    const some = objects.slice(0, MAX_MERGED)
    const present = await findNotes(store, ours, some, signal)
    const added = await findNotes(store, theirs, some, signal)
    problems = objects.length > some.length ? [`${objects.length - some.length} notes were not merged`] : []
    const contents = new Map<string, Buffer | undefined>()
    for (const object of some) {
      const edits = present && addLines(present, object, added?.lines.get(object) ?? [])
      const why = edits === undefined ? 'would grow too long' : added?.unreadable.get(object)
      if (why !== undefined) problems.push(`the note of ${object} ${why}`)
      for (const [path, bytes] of edits ?? []) contents.set(path, bytes)
    }
    const message = 'Notes merged by warrant'
    return commitNotes(store, { ref, message, parent: ours, merged: theirs, contents }, signal)
  }
  await replaceNotesRef(store, name, replace, signal)
  return problems
}
