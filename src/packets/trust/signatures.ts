import { createHash } from 'node:crypto'
import { isRecord, jsonOf } from '../../kernel/encoding/json.ts'
import { Fault } from '../../kernel/fault.ts'
import { type Descriptor, readArtifact } from '../format/artifact.ts'
import type { Reference } from '../format/reference.ts'
import type { RegistryReader, RegistryRepository } from '../ports.ts'
import { collectBytes, verifyBytes } from '../verify-stream.ts'
import {
  type Attestation,
  attestationKind,
  readAttestation,
  type Subject,
  type TrustAnchors,
  type VerifyBundle,
} from './attestation.ts'
import { claimedDigest, findSigners } from './simple-signing.ts'
import type { Trust } from './trust.ts'

/** What is needed to verify the signatures of a packet. */
interface TrustLookup {
  readonly registry: RegistryReader
  readonly at: RegistryRepository
  readonly subject: Subject
  readonly anchors: TrustAnchors
  readonly verify: VerifyBundle
  readonly signal: AbortSignal
}

const CLAIM = 'application/vnd.dev.cosign.simplesigning.v1+json'
const SIGNATURE = 'dev.cosignproject.cosign/signature'
const MAX_CLAIMS = 16
const MAX_CLAIM = 64 * 1024
const MAX_BUNDLE = 1024 * 1024
const BUNDLE = /^application\/vnd\.dev\.sigstore\.bundle/
const PREDICATE = 'dev.sigstore.bundle.predicateType'

const KINDS = {
  signature: /cosign|signature|sigstore/i,
  sbom: /spdx|cyclonedx|sbom/i,
  provenance: /provenance|slsa|in-toto/i,
}
type ReferrerKind = keyof typeof KINDS

// Only declared types count. Tag names are ignored, because anyone can choose them.
const referrerType = ({ artifactType, mediaType }: Descriptor): string => artifactType ?? mediaType

/** Whether a referrer declares this kind. Bundles share one type; an annotation has the predicate type. */
const hasReferrerKind = (kind: ReferrerKind, one: Descriptor): boolean => {
  const predicate = one.annotations[PREDICATE]
  return predicate === undefined ? KINDS[kind].test(referrerType(one)) : attestationKind(predicate) === kind
}

const orMissing = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof Fault && cause.kind === 'missing') return undefined
    throw cause
  }
}

const layersAt = async (
  { registry, signal }: TrustLookup,
  place: Reference,
  fits: (layer: Descriptor) => boolean,
): Promise<readonly Descriptor[]> => {
  const found = await orMissing(registry.resolve(place, signal))
  const document = found === undefined ? undefined : readArtifact(found.bytes)
  return document?.kind === 'artifact' ? document.artifact.layers.filter(fits).slice(0, MAX_CLAIMS) : []
}

const fetchLayer = ({ registry, at, signal }: TrustLookup, layer: Descriptor): Promise<Uint8Array> =>
  collectBytes(verifyBytes(registry.stream(at, layer, signal), layer))

/** The trusted signers of one simple-signing layer: keys, or the certificate that came with it. */
const verifyClaim = async (lookup: TrustLookup, layer: Descriptor): Promise<readonly string[]> => {
  const { anchors, subject, verify } = lookup
  const payload = await fetchLayer(lookup, layer)
  const signature = layer.annotations[SIGNATURE] ?? ''
  const byKey = findSigners({ payload, signature }, subject.digest, anchors.keys)
  const bundle = anchors.identities.length === 0 ? undefined : legacyBundle(payload, layer.annotations)
  if (bundle === undefined || claimedDigest(payload) !== subject.digest) return byKey
  // The signature covers the claim, and the claim names the packet.
  const signed = await verify(bundle, anchors, { digest: subject.digest, manifest: async () => payload })
  return signed === undefined ? byKey : [...byKey, signed.signer]
}

/** Reads simple-signing signatures: the trusted signers, and how many claims there are. */
const readClaims = async (lookup: TrustLookup, referrers: readonly Descriptor[]) => {
  const { at, subject, anchors } = lookup
  // The tag that cosign uses on registries without referrers. Only the verified signer counts.
  const references: Reference[] = [
    { ...at, tag: `${subject.digest.replace(':', '-')}.sig` },
    ...referrers
      .filter((one) => hasReferrerKind('signature', one) && !BUNDLE.test(referrerType(one)))
      .map(({ digest }) => ({ ...at, digest })),
  ]
  const verifies = anchors.keys.length + anchors.identities.length > 0
  const signers: string[] = []
  let claims = 0
  for (const place of references) {
    const fits = ({ mediaType, size }: Descriptor) => mediaType === CLAIM && size <= MAX_CLAIM
    const layers = await layersAt(lookup, place, fits)
    claims += layers.length
    for (const layer of verifies ? layers : []) signers.push(...(await verifyClaim(lookup, layer)))
  }
  return { claims, signers }
}

/** Reads and verifies the sigstore bundles that refer to a packet. */
const readBundles = async (
  lookup: TrustLookup,
  referrers: readonly Descriptor[],
): Promise<readonly Attestation[]> => {
  const { at, anchors, subject, verify } = lookup
  const found: Attestation[] = []
  if (anchors.keys.length + anchors.identities.length === 0) return found
  for (const { digest } of referrers.filter((one) => BUNDLE.test(referrerType(one))).slice(0, MAX_CLAIMS)) {
    const fits = ({ mediaType, size }: Descriptor) => BUNDLE.test(mediaType) && size <= MAX_BUNDLE
    const [layer] = await layersAt(lookup, { ...at, digest }, fits)
    const signed =
      layer === undefined ? undefined : await verify(await fetchLayer(lookup, layer), anchors, subject)
    const attestation = signed === undefined ? undefined : readAttestation(signed, subject.digest)
    if (attestation !== undefined) found.push(attestation)
  }
  return found
}

