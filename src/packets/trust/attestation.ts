import type { Digest } from '../../kernel/encoding/digest.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { optional } from '../../kernel/optional.ts'
import type { TrustedKey } from './simple-signing.ts'

/** A trusted identity of keyless signatures: subject of the certificate and its OIDC issuer. */
interface SignerIdentity {
  /** Exact, or a prefix with `*` at the end. */
  readonly subject: string
  readonly issuer: string
}

export interface TrustAnchors {
  readonly keys: readonly TrustedKey[]
  readonly identities: readonly SignerIdentity[]
  /** The trusted root of a sigstore: its certificate authorities and logs. */
  readonly root?: unknown
}

/** The packet that signatures and attestations are about. */
export interface Subject {
  readonly digest: Digest
  /** The bytes of its manifest, fetched only for signatures over them. */
  manifest(): Promise<Uint8Array>
}

/** A verified bundle. */
export interface Signed {
  readonly signer: string
  /** The signed in-toto statement; absent when the manifest itself was signed. */
  readonly statement?: Uint8Array
}

/** Verifies a sigstore bundle offline; undefined when it is invalid for any reason. */
export type VerifyBundle = (
  bundle: Uint8Array,
  anchors: TrustAnchors,
  subject: Subject,
) => Promise<Signed | undefined>

/** A verified statement of a trusted signer about a packet. */
export interface Attestation {
  readonly signer: string
  readonly kind: 'signature' | 'sbom' | 'provenance' | 'other'
  /** The builder id in its provenance. */
  readonly builder?: string
}

const STATEMENTS = ['https://in-toto.io/Statement/v1', 'https://in-toto.io/Statement/v0.1']
const KINDS: readonly (readonly [RegExp, Attestation['kind']])[] = [
  [/^https:\/\/sigstore\.dev\/cosign\/sign\//, 'signature'],
  [/^https:\/\/slsa\.dev\/provenance\//, 'provenance'],
  [/^https:\/\/(?:spdx\.dev|cyclonedx\.org)\//, 'sbom'],
]

/** The kind of a predicate type. */
export const attestationKind = (predicateType: unknown): Attestation['kind'] =>
  KINDS.find(([pattern]) => typeof predicateType === 'string' && pattern.test(predicateType))?.[1] ?? 'other'

const hasSubject = (subjects: unknown, digest: Digest): boolean =>
  Array.isArray(subjects) &&
  subjects.some(
    (one) => isRecord(one) && isRecord(one.digest) && `sha256:${String(one.digest.sha256)}` === digest,
  )

/** SLSA 1.0 has the builder in `runDetails`, earlier versions at the top. */
const builderOf = (predicate: unknown): string | undefined => {
  if (!isRecord(predicate)) return undefined
  const run = isRecord(predicate.runDetails) ? predicate.runDetails : predicate
  const id = isRecord(run.builder) ? run.builder.id : undefined
  return typeof id === 'string' && id.length <= 512 ? id : undefined
}

/** Reads a verified statement; undefined when its subject is another packet, or its type unknown. */
export const readAttestation = ({ signer, statement }: Signed, digest: Digest): Attestation | undefined => {
  if (statement === undefined) return { signer, kind: 'signature' }
  try {
    const value: unknown = JSON.parse(Buffer.from(statement).toString('utf8'))
    if (!isRecord(value) || !STATEMENTS.includes(String(value._type))) return undefined
    if (!hasSubject(value.subject, digest)) return undefined
    const kind = attestationKind(value.predicateType)
    const builder = kind === 'provenance' ? builderOf(value.predicate) : undefined
    return { signer, kind, ...optional({ builder }) }
  } catch {
    return undefined
  }
}

/** Whether the certificate is of a trusted identity. */
export const matchIdentity = (
  identities: readonly SignerIdentity[],
  subject: string,
  issuer: string,
): boolean =>
  identities.some(
    (one) =>
      one.issuer === issuer &&
      (one.subject.endsWith('*') ? subject.startsWith(one.subject.slice(0, -1)) : subject === one.subject),
  )
