import { canonicalJson } from './canonical.ts'
import { lazyCrypto } from './crypto.ts'
import type { Digest } from './digest.ts'

export const digestBytes = (bytes: string | Uint8Array): Digest =>
  `sha256:${lazyCrypto().createHash('sha256').update(bytes).digest('hex')}`

/** The digest of a value, whatever order its keys came in. */
export const digestJson = (value: unknown): Digest => digestBytes(canonicalJson(value))
