import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { NOTE_SIGNATURE, noteKeyId, writeNoteKey } from './tlog/note.ts'

/** Checkpoints in C2SP format: origin, size and root as a signed note with an Ed25519 signature. */

const rawPublic = (key: KeyObject): Buffer => {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return Buffer.from(x, 'base64url')
}

/** Signs checkpoints of one log. Its key may be held elsewhere, such as by an ssh-agent. */
export interface CheckpointSigner {
  /** The origin of the log. */
  readonly name: string
  /** The verifier key: name, key ID and public key in one line. */
  readonly verifier: string
  /** The signed note for a tree of `size` with `root`. */
  checkpoint(size: number, root: string): string | Promise<string>
}

interface Signer extends CheckpointSigner {
  checkpoint(size: number, root: string): string
  /** The 32 bytes of the Ed25519 key. */
  readonly publicKey: Buffer
  /** The Ed25519 signature over these bytes. */
  signBytes(bytes: Uint8Array): Buffer
  /** The text as a signed note. */
  sign(text: string): string
}

/** A signer of notes with a key that is held elsewhere. */
const noteSigner = (name: string, publicKey: Buffer, signBytes: (bytes: Uint8Array) => Buffer): Signer => {
  const id = Buffer.from(noteKeyId(name, NOTE_SIGNATURE, publicKey), 'hex')
  const sign = (text: string) =>
    `${text}\n\u2014 ${name} ${Buffer.concat([id, signBytes(Buffer.from(text))]).toString('base64')}\n`
  return {
    name,
    verifier: writeNoteKey(name, NOTE_SIGNATURE, publicKey),
    publicKey,
    signBytes,
    sign,
    checkpoint: (size, root) => sign(`${name}\n${size}\n${Buffer.from(root, 'hex').toString('base64')}\n`),
  }
}

/** A signer from a private key in PEM. */
export const createSigner = (name: string, pem: string): Signer => {
  const key = createPrivateKey(pem)
  return noteSigner(name, rawPublic(key), (bytes) => sign(null, bytes, key))
}

/** The signed note for a tree of `size` with `root`. */
export const writeCheckpoint = (signer: Signer, size: number, root: string): string =>
  signer.checkpoint(size, root)

/** An Ed25519 key that may answer later. */
interface NoteKey {
  readonly publicKey: Buffer
  sign(bytes: Uint8Array): Buffer | Promise<Buffer>
}

const SIGNATURE_BYTES = 64

/** Makes a note with such a key: `make` runs a second time, with the signature over what it signed the first time. */
export const signNote = async (
  { publicKey, sign: signLater }: NoteKey,
  name: string,
  make: (signer: Signer) => string,
): Promise<string> => {
  let message: Uint8Array = Buffer.alloc(0)
  make(
    noteSigner(name, publicKey, (bytes) => {
      message = bytes
      return Buffer.alloc(SIGNATURE_BYTES)
    }),
  )
  const signature = await signLater(message)
  return make(noteSigner(name, publicKey, () => signature))
}

/** Signs the checkpoints of a log with such a key. */
export const checkpointSigner = (origin: string, key: NoteKey): CheckpointSigner => ({
  name: origin,
  verifier: writeNoteKey(origin, NOTE_SIGNATURE, key.publicKey),
  checkpoint: (size, root) => signNote(key, origin, (by) => by.checkpoint(size, root)),
})
