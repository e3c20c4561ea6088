import { isRecord, jsonOf } from '../kernel/encoding/json.ts'
import { Fault } from '../kernel/fault.ts'
import { storeFaults } from './faults.ts'
import { rootAt } from './proof.ts'
import { readRows } from './read-rows.ts'
import type { LogReader, Row } from './store.ts'
import { type ChainVerdict, verifyChain } from './verify.ts'

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
class ErasureTracker {
  readonly #gone: number[] = []
  readonly #named = new Set<number | undefined>()

  add({ seq, payload }: Row, operation: unknown): void {
    if (payload === null) this.#gone.push(seq)
    else if (operation === 'lineage.erase') this.#named.add(erasedSeq(payload))
  }

  result(): Erasures {
    return {
      recorded: this.#gone.filter((seq) => this.#named.has(seq)),
      unexplained: this.#gone.filter((seq) => !this.#named.has(seq)),
    }
  }
}

interface LogAudit {
  /** Broken also when a payload is missing that no entry records as erased. */
  readonly chain: ChainVerdict
  /** Undefined when the audit stopped at a broken entry. */
  readonly erasures?: Erasures
}

/**
 * Runs the independent verifier of `verify.ts` over all entries of a log in a store, looks for payloads that are
 * missing without a record, and compares the stored Merkle tree with the entries. `verify.ts` itself knows nothing of
 * stores. An unreadable entry counts as broken.
 */
export const auditLog = async (log: LogReader): Promise<LogAudit> => {
  let reached = 0
  let payload: string | null = null
  const tracker = new ErasureTracker()
  const entries = async function* () {
    for await (const row of readRows(log)) {
      payload = row.payload
      const entry = jsonOf(row.entry)
      tracker.add(row, isRecord(entry) ? entry.operation : undefined)
      yield entry
      reached = row.seq + 1
    }
  }
  const broken = (at: number, why: string): ChainVerdict => ({ outcome: 'broken', at, why })
  try {
    const chain = await verifyChain(log.genesis, entries(), () => payload)
    if (chain.outcome === 'broken') return { chain }
    const erasures = tracker.result()
    const [at] = erasures.unexplained
    if (at !== undefined)
      return {
        chain: broken(at, `the payload of entry ${at} is missing, and no entry records its erasure`),
        erasures,
      }
    const { root } = await rootAt(log, chain.size)
    if (root === chain.root) return { chain, erasures }
    return { chain: broken(chain.size, 'the stored Merkle tree does not match the entries'), erasures }
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.kind === 'unavailable') throw thrown
    return { chain: broken(reached, thrown.message) }
  }
}

/** The verdict on a log that verifies, computed from its entries. A log that does not verify is a fault. */
export const requireIntact = async (
  log: LogReader,
): Promise<ChainVerdict & { readonly outcome: 'intact' }> => {
  const { chain } = await auditLog(log)
  if (chain.outcome === 'intact') return chain
  throw storeFaults.damaged(`nothing was signed, because the log does not verify: ${chain.why}`)
}

interface SignedSize {
  readonly size: number
  readonly root: string
}

/** Whether a verified log is a continuation of the log that an older checkpoint signed. */
export const compareWithOlder = async (
  log: LogReader,
  size: number,
  older: SignedSize,
): Promise<'grown' | 'truncated' | 'forked'> => {
  if (older.size > size) return 'truncated'
  const entries = async function* () {
    for await (const row of readRows(log)) {
      if (row.seq >= older.size) return
      yield jsonOf(row.entry)
    }
  }
  const before = await verifyChain(log.genesis, entries())
  return before.outcome === 'intact' && before.root === older.root ? 'grown' : 'forked'
}
