import { gitNotes } from '../../src/platform/git/notes/git-notes.ts'

/** A separate process that adds lines one by one: `FOLDER OBJECT LABEL COUNT`. */
export const main = async ([folder = '', object = '', label = '', count = '']: readonly string[]) => {
  const notes = gitNotes({ folder, environment: process.env }, () => Date.now())
  for (let at = 0; at < Number(count); at += 1)
    await notes.append('warrant', new Map([[object, [`${label}:${at}`]]]), new AbortController().signal)
}
