import type { Catalog } from '../kernel/catalog.ts'
import { isRecord } from '../kernel/encoding/json.ts'
import type { Limits } from '../kernel/limits.ts'
import { optional } from '../kernel/optional.ts'
import type { Clock, Log, LogLevel } from '../kernel/ports.ts'
import type { Dialect } from './dialect.ts'
import type { Params, Request } from './message.ts'
import type { Service } from './service.ts'

export const MODERN = '2026-07-28'
/** Newest first: a client that requests another version gets the first. */
export const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const

/** The only revision with batches of messages. */
export const BATCHING = '2025-03-26'
/** Far more than a client needs, and few enough that a short line cannot ask for very many answers. */
export const MAX_BATCH_MESSAGES = 1_000

export interface CacheHint {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

/** Cache hints of our lists, which change only with the configuration. */
export const LIST_CACHE: CacheHint = { ttlMs: 300_000, cacheScope: 'public' }
/** The cache hint of a list that changes with the state of the gate. */
export const STATE_CACHE: CacheHint = { ttlMs: 1_000, cacheScope: 'private' }

interface ServerIdentity {
  readonly name: string
  readonly version: string
  readonly title?: string
}

/** Behaviour of older servers that their clients depend on. */
export interface CompatOptions {
  /** A tool's name is also a method: `{"method":"node.create","params":{…}}`. */
  readonly methodCalls: boolean
  /** Whether `params` or a tool's `arguments` may be `null`. */
  readonly nullParams: boolean
  /** Method aliases. */
  readonly aliases: ReadonlyMap<string, string>
  /** Maximum nesting depth of JSON. */
  readonly maxDepth: number
  /** Whether responses are sent in the order of the requests. */
  readonly orderedResponses: boolean
  /** Whether `tools/list` includes the tools' `listingMeta`. */
  readonly listingMeta: boolean
  /** Whether the method `shutdown` ends the server after its response. */
  readonly shutdown: boolean
  /** The log level of calls with bad arguments. */
  readonly badArgumentsLevel: LogLevel
  /** Whether arguments that a tool does not know are ignored instead of refused. */
  readonly ignoresUnknownArguments: boolean
}

export const NO_COMPAT: CompatOptions = {
  methodCalls: false,
  nullParams: false,
  aliases: new Map(),
  // Far more than real messages need, and less than what overflows the stack of recursive code.
  maxDepth: 500,
  orderedResponses: false,
  listingMeta: false,
  shutdown: false,
  badArgumentsLevel: 'debug',
  ignoresUnknownArguments: false,
}

export type Capabilities = Readonly<Record<string, Readonly<Record<string, boolean>>>>

/** What a handshake needs: no tool, no schema, nothing that takes time to load. */
export interface ServerBasics {
  readonly identity: ServerIdentity
  readonly instructions?: string
  readonly capabilities: Capabilities
  readonly compat?: CompatOptions
  readonly dialect: Dialect
  readonly limits: Limits
  readonly clock: Clock
  readonly log: Log
}

/** A server that answers the handshake at once and loads its tools later. */
export interface LazyServer {
  readonly handshake: ServerBasics
  service(): Service | Promise<Service>
}

export const initializeResult = (
  { identity, instructions, capabilities, dialect }: ServerBasics,
  requested: unknown,
) => {
  const asked = typeof requested === 'string' ? requested : dialect.defaultVersion
  return {
    protocolVersion: LEGACY.find((version) => version === asked) ?? LEGACY[0],
    capabilities,
    serverInfo: identity,
    ...optional({ instructions }),
  }
}

export const discoverResult = ({ capabilities, instructions }: ServerBasics) => ({
  supportedVersions: [MODERN],
  capabilities,
  ...optional({ instructions }),
})

/** Translates method aliases and, with `methodCalls`, methods named like a tool. */
export const translateMethod = (
  request: Request,
  { methodCalls, aliases }: CompatOptions,
  catalog: Pick<Catalog, 'find'> | undefined,
): Request => {
  const method = aliases.get(request.method) ?? request.method
  if (methodCalls && catalog?.find(method) !== undefined) {
    return { ...request, method: 'tools/call', params: { name: method, arguments: request.params ?? {} } }
  }
  return method === request.method ? request : { ...request, method }
}

/** Fills in missing or invalid members of `initialize`, which some clients send. */
export const repairInitialize = ({ dialect }: ServerBasics, params: Params | undefined): Params => {
  const text = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise)
  const client = isRecord(params?.clientInfo) ? params.clientInfo : {}
  return {
    ...params,
    protocolVersion: text(params?.protocolVersion, dialect.defaultVersion),
    capabilities: isRecord(params?.capabilities) ? params.capabilities : {},
    clientInfo: { ...client, name: text(client.name, 'unknown'), version: text(client.version, '0') },
  }
}
