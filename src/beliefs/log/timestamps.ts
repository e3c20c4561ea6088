import type { Clock } from '../../kernel/ports.ts'

/** The time of an entry: milliseconds for the graph, RFC 3339 for the log. */
interface Timestamp {
  readonly ms: number
  readonly text: string
}

export type TimestampSource = (seq: number) => Timestamp

let latest: Timestamp = { ms: 0, text: new Date(0).toISOString() }

// Calls within one millisecond share the formatted text.
const timestampAt = (ms: number): Timestamp => {
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString() }
  return latest
}

export const formatTimestamp = (ms: number): string => timestampAt(ms).text

export const wallTimestamps =
  (clock: Clock): TimestampSource =>
  () =>
    timestampAt(clock.now())

const EPOCH_SECONDS = 1_700_000_000

/** Logical time: one second per entry from a fixed start, so that two runs of one script give the same bytes. */
export const fixedTimestamps: TimestampSource = (seq) => timestampAt((EPOCH_SECONDS + seq) * 1_000)
