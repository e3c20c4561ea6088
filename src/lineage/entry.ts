import * as z from 'zod'

const Hash = z.string().regex(/^[0-9a-f]{64}$/)

/** What anybody may see of an entry. It proves the payload without telling it. */
export const Entry = z.strictObject({
  seq: z.int().nonnegative(),
  tick: z.int().nonnegative(),
  operation: z.string().min(1).max(64),
  timestamp: z.string().max(32),
  payload_hash: Hash,
  checksum: Hash,
})
export type Entry = z.infer<typeof Entry>

/** What a writer wants on record. */
export interface EntryDraft {
  readonly operation: string
  /** The writer's own logical time; 0 when it has none. */
  readonly tick: number
  readonly timestamp: string
  /**
   * Arguments, result and whatever else re-execution needs, with the salt among them, as canonical JSON. Kept
   * beside the entry, and erasable.
   */
  readonly payload: (salt: string) => string
}
