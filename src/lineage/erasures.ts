import { readEntry } from './read-rows.ts'
import type { Row } from './store.ts'

/** What has been taken out of a log. */
export interface Erasures {
  /** Numbers of the entries whose payload is gone, with an entry that says so. */
  readonly recorded: readonly number[]
  /** The same without one: somebody took them out behind the log's back. */
  readonly unexplained: readonly number[]
}

const erasedSeq = (payload: string): number | undefined => {
  try {
    return JSON.parse(payload).args.seq
  } catch {
    return undefined
  }
}

/** Tells what an operator erased from what merely went missing. */
export const findErasures = async (rows: AsyncIterable<Row>): Promise<Erasures> => {
  const gone: number[] = []
  const named = new Set<number | undefined>()
  for await (const row of rows) {
    if (row.payload === null) gone.push(row.seq)
    else if (readEntry(row).operation === 'lineage.erase') named.add(erasedSeq(row.payload))
  }
  return {
    recorded: gone.filter((seq) => named.has(seq)),
    unexplained: gone.filter((seq) => !named.has(seq)),
  }
}
