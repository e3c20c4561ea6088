import { isRecord } from '../kernel/encoding/json.ts'
import { readEntry, readPayload } from './read-rows.ts'
import type { LogReader, Row } from './store.ts'

/** The operation of entries that a run of the gate makes. */
export const GATE_RUN = 'gate_run'

/** An erased entry does not say where the newest run is: then pages are searched from the end. */
const PAGE_ROWS = 64

interface RecordedFacts {
  readonly outcome?: unknown
  readonly verdict?: unknown
}

/** A run that tries a policy out writes no evidence, so it does not replace that of an earlier run. */
export const isJudging = (operation: string, { outcome = 'answer', verdict }: RecordedFacts): boolean =>
  operation === GATE_RUN && outcome === 'answer' && !(isRecord(verdict) && verdict.policy_from !== undefined)

export const isJudgingRun = (row: Row): boolean => {
  const { operation } = readEntry(row)
  return operation === GATE_RUN && isJudging(operation, readPayload(row))
}

/** Each entry names the newest run before it: null when there is none, undefined when the entry was erased. */
const namedRun = (row: Row): number | null | undefined => {
  const { last_run: named } = readPayload(row)
  return named === null || (typeof named === 'number' && Number.isSafeInteger(named)) ? named : undefined
}

/** Number of the newest entry of a run among the first `size` entries; null when there is none. Reads one entry. */
export const newestRun = async (log: LogReader, size: number): Promise<number | null> => {
  for (let end = size, rows = 1; end > 0; end -= rows, rows = PAGE_ROWS) {
    const from = Math.max(0, end - rows)
    for (const row of (await log.read(from, end - from)).toReversed()) {
      if (isJudgingRun(row)) return row.seq
      const named = namedRun(row)
      if (named !== undefined && (named === null || named < row.seq)) return named
    }
  }
  return null
}
