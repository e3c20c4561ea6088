import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'

/** Checkpoints in C2SP format: origin, size and root as a signed note with an Ed25519 signature. */

const ED25519 = 1

const rawPublic = (key: KeyObject): Buffer => {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return Buffer.from(x, 'base64url')
}

const keyHash = (name: string, key: Buffer): Buffer =>
  createHash('sha256')
    .update(`${name}\n`)
    .update(Buffer.from([ED25519]))
    .update(key)
    .digest()
    .subarray(0, 4)

interface Signer {
  readonly name: string
  /** The verifier key: name, key hash and public key in one line. */
  readonly verifier: string
  sign(text: string): string
}

/** A signer from a private key in PEM. */
export const createSigner = (name: string, pem: string): Signer => {
  const key = createPrivateKey(pem)
  const publicKey = rawPublic(key)
  const hash = keyHash(name, publicKey)
  return {
    name,
    verifier: `${name}+${hash.toString('hex')}+${Buffer.concat([Buffer.from([ED25519]), publicKey]).toString('base64')}`,
    sign: (text) => {
      const signature = sign(null, Buffer.from(text), key)
      return `${text}\n\u2014 ${name} ${Buffer.concat([hash, signature]).toString('base64')}\n`
    },
  }
}

/** The signed note for a tree of `size` with `root`. */
export const writeCheckpoint = (signer: Signer, size: number, root: string): string =>
  signer.sign(`${signer.name}\n${size}\n${Buffer.from(root, 'hex').toString('base64')}\n`)
