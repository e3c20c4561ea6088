import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { plainInclusionPath, plainLeaf, plainTreeRoot, sha256 } from './plain-tree.ts'

/** A receipt with its proof, written from the specifications (DSSE, in-toto, C2SP). Shares no code with `src`. */

export interface PlainKey {
  readonly name: string
  readonly privateKey: KeyObject
  readonly publicKey: Buffer
}

export const makePlainKey = (name: string): PlainKey => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  return { name, privateKey, publicKey: Buffer.from(x, 'base64url') }
}

const keyId = ({ name, publicKey }: PlainKey, type: number): Buffer =>
  sha256(`${name}\n`, Buffer.of(type), publicKey).subarray(0, 4)

export const plainVerifier = (key: PlainKey, type = 1): string =>
  `${key.name}+${keyId(key, type).toString('hex')}+${Buffer.concat([Buffer.of(type), key.publicKey]).toString('base64')}`

const noteLine = (key: PlainKey, type: number, signature: Buffer): string =>
  `\u2014 ${key.name} ${Buffer.concat([keyId(key, type), signature]).toString('base64')}\n`

export const plainCheckpoint = (key: PlainKey, origin: string, leaves: readonly Buffer[]): string => {
  const text = `${origin}\n${leaves.length}\n${plainTreeRoot(leaves).toString('base64')}\n`
  return `${text}\n${noteLine(key, 1, sign(null, Buffer.from(text), key.privateKey))}`
}

export const plainCosign = (key: PlainKey, note: string, time: number): string => {
  const text = note.slice(0, note.indexOf('\n\n') + 1)
  const stamp = Buffer.alloc(8)
  stamp.writeBigUInt64BE(BigInt(time))
  const message = Buffer.from(`cosignature/v1\ntime ${time}\n${text}`)
  return `${note}${noteLine(key, 4, Buffer.concat([stamp, sign(null, message, key.privateKey)]))}`
}

const TYPE = 'application/vnd.in-toto+json'

export const plainEnvelope = (key: PlainKey, statement: object): string => {
  const payload = Buffer.from(JSON.stringify(statement))
  const signed = Buffer.concat([Buffer.from(`DSSEv1 ${TYPE.length} ${TYPE} ${payload.length} `), payload])
  const sig = sign(null, signed, key.privateKey).toString('base64')
  const signatures = [{ keyid: key.name, sig }]
  return JSON.stringify({ payload: payload.toString('base64'), payloadType: TYPE, signatures })
}

const hex = (text: string): string => createHash('sha256').update(text).digest('hex')

interface PlainReceipt {
  readonly receipt: string
  readonly proof: string
}

interface ReceiptPlace {
  readonly index: number
  readonly size: number
  readonly origin: string
  /** The place that the receipt names, if it is another one. */
  readonly named?: { readonly origin: string; readonly index: number }
}

/** A receipt that is entry `index` of a log of `size` entries. */
export const makePlainReceipt = (
  keys: { readonly signer: PlainKey; readonly log: PlainKey; readonly witness?: PlainKey },
  { index, size, origin, named = { origin, index } }: ReceiptPlace,
): PlainReceipt => {
  const receipt = plainEnvelope(keys.signer, {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'git+example', digest: { gitTree: 'ab'.repeat(20) } }],
    predicateType: 'https://slsa.dev/verification_summary/v1',
    predicate: {
      verificationResult: 'PASSED',
      'https://warrant.example/receipt/v1': { lineage: named },
    },
  })
  const payload = JSON.stringify({ receipt: { digest: `sha256:${hex(receipt)}` }, salt: 'aa' })
  const entry = JSON.stringify({
    checksum: hex('link'),
    operation: 'gate_run',
    payload_hash: hex(payload),
    seq: index,
    tick: 0,
    timestamp: '2026-01-01T00:00:00.000Z',
  })
  const leaves = Array.from({ length: size }, (_, at) => plainLeaf(at === index ? entry : `entry ${at}`))
  const signed = plainCheckpoint(keys.log, origin, leaves)
  const note = keys.witness === undefined ? signed : plainCosign(keys.witness, signed, 1_800_000_000)
  const extra = Buffer.from(JSON.stringify({ entry, payload })).toString('base64')
  const path = plainInclusionPath(index, leaves).map((hash) => hash.toString('base64'))
  const proof = ['c2sp.org/tlog-proof@v1', `extra ${extra}`, `index ${index}`, ...path, '', note].join('\n')
  return { receipt, proof }
}
