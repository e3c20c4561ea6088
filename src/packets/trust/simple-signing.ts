import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { isRecord } from '../../kernel/encoding/json.ts'

/** A key whose signatures count, and what to call it. */
export interface TrustedKey {
  readonly name: string
  readonly key: KeyObject
}

/** A claim about a digest, and what is said to be its signature. */
export interface SignedClaim {
  readonly payload: Uint8Array
  readonly signature: string
}

const CLAIM_TYPE = 'cosign container image signature'

/** A public key from its PEM, or undefined: a private key, a certificate or a weak kind is none. */
export const readKey = (pem: string): KeyObject | undefined => {
  if (!pem.includes('-----BEGIN PUBLIC KEY-----') || pem.includes('PRIVATE KEY')) return undefined
  try {
    const key = createPublicKey(pem)
    return ['ec', 'ed25519', 'rsa'].includes(key.asymmetricKeyType ?? '') ? key : undefined
  } catch {
    return undefined
  }
}

/** What a claim says it is about. The bytes were signed as they are, so they are read only after that held. */
export const claimedDigest = (payload: Uint8Array): unknown => {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload).toString('utf8'))
    const critical = isRecord(value) ? value.critical : undefined
    if (!isRecord(critical) || critical.type !== CLAIM_TYPE || !isRecord(critical.image)) return undefined
    return critical.image['docker-manifest-digest']
  } catch {
    return undefined
  }
}

const holds = ({ payload, signature }: SignedClaim, key: KeyObject): boolean => {
  try {
    const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    return verify(algorithm, payload, key, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}

/**
 * The names of the keys that signed for this digest, in the form cosign calls simple signing. A good signature
 * over another digest is worth nothing: anyone can copy one from elsewhere.
 */
export const findSigners = (
  claim: SignedClaim,
  digest: Digest,
  keys: readonly TrustedKey[],
): readonly string[] =>
  keys
    .filter(({ key }) => holds(claim, key) && claimedDigest(claim.payload) === digest)
    .map(({ name }) => name)
