import * as z from 'zod'

/** Proves that an entry is in the tree of a given size. */
export const InclusionProof = z.strictObject({
  index: z.int(),
  size: z.int(),
  leaf: z.string(),
  root: z.string(),
  path: z.array(z.string()),
})
export type InclusionProof = z.infer<typeof InclusionProof>

/** Proves that one tree is a prefix of another. */
export interface ConsistencyProof {
  readonly older: number
  readonly newer: number
  readonly olderRoot: string
  readonly newerRoot: string
  readonly path: readonly string[]
}
