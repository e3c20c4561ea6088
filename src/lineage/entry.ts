import * as z from 'zod'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)

/** The public part of an entry. It commits to the payload without revealing it. */
export const Entry = z.strictObject({
  seq: z.int().nonnegative(),
  tick: z.int().nonnegative(),
  operation: z.string().min(1).max(64),
  timestamp: z.string().max(32),
  payload_hash: Hash,
  checksum: Hash,
})
export type Entry = z.infer<typeof Entry>

/** An entry before it has a sequence number and a checksum. */
export interface EntryDraft {
  readonly operation: string
  /** Logical time of the writer; 0 when it has none. */
  readonly tick: number
  readonly timestamp: string
  /**
   * Arguments, result, salt and everything else that a replay needs, as canonical JSON. Stored beside the entry, and
   * erasable.
   */
  readonly payload: (salt: string) => string
}
