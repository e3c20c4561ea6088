import { hash } from 'node:crypto'
import { canonicalJson } from '../kernel/encoding/canonical.ts'
import type { Entry, EntryDraft } from './entry.ts'
import type { Row } from './store.ts'

const sha256 = (text: string): string => hash('sha256', text)

/** What the first entry links to: the configuration is part of the chain, so it cannot be swapped. */
export const genesisChecksum = (genesis: string): string => sha256(`SCG_GENESIS\n${genesis}`)

const DOMAIN = 'SCG-LINEAGE-1\n'

type UnsealedEntry = Omit<Entry, 'checksum'>

type EntryContext = Pick<Entry, 'tick' | 'operation' | 'timestamp'>

const contextText = ({ tick, operation, timestamp }: EntryContext): string =>
  `\n${tick}\n${operation}\n${timestamp}\n`

const chainChecksum = (seq: number, context: string, payloadHash: string, previous: string): string =>
  sha256(`${DOMAIN}${seq}${context}${payloadHash}\n${previous}`)

export const entryChecksum = (entry: UnsealedEntry, previous: string): string =>
  chainChecksum(entry.seq, contextText(entry), entry.payload_hash, previous)

/** What entries of one occasion have in common, as the checksum and as canonical JSON have it. */
interface SharedText extends EntryContext {
  readonly inChecksum: string
  readonly afterChecksum: string
  readonly atEnd: string
}

const makeSharedText = ({ tick, operation, timestamp }: EntryContext): SharedText => ({
  tick,
  operation,
  timestamp,
  inChecksum: contextText({ tick, operation, timestamp }),
  afterChecksum: `","operation":${canonicalJson(operation)},"payload_hash":"`,
  atEnd: `,"tick":${tick},"timestamp":${canonicalJson(timestamp)}}`,
})

let latest = makeSharedText({ tick: 0, operation: '', timestamp: '' })

// Entries of one commit mostly share a millisecond and a kind: the text between their hashes is written once.
const sharedTextFor = (draft: EntryDraft): SharedText => {
  const { tick, operation, timestamp } = draft
  if (latest.timestamp !== timestamp || latest.operation !== operation || latest.tick !== tick)
    latest = makeSharedText(draft)
  return latest
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
  const { inChecksum, afterChecksum, atEnd } = sharedTextFor(draft)
  const payload = draft.payload(salt)
  const payloadHash = sha256(payload)
  const checksum = chainChecksum(seq, inChecksum, payloadHash, previous)
  // Canonical JSON, member by member: many times as fast as sorting them for every entry.
  const entry = `{"checksum":"${checksum}${afterChecksum}${payloadHash}","seq":${seq}${atEnd}`
  return { checksum, row: { seq, entry, payload } }
}
