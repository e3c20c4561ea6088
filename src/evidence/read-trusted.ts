import { isUtf8 } from 'node:buffer'
import { isRecord } from '../kernel/encoding/json.ts'
import { payloadHash } from './document.ts'
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
 * The evidence in these bytes, when it is as one of us sealed it and the next can follow on it: its hash holds, and
 * what the next one takes over (ledger, chain, no intent) has the right shape. Undefined is no verdict: the whole
 * reader has to say. It spares a commit the loading of the schema, which takes longer than all the rest of writing.
 */
export const readTrusted = (bytes: Uint8Array): Evidence | undefined => {
  if (!isUtf8(bytes)) return undefined
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch {
    return undefined
  }
  if (!isRecord(value) || value.version !== '2.1' || value.human_intent !== null) return undefined
  const { evidence_chain: chain, ledger } = value
  if (!isChain(chain) || !Array.isArray(ledger) || !ledger.every(isLedgerEntry)) return undefined
  const sealed = value as Evidence
  return payloadHash(sealed) === chain.payload_hash ? sealed : undefined
}
