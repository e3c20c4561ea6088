import type { JsonObject } from './encoding/json.ts'
import type { FaultKind } from './fault.ts'

export interface Clock {
  /** Milliseconds since the epoch: for what is written down. */
  now(): number
  /** Milliseconds that never run backwards: for durations. */
  elapsed(): number
  /** Runs `then` after `ms`. The function it returns calls that off. */
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

export interface StoreHealth {
  readonly kind: string
  readonly state: 'ready' | 'absent' | 'failing'
  readonly detail: string
}

/** Where state is kept. Asking for its health never creates it. */
export interface Store {
  health(): Promise<StoreHealth>
}

/** How fresh an answer about the repository is. */
export interface Freshness {
  /** Commit checked out; absent when there is none. */
  readonly head?: string
  /** Branch checked out; absent when detached. */
  readonly branch?: string
  /** Uncommitted changes; absent outside a repository. */
  readonly dirty?: boolean
  /** When this was looked up, RFC 3339. */
  readonly at: string
}

export interface Repository {
  freshness(signal: AbortSignal): Promise<Freshness>
}

/** One finished call, as the audit trail keeps it: what and how, never the contents. */
export interface CallRecord {
  readonly tool: string
  readonly effect: 'read' | 'write'
  readonly outcome: 'answer' | 'fault' | 'bug' | 'cancelled'
  /** The fault's code and kind, when it ended in one. */
  readonly code?: string
  readonly kind?: FaultKind
  /** What was decided, when the tool is one that decides. */
  readonly verdict?: JsonObject
  readonly ms: number
}

/** Sees every call once it is over. Resolves when the record is as durable as it will get. */
export interface Recorder {
  record(call: CallRecord): void | Promise<void>
}
