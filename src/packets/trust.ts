import * as z from 'zod'
import type { Digest } from '../kernel/digest.ts'
import { Fault } from '../kernel/fault.ts'
import { type Descriptor, readArtifact } from './artifact.ts'
import {
  type Anchors,
  type Attestation,
  kindOf,
  readAttestation,
  type Subject,
  type VerifyBundle,
} from './attest.ts'
import type { Reference } from './format/reference.ts'
import type { RegistryReader, Repository } from './registry.ts'
import { findSigners, type TrustedKey } from './simple-signing.ts'
import { collectBytes, verifyBytes } from './verify.ts'

const Presence = z.enum(['verified', 'present', 'absent', 'unchecked'])

/**
 * What is known of who stands behind a packet. `present` means that something of that kind refers to it, not
 * that anybody verified it; only `verified` says that.
 */
export const Trust = z.object({
  verified: z.literal(true).describe('The bytes are those of the digest.'),
  checked: z.boolean().describe('Whether the registry was asked for the rest.'),
  signature: z.enum(['verified', 'unverified', 'absent', 'unchecked']),
  signers: z.array(z.string()).readonly().describe('Keys and identities of the policy that signed it.'),
  sbom: Presence,
  provenance: Presence,
  builders: z.array(z.string()).readonly().describe('Who built it, by verified provenance.'),
  slsa_level: z
    .number()
    .nullable()
    .describe('What the policy makes of the builder; null when it is unknown.'),
  score: z.number(),
  referrers: z.array(z.object({ digest: z.string(), type: z.string() })).readonly(),
})
export type Trust = Readonly<z.infer<typeof Trust>>

export const UNCHECKED: Trust = {
  verified: true,
  checked: false,
  signature: 'unchecked',
  signers: [],
  sbom: 'unchecked',
  provenance: 'unchecked',
  builders: [],
  slsa_level: null,
  score: 0,
  referrers: [],
}

/** A builder, and the level of SLSA it is trusted to reach. */
export interface Builder {
  readonly id: string
  readonly level: number
}

/** What the trust in a packet is measured by. */
export interface Yardstick extends Anchors {
  readonly builders: readonly Builder[]
}

const CLAIM = 'application/vnd.dev.cosign.simplesigning.v1+json'
const SIGNATURE = 'dev.cosignproject.cosign/signature'
const MAX_REFERRERS = 32
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

// Types are what a producer declares. Names of tags are not looked at: anybody can call a tag anything.
const typeOf = ({ artifactType, mediaType }: Descriptor): string => artifactType ?? mediaType

/** Whether a referrer says that it is of this kind. Bundles all have one type, and an annotation for what is inside. */
const claimsToBe = (kind: keyof typeof KINDS, one: Descriptor): boolean => {
  const predicate = one.annotations[PREDICATE]
  return predicate === undefined ? KINDS[kind].test(typeOf(one)) : kindOf(predicate) === kind
}

const orMissing = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof Fault && cause.kind === 'missing') return undefined
    throw cause
  }
}

/** The keys that signed for a digest by a manifest of claims, and whether it holds any claim at all. */
const readClaims = async (
  registry: RegistryReader,
  at: Repository,
  place: Reference,
  digest: Digest,
  keys: readonly TrustedKey[],
  signal: AbortSignal,
): Promise<{ readonly claims: number; readonly signers: readonly string[] }> => {
  const found = await orMissing(registry.resolve(place, signal))
  const document = found === undefined ? undefined : readArtifact(found.bytes)
  if (document?.kind !== 'artifact') return { claims: 0, signers: [] }
  const layers = document.artifact.layers
    .filter(({ mediaType, size }) => mediaType === CLAIM && size <= MAX_CLAIM)
    .slice(0, MAX_CLAIMS)
  const signers: string[] = []
  for (const layer of keys.length === 0 ? [] : layers) {
    const payload = await collectBytes(verifyBytes(registry.stream(at, layer, signal), layer))
    signers.push(...findSigners({ payload, signature: layer.annotations[SIGNATURE] ?? '' }, digest, keys))
  }
  return { claims: layers.length, signers }
}

