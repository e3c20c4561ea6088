import { Fault } from '../kernel/fault.ts'
import { Entry } from './entry.ts'
import { storeFaults } from './faults.ts'
import type { LogReader, Row } from './store.ts'

const PAGE = 1_000

/** A page; undefined when something in it is damaged and a smaller one may still be read. */
const readPage = async (log: LogReader, from: number, limit: number): Promise<readonly Row[] | undefined> => {
  try {
    return await log.read(from, limit)
  } catch (thrown) {
    if (limit > 1 && thrown instanceof Fault && thrown.kind === 'corrupt') return undefined
    throw thrown
  }
}

/** Every row from `from` on, in order. All that come before one that cannot be read are handed over. */
export async function* readRows(log: LogReader, from = 0): AsyncGenerator<Row> {
  for (let next = from, limit = PAGE; ; ) {
    const rows = await readPage(log, next, limit)
    if (rows === undefined) {
      limit = Math.floor(limit / 2)
      continue
    }
    yield* rows
    if (rows.length < limit) return
    next += rows.length
  }
}

export const readEntry = ({ seq, entry }: Row): Entry => {
  try {
    return Entry.parse(JSON.parse(entry))
  } catch (cause) {
    throw storeFaults.damaged(`entry ${seq} cannot be read`, { cause, detail: { seq } })
  }
}
