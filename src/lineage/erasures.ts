import { readEntry } from './read-rows.ts'
import type { Row } from './store.ts'

/** Entries of a log whose payload is missing. */
interface Erasures {
  /** Erased, with an entry that records the erasure. */
  readonly recorded: readonly number[]
  /** Missing without such an entry: removed outside of Warrant. */
  readonly unexplained: readonly number[]
}

const erasedSeq = (payload: string): number | undefined => {
  try {
    return JSON.parse(payload).args.seq
  } catch {
    return undefined
  }
}

/** Separates recorded erasures from payloads that are missing without a record. */
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
