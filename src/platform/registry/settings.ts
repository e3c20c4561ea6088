import type { FindCredentials } from './auth.ts'

/** Settings of registry access. */
export interface OciSettings {
  /** Hosts that the operator configured. Others must have public addresses. */
  readonly trusted: readonly string[]
  /** Hosts without TLS; loopback hosts are always among them. */
  readonly plain: readonly string[]
  /** When not empty, only these hosts and their subdomains are allowed. */
  readonly allowed: readonly string[]
  readonly credentials: FindCredentials
  /** Attempts of a request. */
  readonly attempts: number
  /** Delay before the first retry; doubled for each further one. */
  readonly backoffMs: number
  /** Deadline of a small request, retries included. */
  readonly requestMs: number
  /** Minimum transfer rate: the deadline of a blob is `requestMs` plus its size at this rate. */
  readonly bytesPerSecond: number
  /** Longest pause in a transfer before the rest is requested again. */
  readonly idleMs: number
  readonly maxBlobBytes: number
  /** Larger uploads are sent in chunks of this size. */
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
