import { hash } from 'node:crypto'
import { canonicalJson } from '../kernel/canonical.ts'
import type { Draft, Entry } from './entry.ts'
import type { Row } from './store.ts'

const sha256 = (text: string): string => hash('sha256', text)

/** What the first entry links to: the configuration is part of the chain, so it cannot be swapped. */
export const genesisLink = (genesis: string): string => sha256(`SCG_GENESIS\n${genesis}`)

type Unsealed = Omit<Entry, 'checksum'>

export const entryChecksum = (entry: Unsealed, previous: string): string =>
  sha256(
    `SCG-LINEAGE-1\n${entry.seq}\n${entry.tick}\n${entry.operation}\n${entry.timestamp}\n${entry.payload_hash}\n${previous}`,
  )

/** Members in the order canonical JSON has them, so that plain `JSON.stringify` writes exactly that. */
export const writeEntry = ({ seq, tick, operation, timestamp, payload_hash, checksum }: Entry): string =>
  JSON.stringify({ checksum, operation, payload_hash, seq, tick, timestamp })

/**
 * Makes an entry of a draft. The salt goes into the payload, not into the entry: without it, whoever has the
 * entry alone could find out a short payload by guessing.
 */
export const sealEntry = (
  draft: Draft,
  seq: number,
  previous: string,
  salt: string,
): { entry: Entry; row: Row } => {
  const payload = canonicalJson({ ...draft.payload, salt })
  const unsealed: Unsealed = {
    seq,
    tick: draft.tick,
    operation: draft.operation,
    timestamp: draft.timestamp,
    payload_hash: sha256(payload),
  }
  const entry: Entry = { ...unsealed, checksum: entryChecksum(unsealed, previous) }
  return { entry, row: { seq, entry: writeEntry(entry), payload } }
}
