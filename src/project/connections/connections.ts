import type { TextConfidence } from '../source/text-resolver.ts'

/** Something that reaches this project from outside. */
export interface Inbound {
  readonly protocol: string
  readonly endpoint: string
  readonly source_file: string
  readonly line: number
  /** Type and method that serve it. */
  readonly handler: string
  readonly confidence: TextConfidence
  readonly http_method?: string
  readonly path?: string
  /** What the code says, when a placeholder was filled in. */
  readonly origin?: string
}

/** Something this project reaches. */
export interface Outbound {
  readonly target_service: string
  readonly protocol: string
  /** By what means. */
  readonly type: string
  readonly source_file: string
  readonly line: number
  /** The type that calls; empty for configuration. */
  readonly caller: string
  readonly confidence: TextConfidence
  readonly http_method?: string
  readonly path?: string
  readonly url?: string
  /** Methods a declared client maps. */
  readonly calls?: readonly string[]
  readonly routing_key?: string
  /** Types a declared client is given to. */
  readonly consumers?: readonly string[]
  readonly origin?: string
}

/** What nobody wrote down where it goes. */
export const UNKNOWN_TARGET = 'External Services'
