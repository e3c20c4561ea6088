import * as z from 'zod'

/** How the packet of an answer was found, where that limits what the answer is worth. */
export const originShape = {
  stale: z
    .boolean()
    .optional()
    .describe('The registry could not be reached: the packet is what the tag named before.'),
  resolved_at: z.string().optional().describe('When the tag was resolved.'),
  age_seconds: z.number().optional(),
}
