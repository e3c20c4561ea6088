import type { Digest } from '../../kernel/encoding/digest.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { Fault } from '../../kernel/fault.ts'
import type { Reference } from '../format/reference.ts'
import type { ResolutionMemory } from '../resolutions.ts'
import type { PullPorts } from '../transfer/pull.ts'
import { matchIdentity } from '../trust/attestation.ts'
import type { PacketPolicy } from '../trust/policy.ts'
import type { TrustedKey } from '../trust/simple-signing.ts'
import type { LockedPacket, Revocation } from './packets-lock.ts'

/** A key by its fingerprint: its name is that of a file, which another machine may call differently. */
const keySigner = ({ key }: TrustedKey): string =>
  `key ${digestBytes(key.export({ type: 'spki', format: 'der' }))}`

/** Identities of the signers that a trust report names, in a form that is the same on every machine. */
const signerIdentities = ({ keys }: PacketPolicy, signers: readonly string[]): readonly string[] => {
  const found = signers.flatMap((signer) => {
    const own = keys.filter(({ name }) => name === signer)
    return own.length === 0 ? [signer] : own.map(keySigner)
  })
  return [...new Set(found)].sort()
}

/** Whether the policy of this machine can tell that a signer signed. A lock never adds one. */
const canVerifySigner = ({ keys, identities }: PacketPolicy, signer: string): boolean => {
  if (keys.some((key) => keySigner(key) === signer)) return true
  const [, subject, issuer] = /^(.+) \(([^()]*)\)$/.exec(signer) ?? []
  return subject !== undefined && issuer !== undefined && matchIdentity(identities, subject, issuer)
}

/** What the commands of a lock need. */
export interface LockPorts extends PullPorts {
  readonly resolutions: ResolutionMemory
  readonly revocation: (digest: Digest) => Promise<Revocation | undefined>
  /** Version and model of a stored packet. */
  readonly describe: (folder: string) => Promise<Pick<LockedPacket, 'version' | 'embedder'>>
}

/** One entry of a lock while a command works on it. */
export interface LockStep {
  readonly reference: string
  readonly ref: Reference
  readonly signal: AbortSignal
  readonly progress?: (done: number, total: number) => void
  /** Whether other signers than those of the lock are accepted. */
  readonly acceptSigner: boolean
}

/** What became of one entry. A state other than the first four is a problem. */
export interface LockRow {
  readonly reference: string
  readonly digest: Digest
  readonly version: string
  readonly state:
    | 'locked'
    | 'unchanged'
    | 'removed'
    | 'pulled'
    | 'present'
    | 'moved'
    | 'missing'
    | 'signer_changed'
    | 'revoked'
    | 'mismatch'
  /** What a reader should know beyond the state. */
  readonly detail?: string
  /** What the tag names now, or named before. */
  readonly other?: { readonly digest: Digest; readonly version: string }
  readonly warnings?: readonly string[]
}

const GOOD: readonly LockRow['state'][] = ['locked', 'unchanged', 'removed', 'pulled', 'present']

export const isProblem = ({ state }: LockRow): boolean => !GOOD.includes(state)

/** The verified signers of a packet; empty where the policy names no key and no identity. */
export const readSigners = async (
  { guard }: Pick<LockPorts, 'guard'>,
  ref: Reference,
  digest: Digest,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const policy = await guard.policy()
  if (policy.keys.length + policy.identities.length === 0) return []
  const { trust } = await guard.checkTrust({ ref, digest, wanted: true, signal })
  return signerIdentities(policy, trust.signers)
}

interface SignerCheck {
  /** Signers of the lock that this machine could verify, and that no longer sign. */
  readonly lost: readonly string[]
  readonly warnings: readonly string[]
  /** Those of the lock, without the lost ones. */
  readonly signers: readonly string[]
}

/** Whether the signers that the lock names still sign the same packet. */
export const checkSigners = async (
  ports: LockPorts,
  { ref, signal }: LockStep,
  { digest, signers }: LockedPacket,
): Promise<SignerCheck> => {
  const policy = await ports.guard.policy()
  const known = signers.filter((signer) => canVerifySigner(policy, signer))
  const unknown = signers.filter((signer) => !known.includes(signer))
  const warnings = unknown.map(
    (signer) => `not verified here: policy.yml does not name the signer ${signer}, which the lock does`,
  )
  if (known.length === 0) return { lost: [], warnings, signers }
  const now = await readSigners(ports, ref, digest, signal).catch(async (thrown: unknown) => {
    const offline = thrown instanceof Fault && thrown.kind === 'unavailable'
    if (!offline || (await ports.store.find(digest)) === undefined) throw thrown
    return thrown
  })
  if (now instanceof Fault)
    return { lost: [], signers, warnings: [...warnings, `the signer was not verified: ${now.message}`] }
  const lost = known.filter((signer) => !now.includes(signer))
  return { lost, warnings, signers: signers.filter((one) => !lost.includes(one)) }
}
