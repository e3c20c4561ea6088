import { isRecord } from '../kernel/encoding/json.ts'
import { optional } from '../kernel/optional.ts'
import { type Checkpoint, openSignedCheckpoint } from './tlog/note.ts'
import { type ChainVerdict, verifyChain } from './verify.ts'

/** Part of the stand-alone verifier: it uses only what verifies. */

interface Bundle {
  readonly genesis: string
  readonly entries: readonly unknown[]
  readonly checkpoint?: unknown
  readonly verifier?: unknown
}

const isBundle = (value: unknown): value is Bundle =>
  isRecord(value) && typeof value.genesis === 'string' && Array.isArray(value.entries)

/** `String(value)` may throw on hostile input: accept strings only. */
const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Whether the log is a continuation of the log that an older checkpoint signed. */
interface ConsistencyResult {
  readonly outcome: 'grown' | 'truncated' | 'forked' | 'unsigned'
  /** Size of the log in the older checkpoint. */
  readonly from?: number
}

interface BundleVerdict {
  readonly good: boolean
  readonly chain?: ChainVerdict
  readonly checkpoint?: Checkpoint | 'not signed by this key'
  readonly key?: 'given' | 'from the bundle'
  readonly matches?: boolean
  readonly since?: ConsistencyResult
  readonly outcome?: 'unreadable'
  readonly why?: string
}

/** Inputs from outside the bundle that the reader trusts. */
interface TrustedInputs {
  /** Public key that was obtained separately from the bundle. */
  readonly verifier?: string | undefined
  /** An older signed checkpoint. */
  readonly older?: string | undefined
}

/** The checkpoint in a note that this key signed, under any name. */
const openCheckpoint = (note: string, key: string): Checkpoint | undefined => {
  const opened = openSignedCheckpoint(note, [key.trim()])
  return opened && { origin: opened.origin, size: opened.size, root: opened.root }
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

/** Verifies the hash chain, the Merkle root, the signature, and the consistency with an older checkpoint. */
export const verifyBundle = async (value: unknown, trusted: TrustedInputs = {}): Promise<BundleVerdict> => {
  if (!isBundle(value)) return { good: false, outcome: 'unreadable', why: 'this is not a lineage bundle' }
  const { verifier, older } = trusted
  // A key from the bundle itself proves only that the bundle was not changed without the private key.
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
    ...optional({ since }),
  }
}
