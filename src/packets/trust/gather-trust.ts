import type { Attestation, TrustAnchors } from './attestation.ts'
import {
  hasReferrerKind,
  type ReferrerKind,
  readBundles,
  readClaims,
  referrerType,
  type TrustLookup,
} from './signatures.ts'
import type { Trust } from './trust.ts'

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
