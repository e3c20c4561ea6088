import * as z from 'zod'
import { packetFaults } from './faults.ts'
import type { Reference } from './format/reference.ts'
import type { TrustedKey } from './simple-signing.ts'
import type { Trust } from './trust.ts'

const REQUIREMENTS = [
  'digest',
  'signature',
  'sbom',
  'provenance',
  'signed_sbom',
  'signed_provenance',
] as const
/** What only somebody's signature can meet. */
const SIGNED: readonly string[] = ['signature', 'signed_sbom', 'signed_provenance']

/** `policy.yml` as it is written. A member nobody knows is a rule nobody would keep, so it is refused. */
export const PolicyFile = z.strictObject({
  mode: z.enum(['strict', 'warn']).default('strict'),
  allowed_sources: z.array(z.string().min(1)).optional(),
  require: z.array(z.enum(REQUIREMENTS)).default([]),
  keys: z.array(z.string().min(1)).default([]),
  trusted_root: z.string().min(1).optional(),
  identities: z.array(z.strictObject({ subject: z.string().min(1), issuer: z.string().min(1) })).default([]),
  builders: z.array(z.strictObject({ id: z.string().min(1), level: z.int().min(0).max(4) })).default([]),
  min_slsa_level: z.int().min(0).max(4).default(0),
  min_trust_score: z.number().min(0).max(1).default(0),
  max_tokens: z.int().positive().optional(),
})

/** What an operator demands of packets before they are used. */
export interface Policy extends Omit<z.infer<typeof PolicyFile>, 'keys' | 'trusted_root'> {
  readonly keys: readonly TrustedKey[]
  /** The trusted root of a sigstore, read. */
  readonly root?: unknown
  /** What the operator may believe to be in force and is not. */
  readonly unread?: string
}

/** Without a policy nothing is demanded, beyond that bytes are what their digest says. */
export const OPEN_POLICY: Policy = {
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

const bare = (text: string): string => text.replace(/^oci:\/\//, '')

/** A star may stand at the end, behind the host: a host that merely begins alike is another host. */
const isPattern = (pattern: string): boolean =>
  pattern === '*' || (!pattern.slice(0, -1).includes('*') && !/^[^/]*\*$/.test(pattern))

export const checkSources = (patterns: readonly string[]): string | undefined =>
  patterns.map(bare).find((pattern) => !isPattern(pattern))

/** What of a policy contradicts itself: a demand that nothing could meet, or that anybody could. */
export const checkDemands = (file: z.infer<typeof PolicyFile>): string | undefined => {
  const { require, keys, identities, trusted_root: root, builders, min_slsa_level: level } = file
  const signers = keys.length + identities.length
  if (require.some((one) => SIGNED.includes(one)) && signers === 0)
    return 'it requires signatures and names no keys'
  if (identities.length > 0 && root === undefined) return 'it names identities and no trusted_root'
  const wide = identities.find(({ subject }) => !/^(?:[^*]+|https:\/\/[^/*]+\/[^*]+\*)$/.test(subject))
  if (wide !== undefined)
    return `the identity ${wide.subject} may have a star only at its end, behind host and path`
  if (level > 0 && (builders.length === 0 || signers === 0))
    return 'it requires a level of SLSA and names no builders, or nobody whose word on them counts'
  return undefined
}

const matches = (pattern: string, source: string): boolean =>
  pattern.endsWith('*') ? source.startsWith(pattern.slice(0, -1)) : source === pattern

/** What stands against fetching from here, before anybody is asked. */
export const judgeSource = (policy: Policy, ref: Reference): readonly Denial[] => {
  const place = `${ref.host}/${ref.repository}`
  const exact = ref.digest === undefined ? `${place}:${ref.tag ?? 'latest'}` : `${place}@${ref.digest}`
  const allowed = policy.allowed_sources?.map(bare)
  return allowed === undefined || allowed.some((one) => matches(one, place) || matches(one, exact))
    ? []
    : [`source_not_allowlisted: ${place} is none of the sources the policy allows`]
}

/** What stands against following a name that may mean something else tomorrow. */
export const judgePinning = (policy: Policy, ref: Reference): readonly Denial[] =>
  policy.require.includes('digest') && ref.digest === undefined
    ? ['digest_required: the policy takes packets by digest only; look it up and ask its pinned_uri']
    : []

const isThere = (presence: Trust['sbom']): boolean => presence === 'present' || presence === 'verified'

const MISSING: Readonly<
  Record<Exclude<(typeof REQUIREMENTS)[number], 'digest'>, (trust: Trust) => Denial | undefined>
> = {
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
export const asksTrust = ({ require, min_trust_score, min_slsa_level }: Policy): boolean =>
  min_trust_score > 0 || min_slsa_level > 0 || require.some((one) => one !== 'digest')

/** What stands against a packet, given what is known of it. */
export const judgeTrust = (policy: Policy, trust: Trust): readonly Denial[] => {
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
  policy: Policy,
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
export const enforce = (policy: Policy, denials: readonly Denial[]): readonly string[] => {
  if (denials.length > 0 && policy.mode === 'strict')
    throw packetFaults.policy(`the policy refuses this packet: ${denials.join('; ')}`)
  return denials.map((denial) => `policy: ${denial}`)
}
