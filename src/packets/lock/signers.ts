import { digestBytes } from '../../kernel/encoding/hash.ts'
import { matchIdentity } from '../trust/attestation.ts'
import type { PacketPolicy } from '../trust/policy.ts'
import type { TrustedKey } from '../trust/simple-signing.ts'

/** A key by its fingerprint: its name is that of a file, which another machine may call differently. */
const keySigner = ({ key }: TrustedKey): string =>
  `key ${digestBytes(key.export({ type: 'spki', format: 'der' }))}`

/** Identities of the signers that a trust report names, in a form that is the same on every machine. */
export const signerIdentities = ({ keys }: PacketPolicy, signers: readonly string[]): readonly string[] => {
  const found = signers.flatMap((signer) => {
    const own = keys.filter(({ name }) => name === signer)
    return own.length === 0 ? [signer] : own.map(keySigner)
  })
  return [...new Set(found)].sort()
}

/** Whether the policy of this machine can tell that a signer signed. A lock never adds one. */
export const canVerifySigner = ({ keys, identities }: PacketPolicy, signer: string): boolean => {
  if (keys.some((key) => keySigner(key) === signer)) return true
  const [, subject, issuer] = /^(.+) \(([^()]*)\)$/.exec(signer) ?? []
  return subject !== undefined && issuer !== undefined && matchIdentity(identities, subject, issuer)
}
