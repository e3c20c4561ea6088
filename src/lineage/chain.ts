import { hash } from 'node:crypto'
import { canonicalJson } from '../kernel/encoding/canonical.ts'
import type { Entry, EntryDraft } from './entry.ts'
import type { Row } from './store.ts'

const sha256 = (text: string): string => hash('sha256', text)

/** What the first entry links to: the configuration is part of the chain, so it cannot be swapped. */
export const genesisLink = (genesis: string): string => sha256(`SCG_GENESIS\n${genesis}`)

const DOMAIN = 'SCG-LINEAGE-1\n'

type Unsealed = Omit<Entry, 'checksum'>

type Occasion = Pick<Entry, 'tick' | 'operation' | 'timestamp'>

const occasionText = ({ tick, operation, timestamp }: Occasion): string =>
  `\n${tick}\n${operation}\n${timestamp}\n`

const checksumOf = (seq: number, occasion: string, payloadHash: string, previous: string): string =>
  sha256(`${DOMAIN}${seq}${occasion}${payloadHash}\n${previous}`)

export const entryChecksum = (entry: Unsealed, previous: string): string =>
  checksumOf(entry.seq, occasionText(entry), entry.payload_hash, previous)

/** What entries of one occasion have in common, as the checksum and as canonical JSON have it. */
interface Common extends Occasion {
  readonly inChecksum: string
  readonly afterChecksum: string
  readonly atEnd: string
}

const commonOf = ({ tick, operation, timestamp }: Occasion): Common => ({
  tick,
  operation,
  timestamp,
  inChecksum: occasionText({ tick, operation, timestamp }),
  afterChecksum: `","operation":${canonicalJson(operation)},"payload_hash":"`,
  atEnd: `,"tick":${tick},"timestamp":${canonicalJson(timestamp)}}`,
})

let lately = commonOf({ tick: 0, operation: '', timestamp: '' })

// Entries of one commit mostly share a millisecond and a kind: the text between their hashes is written once.
const commonTo = (draft: EntryDraft): Common => {
  const { tick, operation, timestamp } = draft
  if (lately.timestamp !== timestamp || lately.operation !== operation || lately.tick !== tick)
    lately = commonOf(draft)
  return lately
}

/**
 * Makes an entry of a draft. The salt goes into the payload, not into the entry: without it, whoever has the
 * entry alone could find out a short payload by guessing.
 */
export const sealEntry = (
  draft: EntryDraft,
  seq: number,
  previous: string,
  salt: string,
): { checksum: string; row: Row } => {
  const { inChecksum, afterChecksum, atEnd } = commonTo(draft)
  const payload = draft.payload(salt)
  const payloadHash = sha256(payload)
  const checksum = checksumOf(seq, inChecksum, payloadHash, previous)
  // Canonical JSON, member by member: many times as fast as sorting them for every entry.
  const entry = `{"checksum":"${checksum}${afterChecksum}${payloadHash}","seq":${seq}${atEnd}`
  return { checksum, row: { seq, entry, payload } }
}
