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

/** Who is asked about which packet, and whose word counts. */
export interface Inquiry {
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

// Types are what a producer declares. Names of tags are not looked at: anybody can call a tag anything.
export const typeOf = ({ artifactType, mediaType }: Descriptor): string => artifactType ?? mediaType

/** Whether a referrer says that it is of this kind. Bundles all have one type, and an annotation for what is inside. */
export const claimsToBe = (kind: ReferrerKind, one: Descriptor): boolean => {
  const predicate = one.annotations[PREDICATE]
  return predicate === undefined ? KINDS[kind].test(typeOf(one)) : attestationKind(predicate) === kind
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
  { registry, signal }: Inquiry,
  place: Reference,
  fits: (layer: Descriptor) => boolean,
): Promise<readonly Descriptor[]> => {
  const found = await orMissing(registry.resolve(place, signal))
  const document = found === undefined ? undefined : readArtifact(found.bytes)
  return document?.kind === 'artifact' ? document.artifact.layers.filter(fits).slice(0, MAX_CLAIMS) : []
}

const fetchLayer = ({ registry, at, signal }: Inquiry, layer: Descriptor): Promise<Uint8Array> =>
  collectBytes(verifyBytes(registry.stream(at, layer, signal), layer))

/** Who signed for a packet by one claim: keys, or the holder of the certificate that came with it. */
const signersOf = async (inquiry: Inquiry, layer: Descriptor): Promise<readonly string[]> => {
  const { anchors, subject, verify } = inquiry
  const payload = await fetchLayer(inquiry, layer)
  const signature = layer.annotations[SIGNATURE] ?? ''
  const byKey = findSigners({ payload, signature }, subject.digest, anchors.keys)
  const bundle = anchors.identities.length === 0 ? undefined : legacyBundle(payload, layer.annotations)
  if (bundle === undefined || claimedDigest(payload) !== subject.digest) return byKey
  // What is signed here is the claim, and the claim speaks of the packet.
  const signed = await verify(bundle, anchors, { digest: subject.digest, manifest: async () => payload })
  return signed === undefined ? byKey : [...byKey, signed.signer]
}

/** Those who signed a packet in the form of claims, and whether there is any claim at all. */
export const readClaims = async (inquiry: Inquiry, referrers: readonly Descriptor[]) => {
  const { at, subject, anchors } = inquiry
  // Where cosign puts signatures on registries that know no referrers; who made them decides what they are worth.
  const places: Reference[] = [
    { ...at, tag: `${subject.digest.replace(':', '-')}.sig` },
    ...referrers
      .filter((one) => claimsToBe('signature', one) && !BUNDLE.test(typeOf(one)))
      .map(({ digest }) => ({ ...at, digest })),
  ]
  const asked = anchors.keys.length + anchors.identities.length > 0
  const signers: string[] = []
  let claims = 0
  for (const place of places) {
    const fits = ({ mediaType, size }: Descriptor) => mediaType === CLAIM && size <= MAX_CLAIM
    const layers = await layersAt(inquiry, place, fits)
    claims += layers.length
    for (const layer of asked ? layers : []) signers.push(...(await signersOf(inquiry, layer)))
  }
  return { claims, signers }
}

/** What trusted signers say of a packet in bundles that refer to it. */
export const readBundles = async (
  inquiry: Inquiry,
  referrers: readonly Descriptor[],
): Promise<readonly Attestation[]> => {
  const { at, anchors, subject, verify } = inquiry
  const found: Attestation[] = []
  if (anchors.keys.length + anchors.identities.length === 0) return found
  for (const { digest } of referrers.filter((one) => BUNDLE.test(typeOf(one))).slice(0, MAX_CLAIMS)) {
    const fits = ({ mediaType, size }: Descriptor) => BUNDLE.test(mediaType) && size <= MAX_BUNDLE
    const [layer] = await layersAt(inquiry, { ...at, digest }, fits)
    const signed =
      layer === undefined ? undefined : await verify(await fetchLayer(inquiry, layer), anchors, subject)
    const said = signed === undefined ? undefined : readAttestation(signed, subject.digest)
    if (said !== undefined) found.push(said)
  }
  return found
}
