import { isRecord } from '../kernel/encoding/json.ts'
import { parseDocument, payloadHash } from './document.ts'
import type { Evidence } from './schema.ts'

const HASH = /^sha256:[0-9a-f]{64}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const isHash = (value: unknown): boolean => typeof value === 'string' && HASH.test(value)

const isChain = (chain: unknown): chain is { readonly payload_hash: string } =>
  isRecord(chain) &&
  chain.algorithm === 'sha256' &&
  isHash(chain.payload_hash) &&
  (chain.previous_payload_hash === null || isHash(chain.previous_payload_hash)) &&
  typeof chain.sequence === 'number' &&
  Number.isSafeInteger(chain.sequence) &&
  chain.sequence > 0

const isLines = (lines: unknown): boolean =>
  lines === undefined ||
  typeof lines === 'string' ||
  typeof lines === 'number' ||
  (Array.isArray(lines) && lines.every((line) => typeof line === 'number'))

const isLedgerEntry = (entry: unknown): boolean =>
  isRecord(entry) &&
  typeof entry.ruleId === 'string' &&
  typeof entry.file === 'string' &&
  typeof entry.firstSeen === 'string' &&
  TIME.test(entry.firstSeen) &&
  isLines(entry.lines)

const isTrusted = (value: unknown): value is Evidence =>
  isRecord(value) &&
  value.version === '2.1' &&
  value.human_intent === null &&
  isChain(value.evidence_chain) &&
  Array.isArray(value.ledger) &&
  value.ledger.every(isLedgerEntry)

/**
 * Fast reader for the previous evidence: checks the hash and the parts that the next evidence takes over (ledger,
 * chain, no intent) without loading zod, which would take longer than writing the evidence. Undefined means that the
 * full reader in `read.ts` has to decide.
 */
export const readTrusted = (bytes: Uint8Array): Evidence | undefined => {
  const value = parseDocument(bytes)
  return isTrusted(value) && payloadHash(value) === value.evidence_chain?.payload_hash ? value : undefined
}
