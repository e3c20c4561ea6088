import { hash } from 'node:crypto'
import { canonicalJson } from '../kernel/encoding/canonical.ts'
import type { Entry, EntryDraft, Row } from './store.ts'

const sha256 = (text: string): string => hash('sha256', text)

/** Predecessor of the first entry: makes the configuration part of the chain, so that it cannot be replaced. */
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

/** Text that entries with the same context share, in the checksum and in canonical JSON. */
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

// Entries of one commit mostly share timestamp and operation: their common text is made once.
const sharedTextFor = (draft: EntryDraft): SharedText => {
  const { tick, operation, timestamp } = draft
  if (latest.timestamp !== timestamp || latest.operation !== operation || latest.tick !== tick)
    latest = makeSharedText(draft)
  return latest
}

/**
 * Makes an entry from a draft. The salt is part of the payload and not of the entry: without it, a short payload could
 * be guessed from the hash in the public entry.
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
  // Canonical JSON written by hand: many times faster than sorting the members of every entry.
  const entry = `{"checksum":"${checksum}${afterChecksum}${payloadHash}","seq":${seq}${atEnd}`
  return { checksum, row: { seq, entry, payload } }
}
