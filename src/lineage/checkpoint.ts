import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { NOTE_SIGNATURE, noteKeyId, writeNoteKey } from './tlog/note.ts'

/** Checkpoints in C2SP format: origin, size and root as a signed note with an Ed25519 signature. */

const rawPublic = (key: KeyObject): Buffer => {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return Buffer.from(x, 'base64url')
}

export interface Signer {
  readonly name: string
  /** The verifier key: name, key ID and public key in one line. */
  readonly verifier: string
  /** The 32 bytes of the Ed25519 key. */
  readonly publicKey: Buffer
  /** The Ed25519 signature over these bytes. */
  signBytes(bytes: Uint8Array): Buffer
  /** The text as a signed note. */
  sign(text: string): string
}

/** A signer of notes with a key that is held elsewhere. */
export const noteSigner = (
  name: string,
  publicKey: Buffer,
  signBytes: (bytes: Uint8Array) => Buffer,
): Signer => {
  const id = Buffer.from(noteKeyId(name, NOTE_SIGNATURE, publicKey), 'hex')
  return {
    name,
    verifier: writeNoteKey(name, NOTE_SIGNATURE, publicKey),
    publicKey,
    signBytes,
    sign: (text) =>
      `${text}\n\u2014 ${name} ${Buffer.concat([id, signBytes(Buffer.from(text))]).toString('base64')}\n`,
  }
}

/** A signer from a private key in PEM. */
export const createSigner = (name: string, pem: string): Signer => {
  const key = createPrivateKey(pem)
  return noteSigner(name, rawPublic(key), (bytes) => sign(null, bytes, key))
}

/** The signed note for a tree of `size` with `root`. */
export const writeCheckpoint = (signer: Signer, size: number, root: string): string =>
  signer.sign(`${signer.name}\n${size}\n${Buffer.from(root, 'hex').toString('base64')}\n`)
