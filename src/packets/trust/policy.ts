import type * as z from 'zod'
import { packetFaults } from '../faults.ts'
import type { Reference } from '../format/reference.ts'
import type { PolicyFile, Requirement } from './policy-file.ts'
import type { TrustedKey } from './simple-signing.ts'
import type { Trust } from './trust.ts'

/** What an operator demands of packets before they are used. */
export interface PacketPolicy extends Omit<z.infer<typeof PolicyFile>, 'keys' | 'trusted_root'> {
  readonly keys: readonly TrustedKey[]
  /** The trusted root of a sigstore, read. */
  readonly root?: unknown
  /** What the operator may believe to be in force and is not. */
  readonly unread?: string
}

/** Without a policy nothing is demanded, beyond that bytes are what their digest says. */
export const OPEN_POLICY: PacketPolicy = {
  mode: 'strict',
  require: [],
  keys: [],
  identities: [],
  builders: [],
  min_slsa_level: 0,
  min_trust_score: 0,
}

/** Why a packet may not be used; the words before the colon are fixed by the tools that read them. */
export type Denial = string

/** A source without the scheme it may be written with. */
export const bareSource = (text: string): string => text.replace(/^oci:\/\//, '')

const matches = (pattern: string, source: string): boolean =>
  pattern.endsWith('*') ? source.startsWith(pattern.slice(0, -1)) : source === pattern

/** What stands against fetching from here, before anybody is asked. */
export const judgeSource = (policy: PacketPolicy, ref: Reference): readonly Denial[] => {
  const place = `${ref.host}/${ref.repository}`
  const exact = ref.digest === undefined ? `${place}:${ref.tag ?? 'latest'}` : `${place}@${ref.digest}`
  const allowed = policy.allowed_sources?.map(bareSource)
  return allowed === undefined || allowed.some((one) => matches(one, place) || matches(one, exact))
    ? []
    : [`source_not_allowlisted: ${place} is none of the sources the policy allows`]
}

/** What stands against following a name that may mean something else tomorrow. */
export const judgePinning = (policy: PacketPolicy, ref: Reference): readonly Denial[] =>
  policy.require.includes('digest') && ref.digest === undefined
    ? ['digest_required: the policy takes packets by digest only; look it up and ask its pinned_uri']
    : []

const isThere = (presence: Trust['sbom']): boolean => presence === 'present' || presence === 'verified'

const MISSING: Readonly<Record<Exclude<Requirement, 'digest'>, (trust: Trust) => Denial | undefined>> = {
  signature: ({ signature }) =>
    signature === 'verified'
      ? undefined
      : `missing_or_invalid_signature: nobody the policy trusts has signed it (${signature})`,
  sbom: ({ sbom }) => (isThere(sbom) ? undefined : 'missing_sbom: it has no bill of materials'),
  provenance: ({ provenance }) =>
    isThere(provenance) ? undefined : 'missing_provenance: it has no provenance',
  signed_sbom: ({ sbom }) =>
    sbom === 'verified'
      ? undefined
      : `missing_signed_sbom: nobody the policy trusts has signed a bill of materials (${sbom})`,
  signed_provenance: ({ provenance }) =>
    provenance === 'verified'
      ? undefined
      : `missing_signed_provenance: nobody the policy trusts has signed its provenance (${provenance})`,
}

/** Whether anything is demanded that only the registry can show. */
export const asksTrust = ({ require, min_trust_score, min_slsa_level }: PacketPolicy): boolean =>
  min_trust_score > 0 || min_slsa_level > 0 || require.some((one) => one !== 'digest')

/** What stands against a packet, given what is known of it. */
export const judgeTrust = (policy: PacketPolicy, trust: Trust): readonly Denial[] => {
  const { min_trust_score: score, min_slsa_level: level } = policy
  return [
    ...policy.require.flatMap((one) => (one === 'digest' ? [] : (MISSING[one](trust) ?? []))),
    ...(trust.score < score ? [`trust_score_below_threshold: ${trust.score} is less than ${score}`] : []),
    ...((trust.slsa_level ?? 0) < level
      ? [`slsa_level_below_threshold: ${trust.slsa_level ?? 'none'} is less than ${level}`]
      : []),
  ]
}

/** What stands against so many words at once, counted as the tools that read policies count tokens. */
export const judgeTokens = (
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

/** Warnings where the policy only warns; a fault where it means it. */
export const enforce = (policy: PacketPolicy, denials: readonly Denial[]): readonly string[] => {
  if (denials.length > 0 && policy.mode === 'strict')
    throw packetFaults.policy(`the policy refuses this packet: ${denials.join('; ')}`)
  return denials.map((denial) => `policy: ${denial}`)
}
