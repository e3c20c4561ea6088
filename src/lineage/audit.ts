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
 * Checks a stored log with code that knows nothing of how it was written: every link, every payload that is
 * there, and the stored part of the tree. What the store cannot even read is as broken as what does not hold.
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
    return { outcome: 'broken', at: chain.size, why: 'the stored tree is not the tree of the entries' }
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.kind === 'unavailable') throw thrown
    return { outcome: 'broken', at: reached, why: thrown.message }
  }
}
