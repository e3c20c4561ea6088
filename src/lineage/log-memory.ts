import { isRecord } from '../kernel/encoding/json.ts'
import { readEntry } from './read-rows.ts'
import type { LogReader } from './store.ts'

/** A point in a log: the number of entries, and the checksum of the last of them. */
export interface LogPoint {
  readonly size: number
  readonly head: string
}

/** What this machine saw last of a log. */
export interface SeenLog extends LogPoint {
  /** The end of a former log in the same place, which is gone. */
  readonly lost?: LogPoint
  /** When a person accepted the log as it was then. */
  readonly adopted?: number
}

/** Keeps what was seen outside of the store, so that a store that was cut, replaced or rolled back is noticed. */
export interface LogMemory {
  read(): Promise<SeenLog | undefined>
  /** Notes the newest entry. Synchronous and fast: it comes before every answer to a write. */
  note(newest: LogPoint): void
  /** Notes the end of a log that is gone. */
  noteLost(lost: LogPoint): Promise<void>
  /** A person accepts the log as it is. */
  adopt(newest: LogPoint): Promise<void>
}

const isPoint = (value: unknown): value is LogPoint =>
  isRecord(value) && Number.isSafeInteger(value.size) && typeof value.head === 'string'

export const writePoint = ({ size, head }: LogPoint): string => `${size} ${head}`

/** What was seen, by the note of the newest entry and by what else is remembered. */
export const parseSeen = (newest: string | undefined, other: unknown): SeenLog | undefined => {
  const [, size, head = ''] = /^(\d{1,15}) ([0-9a-f]{64})$/.exec(newest ?? '') ?? []
  if (size === undefined) return undefined
  const { lost, adopted } = isRecord(other) ? other : {}
  return {
    size: Number(size),
    head,
    ...(isPoint(lost) && { lost: { size: lost.size, head: lost.head } }),
    ...(typeof adopted === 'number' && { adopted }),
  }
}

/** `grown`: the log still has what was seen. `replaced`: a log that was seen is gone, and this is another one. */
type SeenOutcome = 'grown' | 'truncated' | 'forked' | 'replaced'

/** Compares a log with what was seen of it. Reads one entry. */
export const compareWithSeen = async (
  log: LogReader,
  { size, head, lost }: SeenLog,
): Promise<SeenOutcome> => {
  if (lost !== undefined) return 'replaced'
  if ((await log.head()).size < size) return 'truncated'
  if (size === 0) return 'grown'
  const [row] = await log.read(size - 1, 1)
  return row !== undefined && readEntry(row).checksum === head ? 'grown' : 'forked'
}

/** What is wrong with a log, for messages. */
export const describeMismatch = (outcome: SeenOutcome, { size, lost }: SeenLog): string => {
  if (outcome === 'replaced') return `a log of ${lost?.size} entries that this machine saw here is gone`
  const seen = `this machine saw ${size} entries of it`
  return outcome === 'truncated'
    ? `the log was cut: ${seen}`
    : `the log was rewritten: ${seen}, with another end`
}
