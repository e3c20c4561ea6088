import * as z from 'zod'
import { bareSource } from './policy.ts'

const REQUIREMENTS = [
  'digest',
  'signature',
  'sbom',
  'provenance',
  'signed_sbom',
  'signed_provenance',
] as const
export type Requirement = (typeof REQUIREMENTS)[number]
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

/** A star may stand at the end, behind the host: a host that merely begins alike is another host. */
const isPattern = (pattern: string): boolean =>
  pattern === '*' || (!pattern.slice(0, -1).includes('*') && !/^[^/]*\*$/.test(pattern))

export const checkSources = (patterns: readonly string[]): string | undefined =>
  patterns.map(bareSource).find((pattern) => !isPattern(pattern))

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
