import { storeFaults } from './faults.ts'
import { readEntry } from './read-rows.ts'
import type { LogReader } from './store.ts'

/** Name of the log of gate decisions, in the same store as the graphs. */
export const DECISION_LOG = 'gate-decisions'

const CHECKSUM_DIGITS = 16

/**
 * The origin of a log, as its checkpoints name it. Every repository has a log of decisions, so its origin holds the
 * start of the checksum of its first entry as well. Throws when that log is empty.
 */
export const logOrigin = async (name: string, log: LogReader): Promise<string> => {
  if (name !== DECISION_LOG) return `warrant/${name}`
  const [first] = await log.read(0, 1)
  if (first === undefined) throw storeFaults.absent(`the log ${name} has no entry yet`)
  return `warrant/${name}/${readEntry(first).checksum.slice(0, CHECKSUM_DIGITS)}`
}
