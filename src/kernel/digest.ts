import { createHash } from 'node:crypto'
import * as z from 'zod'
import { canonicalJson } from './canonical.ts'

/** `sha256:` and 64 lower-case hexadecimal digits. */
export const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/)
export type Digest = z.infer<typeof Digest>

export const digestBytes = (bytes: string | Uint8Array): Digest =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/** The digest of a value, whatever order its keys came in. */
export const digestJson = (value: unknown): Digest => digestBytes(canonicalJson(value))
