import type * as z from 'zod'
import { packetFaults } from '../faults.ts'
import type { Reference } from '../format/reference.ts'
import type { PolicyFile, Requirement } from './policy-file.ts'
import type { TrustedKey } from './simple-signing.ts'
import type { Trust } from './trust.ts'

/** The operator's requirements for packets. */
export interface PacketPolicy extends Omit<z.infer<typeof PolicyFile>, 'keys' | 'trusted_root'> {
  readonly keys: readonly TrustedKey[]
  /** The parsed trusted root of a sigstore. */
  readonly root?: unknown
  /** A warning about rules in a file that is not read. */
  readonly unread?: string
}

/** The policy when there is no policy.yml: only digests are checked. */
export const OPEN_POLICY: PacketPolicy = {
  mode: 'strict',
  require: [],
  keys: [],
  identities: [],
  builders: [],
  min_slsa_level: 0,
  min_trust_score: 0,
}

/** Why a packet is refused. The part before the colon is fixed by the tools that read it. */
type Denial = string

/** Removes `oci://`. */
export const withoutScheme = (text: string): string => text.replace(/^oci:\/\//, '')

const matches = (pattern: string, source: string): boolean =>
  pattern.endsWith('*') ? source.startsWith(pattern.slice(0, -1)) : source === pattern

/** Checks the source address, before any request. */
export const sourceDenials = (policy: PacketPolicy, ref: Reference): readonly Denial[] => {
  const place = `${ref.host}/${ref.repository}`
  const exact = ref.digest === undefined ? `${place}:${ref.tag ?? 'latest'}` : `${place}@${ref.digest}`
  const allowed = policy.allowed_sources?.map(withoutScheme)
  return allowed === undefined || allowed.some((one) => matches(one, place) || matches(one, exact))
    ? []
    : [`source_not_allowlisted: ${place} is not an allowed source of the policy`]
}

/** Checks that the reference is pinned, if the policy requires it. */
export const pinningDenials = (policy: PacketPolicy, ref: Reference): readonly Denial[] =>
  policy.require.includes('digest') && ref.digest === undefined
    ? ['digest_required: the policy requires a digest; use the pinned_uri that lookup returns']
    : []

const isThere = (presence: Trust['sbom']): boolean => presence === 'present' || presence === 'verified'

const MISSING: Readonly<Record<Exclude<Requirement, 'digest'>, (trust: Trust) => Denial | undefined>> = {
  signature: ({ signature }) =>
    signature === 'verified'
      ? undefined
      : `missing_or_invalid_signature: it has no signature of a key or identity of the policy (${signature})`,
  sbom: ({ sbom }) => (isThere(sbom) ? undefined : 'missing_sbom: it has no bill of materials'),
  provenance: ({ provenance }) =>
    isThere(provenance) ? undefined : 'missing_provenance: it has no provenance',
  signed_sbom: ({ sbom }) =>
    sbom === 'verified'
      ? undefined
      : `missing_signed_sbom: it has no bill of materials signed by a key or identity of the policy (${sbom})`,
  signed_provenance: ({ provenance }) =>
    provenance === 'verified'
      ? undefined
      : `missing_signed_provenance: it has no provenance signed by a key or identity of the policy (${provenance})`,
}

/** Whether the policy needs signatures, SBOM or provenance from the registry. */
export const needsTrust = ({ require, min_trust_score, min_slsa_level }: PacketPolicy): boolean =>
  min_trust_score > 0 || min_slsa_level > 0 || require.some((one) => one !== 'digest')

/** Checks what is known about a packet. */
export const trustDenials = (policy: PacketPolicy, trust: Trust): readonly Denial[] => {
  const { min_trust_score: score, min_slsa_level: level } = policy
  return [
    ...policy.require.flatMap((one) => (one === 'digest' ? [] : (MISSING[one](trust) ?? []))),
    ...(trust.score < score ? [`trust_score_below_threshold: ${trust.score} is less than ${score}`] : []),
    ...((trust.slsa_level ?? 0) < level
      ? [`slsa_level_below_threshold: ${trust.slsa_level ?? 'none'} is less than ${level}`]
      : []),
  ]
}

/** Checks the size of the results, with the token estimate of the tools that read policies. */
export const tokenDenials = (
  policy: PacketPolicy,
  results: readonly { readonly snippet: string }[],
): readonly Denial[] => {
  if (policy.max_tokens === undefined) return []
  const words = results.flatMap(({ snippet }) => snippet.split(/\s+/).filter((word) => word !== ''))
  const tokens = Math.max(1, Math.trunc(words.length * 1.3))
  return tokens > policy.max_tokens
    ? [`token_budget_exceeded: about ${tokens} tokens, the policy allows ${policy.max_tokens}`]
    : []
}

/** Throws in strict mode; returns warnings in warn mode. */
export const enforcePolicy = (policy: PacketPolicy, denials: readonly Denial[]): readonly string[] => {
  if (denials.length > 0 && policy.mode === 'strict')
    throw packetFaults.policy(`the policy refuses this packet: ${denials.join('; ')}`)
  return denials.map((denial) => `policy: ${denial}`)
}
