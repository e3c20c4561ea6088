import { verify } from 'node:crypto'
import {
  COSIGNATURE,
  ed25519Key,
  noteKeyId,
  parseNote,
  parseNoteKey,
  signaturesBy,
  writeNoteKey,
} from './note.ts'

/** Cosignatures of checkpoints as C2SP defines them (tlog-cosignature, Ed25519). Imports only `note.ts`. */

const TIME_BYTES = 8
const SIGNATURE_BYTES = 64

/** The part of a signer that a cosignature needs. */
interface Cosigner {
  readonly name: string
  readonly publicKey: Uint8Array
  signBytes(bytes: Uint8Array): Buffer
}

const cosignedMessage = (time: bigint, text: string): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${time}\n${text}`)

/** The verifier key of a cosigner. Its type differs from the one of the same key as a log. */
export const cosignerKey = ({ name, publicKey }: Cosigner): string =>
  writeNoteKey(name, COSIGNATURE, publicKey)

/**
 * Adds a cosignature to a checkpoint: the cosigner has seen no larger tree of this log at this time, in seconds. An
 * older one by the same cosigner is replaced. A malformed note is a programming error: verify it first.
 */
export const cosignCheckpoint = (cosigner: Cosigner, note: string, seconds: number): string => {
  const parsed = parseNote(note)
  if (parsed === undefined) throw new TypeError('a note that cannot be read is not cosigned')
  const { name, publicKey } = cosigner
  const id = noteKeyId(name, COSIGNATURE, publicKey)
  const time = BigInt(Math.floor(seconds))
  const timeBytes = Buffer.alloc(TIME_BYTES)
  timeBytes.writeBigUInt64BE(time)
  const signature = cosigner.signBytes(cosignedMessage(time, parsed.text))
  const line = Buffer.concat([Buffer.from(id, 'hex'), timeBytes, signature]).toString('base64')
  const others = note
    .slice(parsed.text.length + 1, -1)
    .split('\n')
    .filter((_, at) => parsed.signatures[at]?.name !== name || parsed.signatures[at]?.id !== id)
  return `${parsed.text}\n${[...others, `\u2014 ${name} ${line}`].join('\n')}\n`
}

interface Cosignature {
  /** The verifier key, of those given. */
  readonly key: string
  /** The name in the signature line, which the cosignature does not cover. */
  readonly name: string
  /** When it was made, in seconds since 1970. */
  readonly time: number
}

/**
 * The valid cosignatures of the given keys, matched by the bytes of the public key under any name. Undefined when the
 * note is malformed and when a cosignature of one of the keys is wrong.
 */
export const verifyCosignatures = (
  text: string,
  keys: readonly string[],
): readonly Cosignature[] | undefined => {
  const note = parseNote(text)
  if (note === undefined) return undefined
  const found: Cosignature[] = []
  for (const line of keys) {
    const key = parseNoteKey(line)
    if (key === undefined) continue
    for (const { name, signature } of signaturesBy(note, COSIGNATURE, key.publicKey)) {
      if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined
      const time = signature.readBigUInt64BE()
      const seconds = Number(time)
      const message = cosignedMessage(time, note.text)
      const signed = signature.subarray(TIME_BYTES)
      if (!Number.isSafeInteger(seconds) || !verify(null, message, ed25519Key(key.publicKey), signed))
        return undefined
      found.push({ key: line, name, time: seconds })
    }
  }
  return found
}
