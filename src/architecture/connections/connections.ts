import type { TextConfidence } from '../source/text-resolver.ts'

/** An entry point of the project: a route, a listener, a schedule or a gRPC method. */
export interface Inbound {
  readonly protocol: string
  readonly endpoint: string
  readonly source_file: string
  readonly line: number
  /** The type and method that handle it. */
  readonly handler: string
  readonly confidence: TextConfidence
  readonly http_method?: string
  readonly path?: string
  /** The text in the code before placeholders were filled in. */
  readonly origin?: string
  /** A file of the code that serves it, when it is only declared elsewhere. */
  readonly served_by?: string
}

/** A connection from the project to another system. */
export interface Outbound {
  readonly target_service: string
  readonly protocol: string
  /** The client library or kind of configuration. */
  readonly type: string
  readonly source_file: string
  readonly line: number
  /** The calling type; empty for configuration. */
  readonly caller: string
  readonly confidence: TextConfidence
  readonly http_method?: string
  readonly path?: string
  readonly url?: string
  /** Routes of a declared client. */
  readonly calls?: readonly string[]
  readonly routing_key?: string
  /** Types into which a declared client is injected. */
  readonly consumers?: readonly string[]
  readonly origin?: string
}

/** The target of a call whose address is known only at run time. */
export const UNKNOWN_TARGET = 'External Services'
