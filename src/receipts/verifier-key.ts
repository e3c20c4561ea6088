import { lazyCrypto } from '../kernel/encoding/crypto.ts'
import { ed25519Key, NOTE_SIGNATURE, parseNoteKey, writeNoteKey } from '../lineage/tlog/note.ts'

/** A public key that signs receipts, as one line in the form of C2SP signed notes. */
export interface ReceiptKey {
  readonly name: string
  /** The 32 bytes of the public key, in hexadecimal: keys are compared by it, never by name. */
  readonly id: string
  readonly text: string
}

const makeKey = (name: string, publicKey: Buffer): ReceiptKey => ({
  name,
  id: publicKey.toString('hex'),
  text: writeNoteKey(name, NOTE_SIGNATURE, publicKey),
})

/** The key of a line; undefined when the line is none. */
export const parseReceiptKey = (text: string): ReceiptKey | undefined => {
  const key = /^[^\s+]{1,100}\+/.test(text) ? parseNoteKey(text) : undefined
  return key?.type === NOTE_SIGNATURE ? makeKey(key.name, Buffer.from(key.publicKey)) : undefined
}

/** Signs bytes with a private key. */
export interface ReceiptSigner {
  readonly key: ReceiptKey
  sign(bytes: Uint8Array): Buffer | Promise<Buffer>
}

/** The key with these 32 bytes. Its name is made from them, so that it tells nothing of the machine. */
export const nameKey = (publicKey: Buffer): ReceiptKey =>
  makeKey(`warrant-${publicKey.toString('hex').slice(0, 8)}`, publicKey)

/** A signer from a private key in PEM. */
export const signerFromPem = (pem: string): ReceiptSigner => {
  const crypto = lazyCrypto()
  const key = crypto.createPrivateKey(pem)
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('the key is not an Ed25519 key')
  const { x = '' } = crypto.createPublicKey(key).export({ format: 'jwk' })
  const publicKey = Buffer.from(x, 'base64url')
  return {
    key: nameKey(publicKey),
    sign: (bytes) => crypto.sign(null, bytes, key),
  }
}

/** Whether the key made this signature. */
export const verifySignature = ({ id }: ReceiptKey, bytes: Uint8Array, signature: Uint8Array): boolean =>
  lazyCrypto().verify(null, bytes, ed25519Key(Buffer.from(id, 'hex')), signature)
