import type { LogReader } from '../../../lineage/store.ts'
import { gitNotes } from '../../../platform/git/notes/git-notes.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import { type ReceiptPlace, readTrustedKeys } from './find-receipts.ts'
import { readOwnKey } from './signing-key.ts'
import { hashOf, listWitnesses } from './witness.ts'

/** The witnesses of the log of decisions, by the notes of this clone; none before the first commit. */
export const readWitnesses = async (place: ReceiptPlace, log: LogReader) => {
  const { root, config, git, signal } = place
  const head = await git.head(signal)
  if (head === null || (await log.head()).size === 0) return []
  const [listed, own] = await Promise.all([readTrustedKeys(place), readOwnKey().catch(() => undefined)])
  const start = { folder: root, environment: process.env, gitFolders: config.gitFolders }
  const notes = gitNotes(start, () => systemClock.now())
  const keys = [...listed.map(({ key }) => key.text), ...(own === undefined ? [] : [own.text])]
  return listWitnesses({ notes, keys, format: hashOf(head), signal }, log)
}
