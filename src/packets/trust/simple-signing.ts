import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { isRecord } from '../../kernel/encoding/json.ts'

/** A trusted public key and its name in results. */
export interface TrustedKey {
  readonly name: string
  readonly key: KeyObject
}

/** A simple-signing payload and its signature, not verified. */
interface SignedClaim {
  readonly payload: Uint8Array
  readonly signature: string
}

const CLAIM_TYPE = 'cosign container image signature'

/** Reads a public key from PEM; undefined for private keys, certificates and unsupported algorithms. */
export const readKey = (pem: string): KeyObject | undefined => {
  if (!pem.includes('-----BEGIN PUBLIC KEY-----') || pem.includes('PRIVATE KEY')) return undefined
  try {
    const key = createPublicKey(pem)
    return ['ec', 'ed25519', 'rsa'].includes(key.asymmetricKeyType ?? '') ? key : undefined
  } catch {
    return undefined
  }
}

/** The digest in a payload. Trust it only after the signature over the same bytes was verified. */
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
 * The names of the keys that signed this digest (cosign simple signing). The payload must name the digest: a
 * valid signature of another packet could be copied.
 */
export const findSigners = (
  claim: SignedClaim,
  digest: Digest,
  keys: readonly TrustedKey[],
): readonly string[] =>
  keys
    .filter(({ key }) => holds(claim, key) && claimedDigest(claim.payload) === digest)
    .map(({ name }) => name)
