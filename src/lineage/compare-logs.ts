import { optional } from '../kernel/optional.ts'
import { type PublicEntry, verifyChain } from './verify.ts'

/** A state of a log: its size and root, and its entries where they are known. */
export interface LogState {
  /** How the reader named it, for messages. */
  readonly name: string
  readonly size: number
  readonly root: string
  readonly genesis?: string
  readonly entries?: readonly PublicEntry[]
}

interface AddedEntry {
  readonly index: number
  readonly time: string
  readonly operation: string
}

type LogDifference =
  | { readonly outcome: 'same' }
  | { readonly outcome: 'grown'; readonly added: readonly AddedEntry[] }
  /** They are states of two logs, or of one that was rewritten. `at` is the first entry that differs, if known. */
  | { readonly outcome: 'contradicts'; readonly why: string; readonly at?: number }
  /** Neither of them has the entries that would show it. */
  | { readonly outcome: 'unknown'; readonly why: string }

const firstDifference = (one: LogState, other: LogState): number | undefined => {
  const at = one.entries?.findIndex((entry, n) => other.entries?.[n]?.checksum !== entry.checksum) ?? -1
  return at === -1 ? undefined : at
}

/** What was added between two states of a log, or that they contradict each other. */
export const compareStates = async (one: LogState, other: LogState): Promise<LogDifference> => {
  const [older, newer] = one.size <= other.size ? [one, other] : [other, one]
  const contradicts = (why: string): LogDifference => {
    const at = firstDifference(older, newer)
    return { outcome: 'contradicts', why, ...optional({ at }) }
  }
  if (older.size === newer.size)
    return older.root === newer.root
      ? { outcome: 'same' }
      : contradicts(`both have ${older.size} entries, with different roots`)
  const { genesis, entries } = newer
  if (genesis === undefined || entries === undefined)
    return { outcome: 'unknown', why: `${newer.name} has no entries, and this store does not have them` }
  const before = await verifyChain(genesis, entries.slice(0, older.size))
  if (before.outcome === 'broken') return { outcome: 'unknown', why: `${newer.name}: ${before.why}` }
  if (before.root !== older.root)
    return contradicts(`the first ${older.size} entries of ${newer.name} are not those of ${older.name}`)
  const added = entries
    .slice(older.size)
    .map(({ seq, timestamp, operation }) => ({ index: seq, time: timestamp, operation }))
  return { outcome: 'grown', added }
}
