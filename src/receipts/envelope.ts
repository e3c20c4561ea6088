import { canonicalJson } from '../kernel/encoding/canonical.ts'
import { digestBytes } from '../kernel/encoding/hash.ts'
import { isRecord, jsonOf } from '../kernel/encoding/json.ts'
import type { ReceiptSigner } from './verifier-key.ts'

/** Envelopes of DSSE 1.0: a payload, its type, and signatures over both. */

const PAYLOAD_TYPE = 'application/vnd.in-toto+json'
/** A receipt names digests, not contents, so that it stays short. */
const MAX_ENVELOPE_BYTES = 256 * 1024

/** What is signed: the length-prefixed type and payload. */
export const signedBytes = (payload: Uint8Array, type = PAYLOAD_TYPE): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload])

/** A signed statement, as one line of canonical JSON. */
export interface SealedReceipt {
  readonly line: string
  readonly digest: string
}

export const sealStatement = async (statement: object, signer: ReceiptSigner): Promise<SealedReceipt> => {
  const payload = Buffer.from(canonicalJson(statement))
  const signature = await signer.sign(signedBytes(payload))
  const line = canonicalJson({
    payload: payload.toString('base64'),
    payloadType: PAYLOAD_TYPE,
    signatures: [{ keyid: signer.key.text, sig: signature.toString('base64') }],
  })
  return { line, digest: digestBytes(line) }
}

interface EnvelopeSignature {
  /** A hint, not trusted: every listed key is tried. */
  readonly keyid: string
  readonly bytes: Buffer
}

interface OpenedEnvelope {
  readonly digest: string
  readonly payload: Buffer
  readonly signatures: readonly EnvelopeSignature[]
}

const decode = (text: unknown): Buffer | undefined => {
  if (typeof text !== 'string') return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

const readSignature = (value: unknown): EnvelopeSignature | undefined => {
  if (!isRecord(value)) return undefined
  const bytes = decode(value.sig)
  return bytes && { keyid: typeof value.keyid === 'string' ? value.keyid : '', bytes }
}

const MAX_SIGNATURES = 8

/** Reads an envelope without checking its signatures; undefined when the text is none. */
export const openEnvelope = (line: string): OpenedEnvelope | undefined => {
  if (line.length > MAX_ENVELOPE_BYTES) return undefined
  const value = jsonOf(line)
  if (!isRecord(value) || value.payloadType !== PAYLOAD_TYPE || !Array.isArray(value.signatures))
    return undefined
  const payload = decode(value.payload)
  const signatures = value.signatures.slice(0, MAX_SIGNATURES).flatMap((one) => readSignature(one) ?? [])
  if (payload === undefined || signatures.length === 0) return undefined
  return { digest: digestBytes(line), payload, signatures }
}
