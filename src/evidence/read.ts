import { isUtf8 } from 'node:buffer'
import { digestBytes } from '../kernel/encoding/hash.ts'
import { isRecord } from '../kernel/encoding/json.ts'
import { payloadHash } from './document.ts'
import { FORBIDDEN_KEY } from './finding.ts'
import { Evidence } from './schema.ts'
import type { EvidenceReading } from './store.ts'

/** The largest file that is read: far more than any judgement writes, and what one read can bear. */
export const MAX_BYTES = 64 * 1024 * 1024

/** Deeper than any evidence, and far from where recursive code runs out of stack. */
const MAX_DEPTH = 64

type Invalid = Extract<EvidenceReading, { kind: 'invalid' }>

const invalid = (reason: string, more: Omit<Invalid, 'kind' | 'reason'> = {}): Invalid => ({
  kind: 'invalid',
  reason,
  ...more,
})

/** Where a value goes deeper than we follow, or holds a name we do not take; undefined when all is well. */
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

const parse = (bytes: Uint8Array): unknown => {
  if (!isUtf8(bytes)) return undefined
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch {
    return undefined
  }
}

/** What the bytes of a file are worth as evidence. Never throws: whatever they are, there is an answer. */
export const readDocument = (bytes: Uint8Array): EvidenceReading => {
  if (bytes.length > MAX_BYTES) return invalid('too-large')
  const value = parse(bytes)
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
  // The parsed value itself and not the schema's copy: the chain is over the keys in the order of the file.
  const evidence = value as Evidence
  const chain = evidence.evidence_chain
  if (chain !== undefined && chain.payload_hash !== payloadHash(evidence)) {
    return invalid('evidence-chain-invalid', { ...version, at: 'evidence_chain.payload_hash' })
  }
  return { kind: 'valid', evidence, digest: digestBytes(bytes) }
}
