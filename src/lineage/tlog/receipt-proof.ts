import { createHash, verify } from 'node:crypto'
import { jsonOf } from '../../kernel/encoding/json.ts'
import { checkInclusion, leafHashOf, readLeaf } from '../verify.ts'
import { verifyCosignatures } from './cosignature.ts'
import { decodeBase64, ed25519Key, openSignedCheckpoint, parseNoteKey } from './note.ts'
import { readTlogProof } from './tlog-proof.ts'

/**
 * Verifies a receipt and its proof without a log: who signed it, and that a log recorded it. Part of the stand-alone
 * verifier: it uses only what verifies.
 */

const PAYLOAD_TYPE = 'application/vnd.in-toto+json'
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'

interface ReceiptKeys {
  /** The key that must have signed the receipt. */
  readonly key: string
  /** The key that must have signed the checkpoint. Default: the same key. */
  readonly logKey?: string | undefined
  /** Keys of witnesses, each of which must have cosigned the checkpoint. */
  readonly witnesses?: readonly string[] | undefined
}

type JsonRecord = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parseObject = (text: string): JsonRecord | undefined => {
  const value = jsonOf(text)
  return isObject(value) ? value : undefined
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const decodeText = (value: unknown): Buffer | undefined =>
  typeof value === 'string' ? decodeBase64(value) : undefined

/** Whether a value is a DSSE envelope and not another file of a lineage. */
export const isDsseEnvelope = (value: unknown): value is JsonRecord & { signatures: readonly unknown[] } =>
  isObject(value) && typeof value.payloadType === 'string' && Array.isArray(value.signatures)

/** The statement in an envelope that the key signed; otherwise why not. */
const openReceipt = (line: string, keyLine: string): JsonRecord | string => {
  const key = parseNoteKey(keyLine.trim())
  if (key === undefined) return 'the key of the receipt is not a verifier key'
  const envelope = parseObject(line)
  const payload = decodeText(envelope?.payload)
  if (envelope === undefined || !isDsseEnvelope(envelope) || payload === undefined)
    return 'the receipt is not a DSSE envelope'
  if (envelope.payloadType !== PAYLOAD_TYPE) return 'the receipt has another type of payload'
  const signed = Buffer.concat([
    Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `),
    payload,
  ])
  const publicKey = ed25519Key(key.publicKey)
  const signatures = envelope.signatures.map((one) => (isObject(one) ? decodeText(one.sig) : undefined))
  if (!signatures.some((bytes) => bytes !== undefined && verify(null, signed, publicKey, bytes)))
    return 'the receipt has no valid signature of this key'
  const statement = parseObject(payload.toString())
  return statement?._type === STATEMENT_TYPE ? statement : 'the receipt is not an in-toto statement'
}

interface EntryPlace {
  readonly origin: string
  readonly index: number
}

/** The place in a log that the predicate names, in the one member that has a URI as its name. */
const placeIn = ({ predicate }: JsonRecord): Partial<EntryPlace> | undefined => {
  if (!isObject(predicate)) return undefined
  const members = Object.entries(predicate).filter(([name]) => name.startsWith('https://'))
  const places = members.map(([, value]) => (isObject(value) ? value.lineage : undefined))
  return places.find(isObject)
}

/** What an entry records, from the exact texts beside its proof; otherwise why they are not those of the entry. */
const openEntry = (extra: Buffer | undefined, index: number) => {
  const { entry: text, payload } = parseObject(extra?.toString() ?? '') ?? {}
  if (typeof text !== 'string' || typeof payload !== 'string') return 'the proof has no entry and payload'
  const entry = readLeaf(text, index)
  if (entry === undefined) return `the entry beside the proof is not entry ${index} of a log`
  if (sha256(payload) !== entry.payload_hash) return 'the payload does not match the hash in its entry'
  return { entry, leaf: leafHashOf(text), payload: parseObject(payload) ?? {} }
}

/** Verifies the receipt, the proof, and that they belong together. */
export const verifyReceiptProof = (receiptText: string, proofText: string, keys: ReceiptKeys) => {
  const line = receiptText.replace(/\n$/, '')
  const refuse = (why: string) => ({ good: false, outcome: 'invalid', why })
  const statement = openReceipt(line, keys.key)
  if (typeof statement === 'string') return refuse(statement)
  const proof = readTlogProof(proofText)
  if (proof === undefined) return refuse('the proof is not a tlog-proof')
  const opened = openEntry(proof.extra, proof.index)
  if (typeof opened === 'string') return refuse(opened)
  const digest = `sha256:${sha256(line)}`
  const { receipt } = opened.payload
  if (!isObject(receipt) || receipt.digest !== digest)
    return refuse(`entry ${proof.index} does not record this receipt`)
  const checkpoint = openSignedCheckpoint(proof.checkpoint, [(keys.logKey ?? keys.key).trim()])
  if (checkpoint === undefined) return refuse('the checkpoint has no valid signature of the key of the log')
  const { origin, size, root } = checkpoint
  if (!checkInclusion({ index: proof.index, size, root, leaf: opened.leaf, path: proof.path }))
    return refuse('the proof does not lead from the entry to the root of the checkpoint')
  const place = placeIn(statement)
  if (place?.origin !== origin || place.index !== proof.index)
    return refuse('the receipt names another log or another entry')
  const witnesses = (keys.witnesses ?? []).map((key) => key.trim())
  const cosignatures = verifyCosignatures(proof.checkpoint, witnesses) ?? []
  const missing = witnesses.find((key) => !cosignatures.some((one) => one.key === key))
  if (missing !== undefined) return refuse(`the checkpoint has no valid cosignature of ${missing}`)
  return {
    good: true,
    outcome: 'valid',
    digest,
    statement,
    entry: opened.entry,
    checkpoint: { origin, size, root },
    cosignatures,
  }
}
