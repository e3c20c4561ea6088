import * as z from 'zod'
import { RECEIPT_MEMBERS, STATEMENT_TYPE, SUMMARY_TYPE } from './statement.ts'

const ObjectId = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/)
const Sha256 = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) })
const Time = z.iso.datetime()
const Digests = z.record(z.string().max(4096), z.string().max(200))

/** What a reader needs of a receipt. Members that it does not know are left alone. */
export const Receipt = z.object({
  _type: z.literal(STATEMENT_TYPE),
  predicateType: z.literal(SUMMARY_TYPE),
  subject: z
    .array(
      z.object({
        name: z.string().max(1000),
        digest: z.object({ gitTree: ObjectId.optional(), gitCommit: ObjectId.optional() }),
      }),
    )
    .length(1),
  predicate: z.object({
    verifier: z.object({ id: z.string(), version: z.record(z.string(), z.string()) }),
    timeVerified: Time,
    resourceUri: z.string(),
    policy: z.object({ uri: z.string(), digest: Sha256 }),
    inputAttestations: z.array(z.object({ uri: z.string(), digest: Sha256 })).max(200),
    verificationResult: z.enum(['PASSED', 'FAILED']),
    [RECEIPT_MEMBERS]: z.looseObject({
      kind: z.enum(['run', 'check']),
      stage: z.enum(['PRE_WRITE', 'PRE_COMMIT', 'PRE_PUSH', 'CI']),
      scope: z.string(),
      build: z.string(),
      expires: Time,
      lineage: z.object({ origin: z.string().max(200), index: z.int().nonnegative() }),
      reasons: z.array(z.string().max(500)).max(500),
      base: ObjectId.optional(),
      base_tree: ObjectId.optional(),
      head: ObjectId.optional(),
      policy_from: z.literal('worktree').optional(),
      policies: z.object({ base: Digests.optional(), head: Digests }).optional(),
      relaxed_by: z.array(z.string().max(100)).max(10).optional(),
    }),
  }),
})
export type Receipt = z.infer<typeof Receipt>
