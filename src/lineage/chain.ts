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

/** Canonical JSON, member by member: many times as fast as sorting them for every entry. */
const writeEntry = ({ seq, tick, operation, timestamp, payload_hash, checksum }: Entry): string =>
  `{"checksum":"${checksum}","operation":${canonicalJson(operation)},"payload_hash":"${payload_hash}","seq":${seq},"tick":${tick},"timestamp":${canonicalJson(timestamp)}}`

/**
 * Makes an entry of a draft. The salt goes into the payload, not into the entry: without it, whoever has the
 * entry alone could find out a short payload by guessing.
 */
export const sealEntry = (
  draft: Draft,
  seq: number,
  previous: string,
  salt: string,
): { checksum: string; row: Row } => {
  const { tick, operation, timestamp } = draft
  const payload = draft.payload(salt)
  const payload_hash = sha256(payload)
  const checksum = entryChecksum({ seq, tick, operation, timestamp, payload_hash }, previous)
  const entry = writeEntry({ seq, tick, operation, timestamp, payload_hash, checksum })
  return { checksum, row: { seq, entry, payload } }
}