/** A builder and the SLSA level it is trusted with. */
interface Builder {
  readonly id: string
  readonly level: number
}

/** What signatures and provenance are verified against. */
interface TrustRequirements extends TrustAnchors {
  readonly builders: readonly Builder[]
}

const MAX_REFERRERS = 32

/** The highest SLSA level of the packet's builders. */
const highestLevel = (builders: readonly Builder[], built: readonly string[]): number | null => {
  const levels = builders.filter(({ id }) => built.includes(id)).map(({ level }) => level)
  return levels.length === 0 ? null : Math.max(...levels)
}

const score = (signed: boolean, sbom: boolean, provenance: boolean, level: number | null): number => {
  const sum = 0.5 * Number(signed) + 0.2 * Number(sbom) + 0.2 * Number(provenance) + 0.025 * (level ?? 0)
  return Math.round(10_000 * Math.min(sum, 1)) / 10_000
}

/** Fetches the referrers of a packet and verifies their signatures. */
export const gatherTrust = async (
  lookup: Omit<TrustLookup, 'anchors'>,
  requirements: TrustRequirements,
): Promise<Trust> => {
  const { registry, subject, signal } = lookup
  const at = { host: lookup.at.host, repository: lookup.at.repository }
  const full = { ...lookup, at, anchors: requirements }
  const referrers = (await registry.referrers(at, subject.digest, signal)).slice(0, MAX_REFERRERS)
  const { claims: claimCount, signers } = await readClaims(full, referrers)
  const attestations = await readBundles(full, referrers)
  const attestationsOf = (kind: Attestation['kind']) => attestations.filter((one) => one.kind === kind)
  const has = (kind: ReferrerKind) => referrers.some((one) => hasReferrerKind(kind, one))
  const presence = (kind: 'sbom' | 'provenance') =>
    attestationsOf(kind).length > 0 ? 'verified' : has(kind) ? 'present' : 'absent'
  const allSigners = new Set([...signers, ...attestationsOf('signature').map(({ signer }) => signer)])
  const builders = [...new Set(attestationsOf('provenance').flatMap(({ builder }) => builder ?? []))].sort()
  const level = highestLevel(requirements.builders, builders)
  const signed = allSigners.size > 0
  return {
    // The bytes match the digest: nothing else enters the store.
    verified: true,
    checked: true,
    signature: signed ? 'verified' : claimCount > 0 || has('signature') ? 'unverified' : 'absent',
    signers: [...allSigners].sort(),
    sbom: presence('sbom'),
    provenance: presence('provenance'),
    builders,
    slsa_level: level,
    score: score(signed, presence('sbom') !== 'absent', presence('provenance') !== 'absent', level),
    referrers: referrers.map((one) => ({ digest: one.digest, type: referrerType(one) })),
  }
}

const CERTIFICATE = 'dev.sigstore.cosign/certificate'
const LOG = 'dev.sigstore.cosign/bundle'

const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The transparency log entry in the form of a bundle. */
const toLogEntry = (text: string): object | undefined => {
  const value = jsonOf(text)
  const seen = isRecord(value) ? value.Payload : undefined
  if (!isRecord(value) || !isRecord(seen)) return undefined
  const body = textOrEmpty(seen.body)
  const entry = jsonOf(Buffer.from(body, 'base64').toString('utf8'))
  if (!isRecord(entry)) return undefined
  return {
    logIndex: String(seen.logIndex),
    logId: { keyId: Buffer.from(textOrEmpty(seen.logID), 'hex').toString('base64') },
    kindVersion: { kind: textOrEmpty(entry.kind), version: textOrEmpty(entry.apiVersion) },
    integratedTime: String(seen.integratedTime),
    inclusionPromise: { signedEntryTimestamp: textOrEmpty(value.SignedEntryTimestamp) },
    canonicalizedBody: body,
  }
}

const pemToDer = (pem: string): string | undefined =>
  /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/.exec(pem)?.[1]?.replace(/\s/g, '')

/**
 * Converts a keyless signature of older cosign versions, stored in layer annotations, into a sigstore bundle,
 * so that there is one verification path. It verifies nothing; undefined when a part is missing.
 */
const legacyBundle = (
  payload: Uint8Array,
  annotations: Readonly<Record<string, string>>,
): Uint8Array | undefined => {
  const certificate = pemToDer(annotations[CERTIFICATE] ?? '')
  const entry = toLogEntry(annotations[LOG] ?? '')
  if (certificate === undefined || entry === undefined) return undefined
  const digest = createHash('sha256').update(payload).digest('base64')
  return Buffer.from(
    JSON.stringify({
      mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1',
      verificationMaterial: {
        x509CertificateChain: { certificates: [{ rawBytes: certificate }] },
        tlogEntries: [entry],
      },
      messageSignature: {
        messageDigest: { algorithm: 'SHA2_256', digest },
        signature: annotations[SIGNATURE] ?? '',
      },
    }),
  )
}
