import * as z from 'zod'
import type { Digest } from '../kernel/digest.ts'
import { Fault } from '../kernel/fault.ts'
import { type Descriptor, readArtifact } from './artifact.ts'
import type { Reference } from './format/reference.ts'
import type { RegistryReader, Repository } from './registry.ts'
import { findSigners, type TrustedKey } from './simple-signing.ts'
import { collectBytes, verifyBytes } from './verify.ts'

const Presence = z.enum(['present', 'absent', 'unchecked'])

/**
 * What is known of who stands behind a packet. `present` means that something of that kind refers to it, not
 * that anybody verified it; only `verified` says that.
 */
export const Trust = z.object({
  verified: z.literal(true).describe('The bytes are those of the digest.'),
  checked: z.boolean().describe('Whether the registry was asked for the rest.'),
  signature: z.enum(['verified', 'unverified', 'absent', 'unchecked']),
  signers: z.array(z.string()).readonly().describe('Keys of the policy that signed it.'),
  sbom: Presence,
  provenance: Presence,
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
  score: 0,
  referrers: [],
}

const CLAIM = 'application/vnd.dev.cosign.simplesigning.v1+json'
const SIGNATURE = 'dev.cosignproject.cosign/signature'
const MAX_REFERRERS = 32
const MAX_CLAIMS = 16
const MAX_CLAIM = 64 * 1024

const KINDS = {
  signature: /cosign|signature|sigstore/i,
  sbom: /spdx|cyclonedx|sbom/i,
  provenance: /provenance|slsa|in-toto/i,
}

// Types are what a producer declares. Names of tags are not looked at: anybody can call a tag anything.
const typeOf = ({ artifactType, mediaType }: Descriptor): string => artifactType ?? mediaType

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

const score = (signed: boolean, sbom: boolean, provenance: boolean): number =>
  Math.round(10 * (0.5 * Number(signed) + 0.2 * Number(sbom) + 0.2 * Number(provenance))) / 10

/** Asks the registry what refers to a packet, and verifies the signatures that are there against these keys. */
export const gatherTrust = async (
  registry: RegistryReader,
  at: Repository,
  digest: Digest,
  keys: readonly TrustedKey[],
  signal: AbortSignal,
): Promise<Trust> => {
  const { host, repository } = at
  const referrers = (await registry.referrers(at, digest, signal)).slice(0, MAX_REFERRERS)
  const has = (kind: keyof typeof KINDS) => referrers.some((one) => KINDS[kind].test(typeOf(one)))
  // Where cosign puts signatures on registries that know no referrers; only the key decides what they are worth.
  const places: Reference[] = [
    { host, repository, tag: `${digest.replace(':', '-')}.sig` },
    ...referrers
      .filter((one) => KINDS.signature.test(typeOf(one)))
      .map((one) => ({ host, repository, digest: one.digest })),
  ]
  let claims = 0
  const signers = new Set<string>()
  for (const place of places) {
    const read = await readClaims(registry, at, place, digest, keys, signal)
    claims += read.claims
    for (const one of read.signers) signers.add(one)
  }
  const signed = signers.size > 0
  return {
    verified: true,
    checked: true,
    signature: signed ? 'verified' : claims > 0 || has('signature') ? 'unverified' : 'absent',
    signers: [...signers].sort(),
    sbom: has('sbom') ? 'present' : 'absent',
    provenance: has('provenance') ? 'present' : 'absent',
    score: score(signed, has('sbom'), has('provenance')),
    referrers: referrers.map((one) => ({ digest: one.digest, type: typeOf(one) })),
  }
}
