import { digestBytes } from '../kernel/encoding/hash.ts'
import { isRecord } from '../kernel/encoding/json.ts'
import { parseDocument, payloadHash } from './document.ts'
import { FORBIDDEN_KEY } from './finding.ts'
import { Evidence } from './schema.ts'
import type { EvidenceReading } from './store.ts'

/** Largest file that is read: far more than any gate run writes. */
export const MAX_BYTES = 64 * 1024 * 1024

/** Deeper than any evidence, and far below the depth at which recursion exhausts the stack. */
const MAX_DEPTH = 64

type Invalid = Extract<EvidenceReading, { kind: 'invalid' }>

const invalid = (reason: string, more: Omit<Invalid, 'kind' | 'reason'> = {}): Invalid => ({
  kind: 'invalid',
  reason,
  ...more,
})

/** Path of a value that is nested too deep or of a forbidden key; undefined when there is none. */
const findUnsafePath = (value: unknown, left: number): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  if (left === 0) return ''
  for (const key in value) {
    const member: unknown = (value as Readonly<Record<string, unknown>>)[key]
    const below = key === FORBIDDEN_KEY ? '' : findUnsafePath(member, left - 1)
    if (below !== undefined) return below === '' ? key : `${key}.${below}`
  }
  return undefined
}

const MAX_PATH = 256

/** Parses and validates the bytes of an evidence file. Never throws: invalid input is an answer too. */
export const readDocument = (bytes: Uint8Array): EvidenceReading => {
  if (bytes.length > MAX_BYTES) return invalid('too-large')
  const value = parseDocument(bytes)
  if (!isRecord(value)) return invalid('not-json')
  const version = typeof value.version === 'string' ? { version: value.version } : {}
  if (value.version !== '2.1') return invalid('wrong-version', version)
  const unsafe = findUnsafePath(value, MAX_DEPTH)
  if (unsafe !== undefined) return invalid('schema', { ...version, at: unsafe.slice(0, MAX_PATH) })
  const checked = Evidence.safeParse(value)
  if (!checked.success) {
    const path = (checked.error.issues[0]?.path ?? []).map(String)
    const reason = path[0] === 'evidence_chain' ? 'evidence-chain-invalid' : 'schema'
    return invalid(reason, { ...version, at: path.join('.').slice(0, MAX_PATH) })
  }
  // Not the copy that zod made: the hash depends on the order of the keys in the file.
  const evidence = value as Evidence
  const chain = evidence.evidence_chain
  if (chain !== undefined && chain.payload_hash !== payloadHash(evidence)) {
    return invalid('evidence-chain-invalid', { ...version, at: 'evidence_chain.payload_hash' })
  }
  return { kind: 'valid', evidence, digest: digestBytes(bytes) }
}
