import type { LogReader } from '../../../lineage/store.ts'
import { type ReceiptPlace, readTrustedKeys } from './find-receipts.ts'
import { openNotes } from './open-notes.ts'
import { readOwnKey } from './signing-key.ts'
import { hashOf, listWitnesses } from './witness.ts'

/** The witnesses of the log of decisions, by the notes of this clone; none before the first commit. */
export const readWitnesses = async (place: ReceiptPlace, log: LogReader) => {
  const { git, signal } = place
  const head = await git.head(signal)
  if (head === null || (await log.head()).size === 0) return []
  const [listed, own] = await Promise.all([readTrustedKeys(place), readOwnKey().catch(() => undefined)])
  const notes = openNotes(place)
  const keys = [...listed.map(({ key }) => key.text), ...(own === undefined ? [] : [own.text])]
  return listWitnesses({ notes, keys, format: hashOf(head), signal }, log)
}
