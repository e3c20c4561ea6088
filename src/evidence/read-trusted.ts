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
  Number.isSafeInteger(chain.sequence) &&
  (chain.sequence as number) > 0

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

/**
 * Fast reader for the previous evidence: checks the hash and the parts that the next evidence takes over (ledger, chain,
 * no intent) without loading zod, which would take longer than writing the evidence. Undefined means that the full
 * reader in `read.ts` has to decide.
 */
export const readTrusted = (bytes: Uint8Array): Evidence | undefined => {
  const value = parseDocument(bytes)
  if (!isRecord(value) || value.version !== '2.1' || value.human_intent !== null) return undefined
  const { evidence_chain: chain, ledger } = value
  if (!isChain(chain) || !Array.isArray(ledger) || !ledger.every(isLedgerEntry)) return undefined
  const sealed = value as Evidence
  return payloadHash(sealed) === chain.payload_hash ? sealed : undefined
}
