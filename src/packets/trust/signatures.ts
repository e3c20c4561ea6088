import { Fault } from '../../kernel/fault.ts'
import { type Descriptor, readArtifact } from '../format/artifact.ts'
import type { Reference } from '../format/reference.ts'
import type { RegistryReader, RegistryRepository } from '../registry.ts'
import { collectBytes, verifyBytes } from '../verify-stream.ts'
import {
  type Attestation,
  attestationKind,
  readAttestation,
  type Subject,
  type TrustAnchors,
  type VerifyBundle,
} from './attestation.ts'
import { legacyBundle } from './cosign-legacy.ts'
import { claimedDigest, findSigners } from './simple-signing.ts'

/** What is needed to verify the signatures of a packet. */
export interface TrustLookup {
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
export type ReferrerKind = keyof typeof KINDS

// Only declared types count. Tag names are ignored, because anyone can choose them.
export const referrerType = ({ artifactType, mediaType }: Descriptor): string => artifactType ?? mediaType

/** Whether a referrer declares this kind. Bundles share one type; an annotation has the predicate type. */
export const hasReferrerKind = (kind: ReferrerKind, one: Descriptor): boolean => {
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
export const readClaims = async (lookup: TrustLookup, referrers: readonly Descriptor[]) => {
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
export const readBundles = async (
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
