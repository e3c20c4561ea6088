import { type ChainVerdict, type Checkpoint, openCheckpoint, verifyChain } from './verify.ts'

/** Part of the verifier that stands alone: nothing but the verifier may be imported here. */

interface Bundle {
  readonly genesis: string
  readonly entries: readonly unknown[]
  readonly checkpoint?: unknown
  readonly verifier?: unknown
}

const isBundle = (value: unknown): value is Bundle => {
  if (typeof value !== 'object' || value === null) return false
  const { genesis, entries } = value as Partial<Bundle>
  return typeof genesis === 'string' && Array.isArray(entries)
}

/** A stranger's object need not even be able to say what it is. */
const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Whether a log is what an older checkpoint saw, and what came after. */
export interface ConsistencyResult {
  readonly outcome: 'grown' | 'truncated' | 'forked' | 'unsigned'
  /** How many entries the older checkpoint saw. */
  readonly from?: number
}

export interface BundleVerdict {
  readonly good: boolean
  readonly chain?: ChainVerdict
  readonly checkpoint?: Checkpoint | 'not signed by this key'
  readonly key?: 'given' | 'from the bundle'
  readonly matches?: boolean
  readonly since?: ConsistencyResult
  readonly outcome?: 'unreadable'
  readonly why?: string
}

/** What one may hold against a bundle, besides itself. */
export interface TrustedInputs {
  /** A key that came another way than the bundle. */
  readonly verifier?: string | undefined
  /** A signed note of former times. */
  readonly older?: string | undefined
}

const checkConsistencySince = async (
  { genesis, entries }: Bundle,
  older: string,
  key: string,
): Promise<ConsistencyResult> => {
  const olderCheckpoint = openCheckpoint(older, key)
  if (olderCheckpoint === undefined) return { outcome: 'unsigned' }
  if (olderCheckpoint.size > entries.length) return { outcome: 'truncated', from: olderCheckpoint.size }
  const before = await verifyChain(genesis, entries.slice(0, olderCheckpoint.size))
  const same = before.outcome === 'intact' && before.root === olderCheckpoint.root
  return { outcome: same ? 'grown' : 'forked', from: olderCheckpoint.size }
}

/** Checks every link of a bundle, the tree over them, the signature, and what a witness has seen before. */
export const verifyBundle = async (value: unknown, trusted: TrustedInputs = {}): Promise<BundleVerdict> => {
  if (!isBundle(value)) return { good: false, outcome: 'unreadable', why: 'this is no lineage bundle' }
  const { verifier, older } = trusted
  // A key that travels with the bundle proves only that nobody changed it on the way without the key.
  const key = verifier ?? asText(value.verifier)
  const chain = await verifyChain(value.genesis, value.entries)
  const checkpoint = openCheckpoint(asText(value.checkpoint), key)
  const matches =
    chain.outcome === 'intact' && checkpoint?.size === chain.size && checkpoint.root === chain.root
  const since = older === undefined ? undefined : await checkConsistencySince(value, older, key)
  return {
    good: matches && (since === undefined || since.outcome === 'grown'),
    chain,
    checkpoint: checkpoint ?? 'not signed by this key',
    key: verifier === undefined ? 'from the bundle' : 'given',
    matches,
    ...(since !== undefined && { since }),
  }
}