/** What trusted signers say of a packet in bundles that refer to it. */
const readBundles = async (
  registry: RegistryReader,
  at: Repository,
  referrers: readonly Descriptor[],
  subject: Subject,
  { anchors, verify }: { readonly anchors: Anchors; readonly verify: VerifyBundle },
  signal: AbortSignal,
): Promise<readonly Attestation[]> => {
  const found: Attestation[] = []
  if (anchors.keys.length + anchors.identities.length === 0) return found
  for (const { digest } of referrers.filter((one) => BUNDLE.test(typeOf(one))).slice(0, MAX_CLAIMS)) {
    const manifest = await orMissing(registry.resolve({ ...at, digest }, signal))
    const document = manifest === undefined ? undefined : readArtifact(manifest.bytes)
    const layer =
      document?.kind === 'artifact'
        ? document.artifact.layers.find(({ mediaType, size }) => BUNDLE.test(mediaType) && size <= MAX_BUNDLE)
        : undefined
    if (layer === undefined) continue
    const bytes = await collectBytes(verifyBytes(registry.stream(at, layer, signal), layer))
    const signed = await verify(bytes, anchors, subject)
    const said = signed === undefined ? undefined : readAttestation(signed, subject.digest)
    if (said !== undefined) found.push(said)
  }
  return found
}

/** The highest level that a builder is trusted with who built this packet. */
const levelOf = (builders: readonly Builder[], built: readonly string[]): number | null => {
  const levels = builders.filter(({ id }) => built.includes(id)).map(({ level }) => level)
  return levels.length === 0 ? null : Math.max(...levels)
}

const score = (signed: boolean, sbom: boolean, provenance: boolean, level: number | null): number => {
  const sum = 0.5 * Number(signed) + 0.2 * Number(sbom) + 0.2 * Number(provenance) + 0.025 * (level ?? 0)
  return Math.round(10_000 * Math.min(sum, 1)) / 10_000
}

/** The keys that signed a packet in the form of claims, and whether there is any claim at all. */
const gatherClaims = async (
  registry: RegistryReader,
  at: Repository,
  digest: Digest,
  referrers: readonly Descriptor[],
  keys: readonly TrustedKey[],
  signal: AbortSignal,
) => {
  const { host, repository } = at
  // Where cosign puts signatures on registries that know no referrers; only the key decides what they are worth.
  const places: Reference[] = [
    { host, repository, tag: `${digest.replace(':', '-')}.sig` },
    ...referrers
      .filter((one) => claimsToBe('signature', one) && !BUNDLE.test(typeOf(one)))
      .map((one) => ({ host, repository, digest: one.digest })),
  ]
  let claims = 0
  const signers: string[] = []
  for (const place of places) {
    const read = await readClaims(registry, at, place, digest, keys, signal)
    claims += read.claims
    signers.push(...read.signers)
  }
  return { claims, signers }
}

/** Asks the registry what refers to a packet, and verifies what is signed against what is trusted. */
export const gatherTrust = async (
  registry: RegistryReader,
  at: Repository,
  subject: Subject,
  yardstick: Yardstick,
  verify: VerifyBundle,
  signal: AbortSignal,
): Promise<Trust> => {
  const place = { host: at.host, repository: at.repository }
  const referrers = (await registry.referrers(place, subject.digest, signal)).slice(0, MAX_REFERRERS)
  const { claims, signers } = await gatherClaims(
    registry,
    place,
    subject.digest,
    referrers,
    yardstick.keys,
    signal,
  )
  const said = await readBundles(registry, place, referrers, subject, { anchors: yardstick, verify }, signal)
  const verified = (kind: Attestation['kind']) => said.filter((one) => one.kind === kind)
  const has = (kind: keyof typeof KINDS) => referrers.some((one) => claimsToBe(kind, one))
  const presence = (kind: 'sbom' | 'provenance') =>
    verified(kind).length > 0 ? 'verified' : has(kind) ? 'present' : 'absent'
  const all = new Set([...signers, ...verified('signature').map(({ signer }) => signer)])
  const builders = [...new Set(verified('provenance').flatMap(({ builder }) => builder ?? []))].sort()
  const level = levelOf(yardstick.builders, builders)
  const signed = all.size > 0
  return {
    verified: true,
    checked: true,
    signature: signed ? 'verified' : claims > 0 || has('signature') ? 'unverified' : 'absent',
    signers: [...all].sort(),
    sbom: presence('sbom'),
    provenance: presence('provenance'),
    builders,
    slsa_level: level,
    score: score(signed, presence('sbom') !== 'absent', presence('provenance') !== 'absent', level),
    referrers: referrers.map((one) => ({ digest: one.digest, type: typeOf(one) })),
  }
}
