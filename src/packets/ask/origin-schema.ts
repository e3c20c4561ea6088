import * as z from 'zod'

/** What a client should act on; answers have more members. */
export const originShape = {
  stale: z.boolean().optional().describe('Registry unreachable: what the tag named before.'),
  revoked: z.looseObject({ reason: z.string() }).optional(),
}
