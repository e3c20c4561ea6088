import { storeFaults } from './faults.ts'
import { proveInclusion } from './proof.ts'
import type { LogReader } from './store.ts'
import { writeTlogProof } from './tlog/tlog-proof.ts'

interface CheckpointNote {
  /** The signed note. */
  readonly note: string
  readonly size: number
}

/**
 * The proof of an entry in the tree of a checkpoint, for a reader without the log. It carries entry and payload byte
 * for byte, so give it only to readers who may know the payload.
 */
export const writeEntryProof = async (
  log: LogReader,
  index: number,
  { note, size }: CheckpointNote,
): Promise<string> => {
  const { path } = await proveInclusion(log, index, size)
  const [row] = await log.read(index, 1)
  if (row === undefined) throw storeFaults.absent(`there is no entry ${index}`)
  if (row.payload === null)
    throw storeFaults.absent(`the payload of entry ${index} was erased`, { fix: 'Use another entry.' })
  const extra = Buffer.from(JSON.stringify({ entry: row.entry, payload: row.payload }))
  return writeTlogProof({ index, path, checkpoint: note, extra })
}
