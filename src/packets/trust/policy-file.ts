import * as z from 'zod'
import { withoutScheme } from './policy.ts'

const REQUIREMENTS = [
  'digest',
  'signature',
  'sbom',
  'provenance',
  'signed_sbom',
  'signed_provenance',
] as const
export type Requirement = (typeof REQUIREMENTS)[number]
/** Requirements that only a signature can meet. */
const SIGNED: readonly string[] = ['signature', 'signed_sbom', 'signed_provenance']

/**
 * The schema of `policy.yml`. Unknown keys are refused: a rule that is not applied must not look as if it were.
 */
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

/** `*` may only end the pattern, after the host: a host with the same prefix is another host. */
const isPattern = (pattern: string): boolean =>
  pattern === '*' || (!pattern.slice(0, -1).includes('*') && !/^[^/]*\*$/.test(pattern))

export const checkSources = (patterns: readonly string[]): string | undefined =>
  patterns.map(withoutScheme).find((pattern) => !isPattern(pattern))

/** A contradiction in the policy: a requirement that nothing, or anything, could meet. */
export const checkDemands = (file: z.infer<typeof PolicyFile>): string | undefined => {
  const { require, keys, identities, trusted_root: root, builders, min_slsa_level: level } = file
  const signers = keys.length + identities.length
  if (require.some((one) => SIGNED.includes(one)) && signers === 0)
    return 'it requires signatures but has no keys or identities'
  if (identities.length > 0 && root === undefined) return 'it has identities but no trusted_root'
  const wide = identities.find(({ subject }) => !/^(?:[^*]+|https:\/\/[^/*]+\/[^*]+\*)$/.test(subject))
  if (wide !== undefined)
    return `the identity ${wide.subject} may have * only at its end, after host and path`
  if (level > 0 && (builders.length === 0 || signers === 0))
    return 'it requires an SLSA level but has no builders, or no keys or identities to verify them with'
  return undefined
}
