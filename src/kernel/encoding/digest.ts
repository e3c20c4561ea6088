import * as z from 'zod'

/** `sha256:` and 64 lower-case hexadecimal digits. */
export const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/)
export type Digest = z.infer<typeof Digest>
