import type { Digest } from '../../kernel/encoding/digest.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import type { TrustedKey } from './simple-signing.ts'

/** Somebody whose keyless signatures count: what a certificate calls him, and who vouched for that. */
export interface SignerIdentity {
  /** Exact, or with a star at its end. */
  readonly subject: string
  readonly issuer: string
}

/** What signatures are verified against. */
export interface TrustAnchors {
  readonly keys: readonly TrustedKey[]
  readonly identities: readonly SignerIdentity[]
  /** The certificate authorities and logs of a sigstore, as its trusted root lists them. */
  readonly root?: unknown
}

/** A packet that something is said of. */
export interface Subject {
  readonly digest: Digest
  /** The bytes of its manifest, for signatures over those; fetched when one needs them. */
  manifest(): Promise<Uint8Array>
}

/** Bytes of which it is known who signed them. */
export interface Signed {
  readonly signer: string
  /** The statement that was signed; absent when the manifest itself was. */
  readonly statement?: Uint8Array
}

/** Verifies a sigstore bundle, offline. One that does not hold, for whatever reason, is none. */
export type VerifyBundle = (
  bundle: Uint8Array,
  anchors: TrustAnchors,
  subject: Subject,
) => Promise<Signed | undefined>

/** What somebody trusted says of a packet. */
export interface Attestation {
  readonly signer: string
  readonly kind: 'signature' | 'sbom' | 'provenance' | 'other'
  /** Who built it, by its provenance. */
  readonly builder?: string
}

const STATEMENTS = ['https://in-toto.io/Statement/v1', 'https://in-toto.io/Statement/v0.1']
const KINDS: readonly (readonly [RegExp, Attestation['kind']])[] = [
  [/^https:\/\/sigstore\.dev\/cosign\/sign\//, 'signature'],
  [/^https:\/\/slsa\.dev\/provenance\//, 'provenance'],
  [/^https:\/\/(?:spdx\.dev|cyclonedx\.org)\//, 'sbom'],
]

/** The kind of statement that a predicate's type stands for. */
export const attestationKind = (predicateType: unknown): Attestation['kind'] =>
  KINDS.find(([pattern]) => typeof predicateType === 'string' && pattern.test(predicateType))?.[1] ?? 'other'

const speaksOf = (subjects: unknown, digest: Digest): boolean =>
  Array.isArray(subjects) &&
  subjects.some(
    (one) => isRecord(one) && isRecord(one.digest) && `sha256:${String(one.digest.sha256)}` === digest,
  )

/** Version 1 names the builder inside the run, those before it at the top. */
const builderOf = (predicate: unknown): string | undefined => {
  if (!isRecord(predicate)) return undefined
  const run = isRecord(predicate.runDetails) ? predicate.runDetails : predicate
  const id = isRecord(run.builder) ? run.builder.id : undefined
  return typeof id === 'string' && id.length <= 512 ? id : undefined
}

/** What a verified statement says of a packet; undefined when it speaks of another, or of nothing we know. */
export const readAttestation = ({ signer, statement }: Signed, digest: Digest): Attestation | undefined => {
  if (statement === undefined) return { signer, kind: 'signature' }
  try {
    const value: unknown = JSON.parse(Buffer.from(statement).toString('utf8'))
    if (!isRecord(value) || !STATEMENTS.includes(String(value._type))) return undefined
    if (!speaksOf(value.subject, digest)) return undefined
    const kind = attestationKind(value.predicateType)
    const builder = kind === 'provenance' ? builderOf(value.predicate) : undefined
    return { signer, kind, ...(builder !== undefined && { builder }) }
  } catch {
    return undefined
  }
}

/** Whether a certificate's words are those of somebody who counts. */
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
