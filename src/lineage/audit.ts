import { Fault } from '../kernel/fault.ts'
import { rootAt } from './proof.ts'
import { readRows } from './read-rows.ts'
import type { LogReader } from './store.ts'
import { type ChainVerdict, verifyChain } from './verify.ts'

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Runs the independent verifier of `verify.ts` over a log in a store, and compares the stored Merkle tree with the
 * entries. `verify.ts` itself knows nothing of stores. An unreadable entry counts as broken.
 */
export const auditLog = async (log: LogReader): Promise<ChainVerdict> => {
  let reached = 0
  let payload: string | null = null
  const entries = async function* () {
    for await (const row of readRows(log)) {
      payload = row.payload
      yield parse(row.entry)
      reached = row.seq + 1
    }
  }
  try {
    const chain = await verifyChain(log.genesis, entries(), () => payload)
    if (chain.outcome === 'broken') return chain
    const { root } = await rootAt(log, chain.size)
    if (root === chain.root) return chain
    return { outcome: 'broken', at: chain.size, why: 'the stored Merkle tree does not match the entries' }
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.kind === 'unavailable') throw thrown
    return { outcome: 'broken', at: reached, why: thrown.message }
  }
}
