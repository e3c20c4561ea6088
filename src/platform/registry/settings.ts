import type { FindCredentials } from './auth.ts'

/** How registries are spoken to. */
export interface OciSettings {
  /** Hosts the operator named. Others must lie in the open internet. */
  readonly trusted: readonly string[]
  /** Hosts spoken to without TLS; those of this machine always are. */
  readonly plain: readonly string[]
  /** When not empty, the only hosts, with everything below them. */
  readonly allowed: readonly string[]
  readonly credentials: FindCredentials
  /** How often a request is tried. */
  readonly attempts: number
  /** The first wait between two tries; each further one is twice as long. */
  readonly backoffMs: number
  /** The longest a small request may take in all. */
  readonly requestMs: number
  /** Slower than this is taken for a trick: a blob may take its size at this rate, beyond `requestMs`. */
  readonly bytesPerSecond: number
  /** The longest a blob may stand still before the rest of it is asked for anew. */
  readonly idleMs: number
  readonly maxBlobBytes: number
  /** Uploads above this size are sent in pieces of it. */
  readonly chunkBytes: number
}

const MiB = 1024 * 1024

export const DEFAULT_OCI: OciSettings = {
  trusted: [],
  plain: [],
  allowed: [],
  credentials: async () => undefined,
  attempts: 3,
  backoffMs: 200,
  requestMs: 30_000,
  bytesPerSecond: 64 * 1024,
  idleMs: 20_000,
  maxBlobBytes: 8 * 1024 * MiB,
  chunkBytes: 1024 * MiB,
}
