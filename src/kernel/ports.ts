import type { JsonObject } from './encoding/json.ts'
import type { FaultKind } from './fault.ts'

export interface Clock {
  /** Milliseconds since the epoch: for timestamps. */
  now(): number
  /** Monotonic milliseconds: for durations. */
  elapsed(): number
  /** Runs `then` after `ms`. Returns the function that cancels it. */
  after(ms: number, then: () => void): () => void
}

export interface Ids {
  /** A fresh identifier, unique within the store. */
  next(): string
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface Log {
  write(level: LogLevel, message: string, fields?: JsonObject): void
}

interface StoreHealth {
  readonly kind: string
  readonly state: 'ready' | 'absent' | 'failing'
  readonly detail: string
}

/** The state store. Reading its health never creates it. */
export interface StoreCheck {
  health(): Promise<StoreHealth>
}

/** The state of the repository that an answer refers to. */
export interface Freshness {
  /** Checked-out commit; absent when there is none. */
  readonly head?: string
  /** Checked-out branch; absent when HEAD is detached. */
  readonly branch?: string
  /** Whether there are uncommitted changes; absent outside a repository. */
  readonly dirty?: boolean
  /** Time of the lookup, RFC 3339. */
  readonly at: string
}

export interface Repository {
  freshness(signal: AbortSignal): Promise<Freshness>
}

/** Where a record is in its log. */
export interface RecordPlace {
  /** Names the log for ever: another log in the same place has another origin. */
  readonly origin: string
  readonly index: number
}

/** An object in the record of a call that has to name the place of the record, such as the digest of a receipt. */
export interface Attachment {
  /** Called with the place that the record will have, and again when another process took that place first. */
  readonly attach: (place: RecordPlace) => JsonObject | undefined | Promise<JsonObject | undefined>
  /** Called once, when the record is durable and before the call is answered. */
  readonly stored?: () => void | Promise<void>
}

/** One finished call for the audit log: tool and result, never the contents. */
export interface CallRecord extends Partial<Attachment> {
  readonly tool: string
  readonly effect: 'read' | 'write'
  readonly outcome: 'answer' | 'fault' | 'bug' | 'cancelled'
  /** The fault's code and kind, when it ended in one. */
  readonly code?: string
  readonly kind?: FaultKind
  /** The decision, for tools that decide. */
  readonly verdict?: JsonObject
  /** Digest of the arguments as canonical JSON, for tools that write or decide. */
  readonly args?: string
  readonly ms: number
}

/** Receives every finished call. The promise resolves when the record is durable, to what was attached to it. */
export interface Recorder {
  record(call: CallRecord): undefined | Promise<JsonObject | undefined>
}

/** The `warrant.*` keys of the local git configuration. */
export interface LocalConfig {
  /**
   * All keys under `prefix` (such as `warrant.`), without it. In lower case: git does not preserve the case of the
   * last part of a name.
   */
  read(prefix: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>>
  /** Sets each key, or unsets it where the value is undefined. */
  write(values: ReadonlyMap<string, string | undefined>, signal: AbortSignal): Promise<void>
}

/**
 * Reads files of the repository by relative path. What exists and cannot be used is a fault that names it: treating it
 * as absent would switch a policy off.
 */
export interface RepositoryFiles {
  /** Whether a file or folder exists. A link is a fault. */
  exists(path: string): Promise<boolean>
  /** The file's bytes; undefined when there is none. A link, a folder or more than `limit` bytes are a fault. */
  read(path: string, limit: number): Promise<Uint8Array | undefined>
}
